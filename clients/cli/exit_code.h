// How a verb of `yard` ends: with an exit code, or with an error that is printed on stderr and has an exit code.
#ifndef YARDMASTER_CLIENTS_CLI_EXIT_CODE_H_
#define YARDMASTER_CLIENTS_CLI_EXIT_CODE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "services/core/problem.h"

namespace yardmaster::cli {

// Fixed: scripts and CI rely on these.
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
ExitCode ExitCodeOf(const absl::Status& status);

// Errors that end with kNegative, kUsage or kSystem. `hints` say what may help, each in a line below the message.
absl::Status NegativeError(absl::string_view message, const std::vector<std::string>& hints = {});
absl::Status UsageError(absl::string_view message, const std::vector<std::string>& hints = {});
absl::Status SystemError(absl::string_view message, const std::vector<std::string>& hints = {});

// What a reader says of a place that the user named: the user's fault, unless it is INTERNAL.
absl::Status AsUsage(const absl::Status& status);

// The same by the name of a code, for errors of the server.
absl::Status MakeError(absl::StatusCode code, absl::string_view message, const std::vector<std::string>& hints);

// Data that people wrote is wrong: kUsage, with a line for each problem.
absl::Status ProblemsError(absl::string_view message, const Problems& problems);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_EXIT_CODE_H_
