// What a repository says about reviews of its own: rules that weigh differently there, and findings that it accepts.
// Applied to what a review found, so that nothing of it depends on how checks run.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_SETTINGS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_SETTINGS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/check_set.h"

namespace yardmaster::rules {

struct Finding;       // review.h
struct SkippedCheck;  // review.h

// Findings that a repository accepts.
struct Exemption {
  std::vector<std::string> rules;  // rules or parts, as RuleAndPart names them; empty: every rule
  std::vector<std::string> paths;  // globs (glob.h); empty: every file
  std::string reason;
  std::string until;  // "YYYY-MM-DD", the last day on which it holds; empty: always
};

struct ReviewSettings {
  // Profile by pack, or under "" for every pack.
  std::map<std::string, std::string, std::less<>> profiles;
  // Severity of the findings of a rule or of a part, as RuleAndPart names them, instead of the pack's; nullopt: it is
  // off.
  std::map<std::string, std::optional<Severity>, std::less<>> severities;
  std::vector<Exemption> exemptions;

  // The profile for a pack; empty: the pack's default.
  std::string_view ProfileOf(std::string_view pack) const;
};

// What becomes of one finding.
struct SettledFinding {
  bool stands = true;
  Severity severity = Severity::kBlock;
  std::string reason;  // why it does not stand
  std::string reason_zh;
};

// `today` is "YYYY-MM-DD"; empty: exemptions with an end hold no more.
SettledFinding Settle(const ReviewSettings& settings, const Finding& finding, std::string_view today);

// Settles all findings: takes out those that do not stand, and tells each rule and path of them once in `skipped`.
void ApplyReviewSettings(const ReviewSettings& settings, std::string_view today, std::vector<Finding>& findings,
                         std::vector<SkippedCheck>& skipped);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_SETTINGS_H_
