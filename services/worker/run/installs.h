// What the build of a suite may bring.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_INSTALLS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_INSTALLS_H_

#include <filesystem>
#include <string_view>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

// Whether the command may bring the Python module: it names it, runs a program that installs packages with what these
// need, or runs a script, which may do anything. By whole words: "capture" is no apt.
bool MayInstall(const rules::CommandLine& command, std::string_view module);

// Whether the build may bring the module. One that installs nothing, or the project without what it depends on, brings
// the project's own modules only: those that lie in `source`; where that is empty, one of the repository's name.
bool BuildMayBring(const rules::SuiteModel& suite, const std::filesystem::path& source, std::string_view module);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_INSTALLS_H_
