// What programs are built and run with on this machine, for whoever asks whether a result of one machine holds for
// another.
#ifndef YARDMASTER_SERVICES_YARDWORKER_TOOLCHAIN_H_
#define YARDMASTER_SERVICES_YARDWORKER_TOOLCHAIN_H_

#include <string>

namespace yardmaster::yardworker {

// "Linux 6.1.0 x86_64, cann 8.0.RC3, cmake 3.25.1, g++ 12.2.0, python3 3.11.2": the system, and what is found in the
// usual places, always in this order. Starts these programs once.
std::string ToolchainOfHost();

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_TOOLCHAIN_H_
