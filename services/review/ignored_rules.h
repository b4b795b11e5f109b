// Rules that people have silenced in a pull request by /ignore: which ones hold, and what a review tells without them.
#ifndef YARDMASTER_SERVICES_REVIEW_IGNORED_RULES_H_
#define YARDMASTER_SERVICES_REVIEW_IGNORED_RULES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/review/change.h"
#include "services/review/report.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

// In the order in which they were asked for; a rule and path once.
using IgnoredRules = std::vector<v1::IgnoredRule>;

// Whether both silence the same.
bool IsSameIgnored(const v1::IgnoredRule& a, const v1::IgnoredRule& b);

// What holds after all of `written`, the newest first, and then `asked`. Actions of other kinds are skipped.
IgnoredRules IgnoredRulesOf(const std::vector<v1::Action>& written, const std::optional<v1::IgnoreRule>& asked);

// Over what makes reviews differ: rules and paths.
std::string DigestOf(const IgnoredRules& ignored);

// Those about files of which the head has none any more. A pattern where the change can't list its paths is never gone.
absl::StatusOr<IgnoredRules> GoneAtHead(const IgnoredRules& ignored, Change& change);

// Takes findings that stand out of the report where one of `ignored` covers them, and counts them there: the first that
// does.
void HoldBack(IgnoredRules& ignored, ReviewReport& report);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_IGNORED_RULES_H_
