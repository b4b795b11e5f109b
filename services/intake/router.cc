#include "services/intake/router.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "services/core/limits.h"
#include "services/core/short_digest.h"

namespace yardmaster {
namespace {

void AddPart(std::string& buffer, std::string_view part) {
  // Each part with its length, so that text can't move from one into another unnoticed.
  buffer += std::to_string(part.size());
  buffer += ':';
  buffer += part;
}

bool IsNamePart(std::string_view part) {
  if (part.empty() || part == "." || part == "..") return false;
  return std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

}  // namespace

std::string SubjectFacts::Digest() const {
  std::string buffer;
  AddPart(buffer, title.value_or(""));
  AddPart(buffer, body.value_or(""));
  std::vector<std::string> sorted = labels.value_or(std::vector<std::string>());
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& label : sorted) AddPart(buffer, label);
  AddPart(buffer, open.value_or(true) ? "open" : "closed");
  return ShortDigest(buffer);
}

bool IsRepositoryName(std::string_view name) {
  if (name.size() > kMaxNameBytes) return false;
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  return IsNamePart(name.substr(0, slash)) && IsNamePart(name.substr(slash + 1));
}

bool SameLogin(std::string_view a, std::string_view b) {
  return !a.empty() &&
         absl::EqualsIgnoreCase(absl::string_view(a.data(), a.size()), absl::string_view(b.data(), b.size()));
}

}  // namespace yardmaster
