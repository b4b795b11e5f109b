#include "services/intake/router.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "services/core/absl_view.h"
#include "services/core/short_digest.h"

namespace yardmaster {
namespace {

void AddPart(std::string& buffer, std::string_view part) {
  // Each part with its length, so that text can't move from one into another unnoticed.
  buffer += std::to_string(part.size());
  buffer += ':';
  buffer += part;
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

bool SameLogin(std::string_view a, std::string_view b) { return !a.empty() && absl::EqualsIgnoreCase(Abs(a), Abs(b)); }

}  // namespace yardmaster
