// "approval-reminder": pull requests from forks that wait for `/ok-to-test` longer than some days. And the news of
// runners.
#ifndef YARDMASTER_SERVICES_DISPATCH_APPROVAL_REMINDER_H_
#define YARDMASTER_SERVICES_DISPATCH_APPROVAL_REMINDER_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "services/core/store/commands.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster::dispatch {

// The forges' times; nullopt for anything else.
std::optional<std::chrono::system_clock::time_point> ForgeTime(std::string_view text);

// Whether a pull request comes from a fork; one whose fork is gone does not.
bool ComesFromFork(const ForgePull& pull, std::string_view repository);

// Whether somebody let its head be tested: after it was pushed.
bool IsApproved(const std::vector<store::StoredCommand>& commands, std::chrono::system_clock::time_point head_at);

// The job: "days" (3). Says it in "issue" and to "chat"; without both in a comment on each pull request, once for a
// head.
absl::StatusOr<std::string> RemindOfApprovals(const JobEnvironment& env, const JobTurn& turn);

// Runners that were quarantined.
std::vector<NewsSource> RunnerNews();

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_APPROVAL_REMINDER_H_
