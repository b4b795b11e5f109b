#include "services/core/repository_name.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxPartBytes = 128;

bool IsRepository(std::string_view text, bool wildcard_allowed) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || !IsNamePart(text.substr(0, slash))) return false;
  const std::string_view name = text.substr(slash + 1);
  return (wildcard_allowed && name == "*") || IsNamePart(name);
}

}  // namespace

bool IsNamePart(std::string_view part) {
  return !part.empty() && part.size() <= kMaxPartBytes && part != "." && part != ".." &&
         absl::c_all_of(part, [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
         });
}

bool IsRepositoryPattern(std::string_view text) { return IsRepository(text, /*wildcard_allowed=*/true); }

bool IsRepositoryName(std::string_view text) { return IsRepository(text, /*wildcard_allowed=*/false); }

bool RepositoryMatches(std::string_view pattern, std::string_view repository) {
  if (pattern.ends_with("/*")) {
    const std::string_view owner = pattern.substr(0, pattern.size() - 1);
    return repository.size() > owner.size() && absl::StartsWithIgnoreCase(Abs(repository), Abs(owner)) &&
           repository.find('/', owner.size()) == std::string_view::npos;
  }
  return absl::EqualsIgnoreCase(Abs(pattern), Abs(repository));
}

std::string QualifiedName(std::string_view forge, std::string_view repository) {
  return absl::StrCat(Abs(forge), ":", Abs(repository));
}

}  // namespace yardmaster
