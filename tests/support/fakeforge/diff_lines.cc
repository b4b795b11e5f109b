#include <algorithm>
#include <charconv>
#include <sstream>

#include "tests/support/fakeforge/dialect.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

// A text, or an object with the text: each forge has its own.
std::string PatchOf(const json& file) {
  const auto patch = file.find("patch");
  if (patch == file.end()) return {};
  if (patch->is_string()) return patch->get<std::string>();
  return patch->is_object() && patch->contains("diff") && (*patch)["diff"].is_string()
             ? (*patch)["diff"].get<std::string>()
             : std::string();
}

// The first line of the new side that a hunk's head names; 0 if it is no head.
int64_t FirstLine(const std::string& head) {
  const size_t plus = head.find('+');
  int64_t first = 0;
  if (!head.starts_with("@@") || plus == std::string::npos) return 0;
  std::from_chars(head.data() + plus + 1, head.data() + head.size(), first);
  return first;
}

bool Shows(const std::string& patch, int64_t wanted) {
  std::istringstream in(patch);
  int64_t line = 0;
  for (std::string text; std::getline(in, text);) {
    if (const int64_t first = FirstLine(text); first > 0) {
      line = first;
      continue;
    }
    if (text.starts_with('-') || text.starts_with('\\')) continue;
    if (line > 0 && line++ == wanted) return true;
  }
  return false;
}

}  // namespace

bool IsInDiff(const Subject& subject, const std::string& path, int64_t line) {
  return std::any_of(subject.files.begin(), subject.files.end(), [&](const json& file) {
    return file.value("filename", "") == path && (line == 0 || Shows(PatchOf(file), line));
  });
}

}  // namespace yardmaster::fakeforge
