// The process that does one run. It needs no worker and no network: it reads its order from the run's folder and leaves
// its outcome there.
#ifndef YARDMASTER_SERVICES_YARDWORKER_SUPERVISE_H_
#define YARDMASTER_SERVICES_YARDWORKER_SUPERVISE_H_

#include <filesystem>

#include "services/yardworker/run_folder.h"

namespace yardmaster::yardworker {

// The exit code. SIGTERM cancels the run. `command` is how this process was started: beside its program our own suites
// are looked for.
int Supervise(const std::filesystem::path& path, const SupervisorCommand& command);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_SUPERVISE_H_
