// The states of a job and the words for them.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_STATES_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_STATES_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

std::string_view StateName(JobState state);
std::string_view VerdictName(Verdict verdict);  // empty for kNone
std::optional<Verdict> VerdictFromName(std::string_view name);
std::string_view PriorityName(Priority priority);
std::optional<Priority> PriorityFromName(std::string_view name);
std::string_view LeaseEndName(LeaseEnd end);

// OK, or FAILED_PRECONDITION: a job never takes this way. A state may follow itself, but for kEnded: what has ended
// stays as it is.
absl::Status CheckTransition(JobState from, JobState to);

// What a run's verdict is for its job: one that passes after it failed before is flaky.
inline Verdict VerdictOf(const Job& job, Verdict of_run) {
  return of_run == Verdict::kPassed && !job.failed_before.empty() ? Verdict::kFlaky : of_run;
}

// Whether a cause of this class is the machine's or that of what is installed there: it says nothing about the code.
inline bool IsOfMachine(std::string_view cause_class) {
  return cause_class == "infrastructure" || cause_class == "environment";
}

// What a live lease makes of its job.
JobState StateOf(LeaseState state);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_STATES_H_
