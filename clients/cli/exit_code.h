// What `yard` tells scripts by its exit code. Fixed: scripts and CI rely on it.
#ifndef YARDMASTER_CLIENTS_CLI_EXIT_CODE_H_
#define YARDMASTER_CLIENTS_CLI_EXIT_CODE_H_

#include <grpcpp/support/status.h>

namespace yardmaster::cli {

enum class ExitCode : int {
  kDone = 0,           // done, nothing found
  kNegative = 1,       // a negative answer: cases failed, not found
  kUsage = 2,          // usage or input error, also a bad config or a bad pack
  kUnreachable = 3,    // server unreachable, or not permitted
  kSystem = 4,         // internal, environment or infrastructure error
  kInterrupted = 130,  // SIGINT
};

// NOT_FOUND is a negative answer; INVALID_ARGUMENT the caller's fault; UNAVAILABLE, UNAUTHENTICATED and
// PERMISSION_DENIED mean that the server can't be used; everything else is an error of the system.
ExitCode ExitCodeOf(const grpc::Status& status);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_EXIT_CODE_H_
