#include "rules/suites/device_models.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/absl_view.h"
#include "services/core/glob.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kVendorWord = "ascend";

// In lower case, without the word "ascend" and what joins it to what follows.
std::string PlainModel(std::string_view text) {
  std::string plain = absl::AsciiStrToLower(Abs(text));
  for (size_t at = plain.find(kVendorWord); at != std::string::npos; at = plain.find(kVendorWord, at)) {
    size_t end = at + kVendorWord.size();
    if (end < plain.size() && (plain[end] == ' ' || plain[end] == '-' || plain[end] == '_')) ++end;
    plain.erase(at, end - at);
  }
  return plain;
}

}  // namespace

bool ModelMatches(std::string_view glob, std::string_view model) {
  return MatchesLike(PlainModel(glob), PlainModel(model));
}

bool ModelFits(const std::vector<std::string>& globs, std::string_view model) {
  return globs.empty() || absl::c_any_of(globs, [&](const std::string& glob) { return ModelMatches(glob, model); });
}

}  // namespace yardmaster::rules
