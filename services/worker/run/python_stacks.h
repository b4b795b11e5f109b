// Stacks that processes of Python write by themselves (services/worker/launch/python_hook.h).
#ifndef YARDMASTER_SERVICES_WORKER_RUN_PYTHON_STACKS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_PYTHON_STACKS_H_

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/process/process_table.h"

namespace yardmaster::worker {

// What each process wrote when it was asked; empty: it has not opened a file in `stacks`, does not catch the signal, or
// does not answer within a second. Files that are no plain ones are never read: the step may have put them there. After
// `deadline` nobody else is asked.
std::vector<std::string> AskForPythonStacks(const std::vector<ProcessEntry>& processes,
                                            const std::filesystem::path& stacks,
                                            std::chrono::steady_clock::time_point deadline);

// The line of a source file below `folder`, without blanks at its ends; empty where it can't be read. No link is
// followed below `folder`.
std::string SourceLine(const std::filesystem::path& folder, const std::filesystem::path& file, int number);

// True if the "SigCgt" line of a /proc/PID/status has the signal.
bool CatchesSignal(std::string_view status, int signal);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_PYTHON_STACKS_H_
