// Starts the worker again when it crashes, for a service manager that can't: as long as runs of a service go on in
// control groups (version 2) below its own, systemd has no place to start its program in.
#ifndef YARDMASTER_SERVICES_YARDWORKER_KEEPER_H_
#define YARDMASTER_SERVICES_YARDWORKER_KEEPER_H_

#include <string>
#include <vector>

namespace yardmaster::yardworker {

// Runs `words` (a program with its arguments) as a child that ends with this process, and passes SIGTERM and SIGINT on
// to it. The child's exit code, or 128 + N after the signal N; one that was killed or ended by an error of the system
// (4) is started again, unless it was told to end.
int Keep(const std::vector<std::string>& words);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_KEEPER_H_
