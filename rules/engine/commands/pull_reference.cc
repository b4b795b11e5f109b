#include "rules/engine/commands/pull_reference.h"

#include <re2/re2.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/public_forges.h"

namespace yardmaster::rules {
namespace {

// Owners and repository names: no path and no option may be hidden in them.
constexpr std::string_view kName = R"(([\w.][\w.-]{0,99}))";
constexpr std::string_view kNumber = "([1-9][0-9]{0,9})";

// A pattern.
std::string Hosts() {
  return absl::StrJoin(kPublicForges, "|", [](std::string* out, const PublicForge& forge) {
    out->append(RE2::QuoteMeta(re2::StringPiece(forge.host.data(), forge.host.size())));
  });
}

bool IsFolder(std::string_view name) { return name == "." || name == ".."; }

}  // namespace

std::optional<PullReference> ParsePullReference(std::string_view text) {
  static const RE2 kShort(absl::StrCat("(?:(?:", Abs(kName), "/", Abs(kName), ")?[#!])?", Abs(kNumber)));
  static const RE2 kUrl(absl::StrCat("(?s)(?i:(?:https?://)?(?:www\\.)?(", Hosts(), ")/)", Abs(kName), "/", Abs(kName),
                                     "/(?:-/)?(issues?|pulls?|merge_requests)/", Abs(kNumber), "(?:[/?#.,;:)].*)?"));
  PullReference reference;
  std::string owner, name, kind;
  int32_t number = 0;
  if (!RE2::FullMatch(text, kShort, &owner, &name, &number)) {
    if (text.size() > 2 && text.front() == '<' && text.back() == '>') text = text.substr(1, text.size() - 2);
    if (!RE2::FullMatch(text, kUrl, &reference.host, &owner, &name, &kind, &number)) return std::nullopt;
    absl::AsciiStrToLower(&reference.host);
    reference.issue = kind.starts_with("issue");
  }
  if (IsFolder(owner) || IsFolder(name)) return std::nullopt;
  reference.number = number;
  if (!owner.empty()) reference.repo = absl::StrCat(owner, "/", name);
  return reference;
}

bool IsMarkedReference(std::string_view text) {
  return text.find_first_not_of("0123456789") != std::string_view::npos && ParsePullReference(text).has_value();
}

}  // namespace yardmaster::rules
