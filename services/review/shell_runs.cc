#include "services/review/shell_runs.h"

#include <utility>

#include "services/review/shell_commands.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxRuns = 100;

void Collect(std::string_view text, int depth, std::string& folder, std::vector<ShellRun>& out);

void AddRun(std::vector<std::string> words, int depth, std::string& folder, std::vector<ShellRun>& out) {
  words.erase(words.begin(), words.begin() + static_cast<ptrdiff_t>(ShellVerb(words)));
  if (words.empty() || out.size() == kMaxRuns) return;
  if (words[0] == "cd" || words[0] == "pushd") {
    if (words.size() < 2) return;
    folder = folder.empty() || words[1].starts_with('/') ? words[1] : folder + "/" + words[1];
    return;
  }
  const bool shell = words[0].ends_with("sh") && words.size() > 2;
  for (size_t i = 1; shell && i + 1 < words.size(); ++i) {
    if (words[i].size() > 1 && words[i][0] == '-' && words[i].ends_with('c')) {
      std::string inner = folder;
      Collect(words[i + 1], depth + 1, inner, out);
      return;
    }
  }
  out.push_back({folder, std::move(words)});
}

void Collect(std::string_view text, int depth, std::string& folder, std::vector<ShellRun>& out) {
  if (depth > kMaxShellDepth) return;
  std::vector<std::string> nested;
  for (ShellCommand& command : ShellCommands(text, nested)) AddRun(std::move(command.words), depth, folder, out);
  for (const std::string& command : nested) {
    std::string inner = folder;
    Collect(command, depth + 1, inner, out);
  }
}

}  // namespace

std::vector<ShellRun> ShellRuns(std::string_view command) {
  std::vector<ShellRun> runs;
  std::string folder;
  Collect(command.substr(0, kMaxShellBytes), 0, folder, runs);
  return runs;
}

}  // namespace yardmaster
