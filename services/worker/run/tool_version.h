// Versions as programs print them.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_TOOL_VERSION_H_
#define YARDMASTER_SERVICES_WORKER_RUN_TOOL_VERSION_H_

#include <string>
#include <string_view>

namespace yardmaster::worker {

// The version in the output of "PROGRAM --version": behind the word "release" or "version", else the first number with
// a dot. Empty if there is none.
std::string VersionIn(std::string_view printed);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_TOOL_VERSION_H_
