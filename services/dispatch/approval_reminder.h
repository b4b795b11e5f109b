// "approval-reminder": pull requests from forks that wait for `/ok-to-test` longer than some days.
#ifndef YARDMASTER_SERVICES_DISPATCH_APPROVAL_REMINDER_H_
#define YARDMASTER_SERVICES_DISPATCH_APPROVAL_REMINDER_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "services/core/store/subjects.h"
#include "services/intake/sweeps/scheduled.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster::dispatch {

// The forges' times; nullopt for anything else.
std::optional<std::chrono::system_clock::time_point> ForgeTime(std::string_view text);

// Whether a pull request comes from a fork; one whose fork is gone does not.
bool ComesFromFork(const ForgePull& pull, std::string_view repository);

// Since when a pull request has its head, as far as that is known: when it was opened, or when its last commit was made
// where that fits what was seen of the pull request. What a commit says is its author's word.
std::chrono::system_clock::time_point HeadSince(std::chrono::system_clock::time_point opened,
                                                std::optional<std::chrono::system_clock::time_point> committed,
                                                const store::SeenHead& seen);

// Whether somebody let this head be tested; `written`: what was written of approvals.
bool IsApproved(const std::vector<v1::Action>& written, std::string_view head);

// The job: "days" (3). Nothing waits unless "dispatch.fork_policy" is "approve". Says it in "issue" and to "chat";
// without both in a comment on each pull request, once for a head.
absl::StatusOr<std::string> RemindOfApprovals(const JobEnvironment& env, const JobTurn& turn);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_APPROVAL_REMINDER_H_
