#include "clients/forge/forge_error.h"

#include <gtest/gtest.h>

#include "clients/forge/dialect.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

TEST(ForgeError, TravelsInAStatusAndComesBackWhole) {
  const ForgeError error{ForgeReason::kRateLimited, ForgeOutcome::kRefused, 429, milliseconds(1500)};
  const absl::Status status = MakeForgeStatus(error, "too many");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "too many");
  const std::optional<ForgeError> back = ForgeErrorOf(status);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->reason, ForgeReason::kRateLimited);
  EXPECT_EQ(back->outcome, ForgeOutcome::kRefused);
  EXPECT_EQ(back->http_status, 429);
  EXPECT_EQ(back->retry_after, milliseconds(1500));
}

TEST(ForgeError, NoRetryAfterStaysUnset) {
  const absl::Status status = MakeForgeStatus({ForgeReason::kServer, ForgeOutcome::kUnknown, 503, std::nullopt}, "x");
  EXPECT_FALSE(ForgeErrorOf(status)->retry_after.has_value());
}

TEST(ForgeError, AZeroRetryAfterIsNotTheSameAsNone) {
  const absl::Status status =
      MakeForgeStatus({ForgeReason::kServer, ForgeOutcome::kUnknown, 503, milliseconds(0)}, "x");
  EXPECT_EQ(ForgeErrorOf(status)->retry_after, milliseconds(0));
}

TEST(ForgeError, AStatusFromElsewhereHasNoneAndItsOutcomeIsUnknown) {
  EXPECT_FALSE(ForgeErrorOf(absl::InternalError("x")).has_value());
  EXPECT_EQ(ForgeOutcomeOf(absl::InternalError("x")), ForgeOutcome::kUnknown);
}

TEST(ForgeError, EveryReasonHasANameOfItsOwnAndAFailingCode) {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ForgeReason::kServer); ++i) {
    const auto reason = static_cast<ForgeReason>(i);
    EXPECT_NE(StatusCodeOf(reason), absl::StatusCode::kOk);
    for (const std::string_view name : names) EXPECT_NE(name, ForgeReasonName(reason));
    names.push_back(ForgeReasonName(reason));
    const absl::Status status = MakeForgeStatus({reason, ForgeOutcome::kNotSent, 0, std::nullopt}, "x");
    EXPECT_EQ(ForgeErrorOf(status)->reason, reason);
  }
}

TEST(ForgeOutcome, OnlyServerErrorsAndRequestTimeoutsLeaveAWriteOpen) {
  for (const int status : {400, 401, 403, 404, 409, 418, 422, 429, 301, 307}) {
    EXPECT_EQ(OutcomeOfStatus(status), ForgeOutcome::kRefused) << status;
  }
  for (const int status : {408, 500, 502, 503, 504, 599}) {
    EXPECT_EQ(OutcomeOfStatus(status), ForgeOutcome::kUnknown) << status;
  }
}

TEST(ForgeReason, StatusesHaveTheReasonsThatCallersActOn) {
  EXPECT_EQ(ReasonOfStatus(400), ForgeReason::kInvalid);
  EXPECT_EQ(ReasonOfStatus(422), ForgeReason::kInvalid);
  EXPECT_EQ(ReasonOfStatus(401), ForgeReason::kUnauthorized);
  EXPECT_EQ(ReasonOfStatus(403), ForgeReason::kForbidden);
  EXPECT_EQ(ReasonOfStatus(404), ForgeReason::kNotFound);
  EXPECT_EQ(ReasonOfStatus(410), ForgeReason::kNotFound);
  EXPECT_EQ(ReasonOfStatus(418), ForgeReason::kTextRefused);
  EXPECT_EQ(ReasonOfStatus(429), ForgeReason::kRateLimited);
  // Payment, a method, a lock, the law: no repetition helps.
  for (const int status : {402, 405, 423, 451}) EXPECT_EQ(ReasonOfStatus(status), ForgeReason::kConflict) << status;
  EXPECT_EQ(ReasonOfStatus(502), ForgeReason::kServer);
  EXPECT_EQ(ReasonOfStatus(302), ForgeReason::kMoved);
}

// 2024-05-01T12:00:00Z, a Wednesday.
constexpr std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'714'564'800)};

TEST(RetryAfter, SecondsAndDatesAreRead) {
  EXPECT_EQ(ReadRetryAfter("30", kNow), milliseconds(30'000));
  EXPECT_EQ(ReadRetryAfter("0", kNow), milliseconds(0));
  EXPECT_EQ(ReadRetryAfter("1.5", kNow), milliseconds(1'500));
  EXPECT_EQ(ReadRetryAfter("Wed, 01 May 2024 12:00:45 GMT", kNow), milliseconds(45'000));
}

TEST(RetryAfter, ADateInThePastIsNow) {
  EXPECT_EQ(ReadRetryAfter("Wed, 01 May 2024 11:00:00 GMT", kNow), milliseconds(0));
}

TEST(RetryAfter, WhatIsNoTimeIsNoTime) {
  EXPECT_EQ(ReadRetryAfter("", kNow), std::nullopt);
  EXPECT_EQ(ReadRetryAfter("soon", kNow), std::nullopt);
  EXPECT_EQ(ReadRetryAfter("-5", kNow), std::nullopt);
  EXPECT_EQ(ReadRetryAfter("nan", kNow), std::nullopt);
}

TEST(RetryAfter, AYearIsTakenForAMistakeAndCutToADay) {
  EXPECT_EQ(ReadRetryAfter("31536000", kNow), milliseconds(24 * 3'600'000));
  EXPECT_EQ(ReadRetryAfter("1e300", kNow), milliseconds(24 * 3'600'000));
  EXPECT_EQ(ReadRetryAfter("inf", kNow), milliseconds(24 * 3'600'000));
}

}  // namespace
}  // namespace yardmaster
