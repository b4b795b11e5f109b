#include "clients/forge/forge_event.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"
#include "services/core/short_digest.h"

namespace yardmaster {

std::string SubjectFacts::Digest() const {
  std::vector<std::string> sorted = labels.value_or(std::vector<std::string>());
  absl::c_sort(sorted);
  std::vector<std::string_view> parts = {title.has_value() ? std::string_view(*title) : "",
                                         body.has_value() ? std::string_view(*body) : ""};
  parts.insert(parts.end(), sorted.begin(), sorted.end());
  parts.push_back(open.value_or(true) ? "open" : "closed");
  return ShortDigestOf(parts);
}

bool SameLogin(std::string_view a, std::string_view b) { return !a.empty() && absl::EqualsIgnoreCase(Abs(a), Abs(b)); }

}  // namespace yardmaster
