#include "rules/engine/pipeline/patch_places.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster::rules {
namespace {

// "@@ -1,2 +30,4 @@ …": 30; 0 for anything else.
uint32_t FirstLine(std::string_view header) {
  const size_t plus = header.find('+');
  if (plus == std::string_view::npos) return 0;
  std::string_view number = header.substr(plus + 1);
  number = number.substr(0, number.find_first_not_of("0123456789"));
  uint32_t line = 0;
  return absl::SimpleAtoi(Abs(number), &line) ? line : 0;
}

bool Defines(std::string_view code, std::string_view name) {
  absl::string_view text = absl::StripLeadingAsciiWhitespace(Abs(code));
  if (absl::StartsWith(text, "TEST")) {
    return absl::StrContains(text, absl::StrCat(", ", Abs(name), ")")) ||
           absl::StrContains(text, absl::StrCat(",", Abs(name), ")"));
  }
  absl::ConsumePrefix(&text, "async ");
  return absl::ConsumePrefix(&text, "def ") && absl::ConsumePrefix(&text, Abs(name)) &&
         absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "(");
}

}  // namespace

std::optional<uint32_t> DefinitionLine(std::string_view patch, std::string_view function) {
  // Of "Suite.Name" and "Class::name" the last part.
  const std::string_view name = function.substr(function.find_last_of(".:") + 1);
  if (name.empty()) return std::nullopt;
  uint32_t line = 0;
  for (const std::string_view text : LinesOf(patch)) {
    if (text.starts_with("@@")) {
      line = FirstLine(text);
      continue;
    }
    if (line == 0 || text.empty() || text.front() == '-' || text.front() == '\\') continue;
    if (Defines(text.substr(1), name)) return line;
    ++line;
  }
  return std::nullopt;
}

void FindInPatches(const std::map<std::string, std::string, std::less<>>& patches, LogFailure& failure) {
  std::optional<std::string> file;
  uint32_t line = 0;
  for (const auto& [path, patch] : patches) {
    const std::optional<uint32_t> found = DefinitionLine(patch, failure.function);
    if (!found) continue;
    if (file) return;
    file = path;
    line = *found;
  }
  if (!file) return;
  failure.file = *file;
  failure.line = line;
}

}  // namespace yardmaster::rules
