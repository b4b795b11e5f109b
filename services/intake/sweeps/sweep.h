// A sweep: hands every issue of a repository's queue that lacks the marker to the pipe, oldest first, one at a time.
// The pipe decides what to do with it as for every other event.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_SWEEP_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_SWEEP_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/core/store/schedules.h"
#include "services/intake/plans/subject_run.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct SweepTarget {
  std::string forge;
  std::string repository;  // "owner/name"
  std::string pack;        // one of the repository's
  bool named = false;      // somebody asked for this pack: the repository's own file chooses no other
};

struct SweepProgress {
  int64_t found = 0;     // subjects listed that lack the marker
  int64_t done = 0;      // of them: worked on
  int64_t ignored = 0;   // of them: skipped
  int64_t failed = 0;    // of them: failed for good
  int64_t deferred = 0;  // of them: postponed by a failure; the pipe tries them again
  v1::Subject subject;   // in work; number 0 for none
  // "7 found, 5 done, 1 ignored, 1 failed": the summary; with ", 1 deferred" where there are some.
  std::string Summary() const;
  // The same in Chinese.
  std::string ChineseSummary() const;
};

// The numbers of a summary, which is what the store keeps of a sweep that ended; what it does not name is 0.
SweepProgress ReadSummary(std::string_view summary);

// How a sweep waits: for a delivery to be settled, or for a limit of the forge to pass. A test moves its clock and runs
// the pipe instead of sleeping. False: stop.
using SweepPause = std::function<bool(std::chrono::milliseconds)>;

struct SweepEnvironment {
  const IntakeEnvironment& intake;
  store::Schedules& schedules;
};

// Runs one sweep in the calling thread. It goes on behind the subject that an earlier sweep of the same target had
// finished last when it was cut short, by the end of the process or by `limit`. `report` is called after each change.
// OK when the end of the list was reached or `limit` subjects were handed over (0: no limit); else why not: CANCELLED
// if `pause` said so, or the forge's error.
absl::Status RunSweep(const SweepEnvironment& environment, const SweepTarget& target, int64_t limit,
                      const SweepPause& pause, const std::function<void(const SweepProgress&)>& report);

// The name under which a sweep's progress is stored: "sweep github:owner/name PACK".
std::string SweepName(const SweepTarget& target);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_SWEEP_H_
