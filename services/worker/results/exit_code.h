// How the outcome of a run becomes an exit code.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_EXIT_CODE_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_EXIT_CODE_H_

#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

// What scripts rely on: passed 0; flaky 0 where it is allowed, else 1; failed and timed_out 1; error, not_run and
// cancelled 4.
int ExitCodeOf(Verdict verdict, bool allow_flaky);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_EXIT_CODE_H_
