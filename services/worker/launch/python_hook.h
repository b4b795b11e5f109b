// What makes a program in Python say where its threads stand, without any tool: a sitecustomize.py that interpreters
// find first and that registers a signal with faulthandler.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_PYTHON_HOOK_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_PYTHON_HOOK_H_

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// Folders below that of a step, which the launcher's files are in (LaunchRequest::control).
inline constexpr std::string_view kPythonHookFolder = "python";  // comes first in PYTHONPATH
inline constexpr std::string_view kStacksFolder = "stacks";      // where processes write their stacks
inline constexpr std::string_view kPythonHookFile = "sitecustomize.py";

// At which they write them.
inline constexpr int kStackSignal = SIGUSR2;

// An interpreter that runs it opens a file of its own in `stacks`, keeps it open, and from then on appends the stacks
// of all its threads to it at each kStackSignal. Then it takes the sitecustomize that it would have taken
// without this one. What it can't do it leaves out: nothing of a suite may fail because of it.
std::string PythonHook(const std::filesystem::path& stacks);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_PYTHON_HOOK_H_
