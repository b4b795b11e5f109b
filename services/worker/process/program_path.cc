#include "services/worker/process/program_path.h"

#include <unistd.h>

#include <fstream>

#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// The kernel reads as much of a first line.
constexpr size_t kFirstLineBytes = 256;

}  // namespace

std::string_view EnvironmentValue(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    const std::vector<std::string_view> parts = Split(entry, '=', 2);
    if (parts.size() == 2 && parts[0] == name) return parts[1];
  }
  return {};
}

std::vector<std::string> ProgramCandidates(std::string_view program, std::string_view search_path) {
  if (program.find('/') != std::string_view::npos) return {std::string(program)};
  std::vector<std::string> candidates;
  if (program.empty() || search_path.empty()) return candidates;
  for (const std::string_view folder : Split(search_path, ':')) {
    candidates.push_back(Concat(folder.empty() ? "." : folder, "/", program));
  }
  return candidates;
}

std::string MissingInterpreter(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  std::string head(kFirstLineBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  if (head.substr(0, 4) ==
      "\x7f"
      "ELF")
    return "the loader that it names";
  if (head.substr(0, 2) != "#!") return "";
  const size_t begin = head.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return "";
  std::string interpreter = head.substr(begin, head.find_first_of(" \t\n", begin) - begin);
  // A line end of Windows is taken for a part of the name; show it.
  if (!interpreter.empty() && interpreter.back() == '\r') return interpreter.substr(0, interpreter.size() - 1) + "\\r";
  return ::access(interpreter.c_str(), F_OK) == 0 ? "" : interpreter;
}

}  // namespace yardmaster::worker
