#include "clients/cli/exit_code.h"

#include <gtest/gtest.h>

#include "services/core/rpc/status.h"

namespace yardmaster::cli {
namespace {

TEST(ExitCodeOf, EveryStatusHasTheCodeThatScriptsRelyOn) {
  using grpc::StatusCode;
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), ExitCode::kDone);
  const auto code = [](StatusCode status) {
    return static_cast<int>(ExitCodeOf(FromGrpcStatus(grpc::Status(status, ""))));
  };
  EXPECT_EQ(code(StatusCode::NOT_FOUND), 1);
  EXPECT_EQ(code(StatusCode::INVALID_ARGUMENT), 2);
  EXPECT_EQ(code(StatusCode::UNAVAILABLE), 3);
  EXPECT_EQ(code(StatusCode::UNAUTHENTICATED), 3);
  EXPECT_EQ(code(StatusCode::PERMISSION_DENIED), 3);
  for (const StatusCode status :
       {StatusCode::INTERNAL, StatusCode::UNKNOWN, StatusCode::DEADLINE_EXCEEDED, StatusCode::UNIMPLEMENTED,
        StatusCode::RESOURCE_EXHAUSTED, StatusCode::CANCELLED, StatusCode::DATA_LOSS}) {
    EXPECT_EQ(code(status), 4) << status;
  }
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 130);
}

}  // namespace
}  // namespace yardmaster::cli
