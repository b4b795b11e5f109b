#include "clients/cli/exit_code.h"

namespace yardmaster::cli {

ExitCode ExitCodeOf(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return ExitCode::kDone;
    case grpc::StatusCode::NOT_FOUND:
      return ExitCode::kNegative;
    case grpc::StatusCode::INVALID_ARGUMENT:
      return ExitCode::kUsage;
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::PERMISSION_DENIED:
      return ExitCode::kUnreachable;
    default:
      return ExitCode::kSystem;
  }
}

}  // namespace yardmaster::cli
