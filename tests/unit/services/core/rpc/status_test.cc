#include "services/core/rpc/status.h"

#include <gtest/gtest.h>

#include "services/core/errors.h"
#include "services/core/limits.h"

namespace yardmaster {
namespace {

TEST(ToGrpcStatus, KeepsEveryCodeAndTheMessage) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  for (int code = 1; code <= 16; ++code) {
    const grpc::Status status = ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(code), "why"));
    EXPECT_EQ(static_cast<int>(status.error_code()), code);
    EXPECT_EQ(status.error_message(), "why");
    EXPECT_EQ(FromGrpcStatus(status), absl::Status(static_cast<absl::StatusCode>(code), "why"));
  }
  EXPECT_EQ(ToGrpcStatus(absl::NotFoundError("")).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(ToGrpcStatus(absl::UnauthenticatedError("")).error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST(ToGrpcStatus, ALongMessageIsCutBetweenCharacters) {
  std::string text;
  while (text.size() <= kMaxStatusMessageBytes) text += "中";
  const std::string message = ToGrpcStatus(absl::InternalError(text)).error_message();
  EXPECT_LE(message.size(), kMaxStatusMessageBytes + 3);
  EXPECT_EQ((message.size() - 3) % 3, 0u);
  EXPECT_TRUE(message.ends_with("中…"));
}

TEST(Errors, ForeignTextsAreBoundedAndWithoutControlCharacters) {
  const absl::Status status = errors::DecisionUnknown(std::string(10'000, 'x') + "\n");
  EXPECT_LT(status.message().size(), 400u);
  EXPECT_EQ(errors::DecisionUnknown("a\nb\x1b").message().find('\n'), absl::string_view::npos);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

TEST(Errors, AnUnknownPackNamesThoseInService) {
  const std::string_view known[] = {"a", "b"};
  EXPECT_NE(errors::PackUnknown("c", known).message().find("a, b"), absl::string_view::npos);
  EXPECT_NE(errors::PackUnknown("c", {}).message().find("none"), absl::string_view::npos);
}

}  // namespace
}  // namespace yardmaster
