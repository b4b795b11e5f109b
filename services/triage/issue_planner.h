// The pipe's view of triage: which events ask for a plan, which issues are skipped, and the plan itself.
#ifndef YARDMASTER_SERVICES_TRIAGE_ISSUE_PLANNER_H_
#define YARDMASTER_SERVICES_TRIAGE_ISSUE_PLANNER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/intake/subject_planner.h"

namespace yardmaster {

// Triage runs on issues that are opened, reopened or get the pack's entry label, when a person asks, and on a person's
// comment while one of *our* labels says that we wait for an answer (pack.json, "waiting_labels").
//
// An issue with one of the pack's markers is skipped unless a person asks. The exception is such a comment:
// then the comments of people count as further text of the body, and the labels that we set ourselves are put
// aside, so that the procedure runs as it would for a new issue; what is there already is not added again.
class IssuePlanner final : public Planner {
 public:
  std::string_view name() const override { return "triage"; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override;
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen_labels) const override;
  std::string_view SkipReason(const PlanInput& input) const override;
  // Over title, body and the comments of the issue's author; for a reply, of all people.
  std::string Digest(const PlanInput& input) const override;
  bool FollowsFromPack() const override { return true; }
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_ISSUE_PLANNER_H_
