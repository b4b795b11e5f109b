#include "clients/forge/retry.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_forge_transport.h"
#include "tests/support/fake_waiter.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ErrorAnswer;
using testing::FakeClock;
using testing::FakeForgeTransport;
using testing::ReadRequest;
using testing::VirtualWaiter;
using testing::WriteRequest;

class RetryTest : public ::testing::Test {
 protected:
  void Fail(ForgeReason reason, ForgeOutcome outcome, int status, int times,
            std::optional<milliseconds> retry_after = std::nullopt) {
    for (int i = 0; i < times; ++i) inner_.Then(ErrorAnswer(reason, outcome, status, retry_after));
  }
  ForgeRequest Within(ForgeRequest request, milliseconds time) {
    request.deadline = clock_.Monotonic() + time;
    return request;
  }

  FakeClock clock_;
  VirtualWaiter waiter_{clock_};
  FakeForgeTransport inner_;
  RetryTransport retry_{inner_, RetryPolicy{}, /*seed=*/7, "github", clock_, waiter_, nullptr};
};

TEST_F(RetryTest, AReadIsRepeatedUntilItSucceeds) {
  Fail(ForgeReason::kServer, ForgeOutcome::kUnknown, 502, 2);
  Fail(ForgeReason::kNetwork, ForgeOutcome::kUnknown, 0, 1);
  Fail(ForgeReason::kTimeout, ForgeOutcome::kUnknown, 0, 1);
  EXPECT_FALSE(retry_.Send(ReadRequest()).error.has_value());
  EXPECT_EQ(inner_.count(), 5u);
}

TEST_F(RetryTest, AReadIsGivenUpAfterFiveAttempts) {
  Fail(ForgeReason::kServer, ForgeOutcome::kUnknown, 500, 50);
  const ForgeAnswer answer = retry_.Send(ReadRequest());
  EXPECT_EQ(answer.error->http_status, 500);
  EXPECT_EQ(inner_.count(), 5u);
}

TEST_F(RetryTest, WaitsGrowButAreDrawnAtRandomBelowABound) {
  Fail(ForgeReason::kServer, ForgeOutcome::kUnknown, 500, 50);
  for (int i = 0; i < 40; ++i) {
    const size_t before = waiter_.waits().size();
    retry_.Send(ReadRequest());
    milliseconds sum{0};
    for (size_t j = before; j < waiter_.waits().size(); ++j) sum += waiter_.waits()[j];
    EXPECT_LE(sum, milliseconds(500 + 1'000 + 2'000 + 4'000));
  }
  EXPECT_GT(waiter_.total(), milliseconds(0));
}

TEST_F(RetryTest, TheSameSeedGivesTheSameWaits) {
  const auto waits = [](uint64_t seed) {
    FakeClock clock;
    VirtualWaiter waiter(clock);
    FakeForgeTransport inner;
    RetryTransport retry(inner, RetryPolicy{}, seed, "github", clock, waiter, nullptr);
    for (int i = 0; i < 4; ++i) inner.Then(ErrorAnswer(ForgeReason::kServer, ForgeOutcome::kUnknown, 500));
    retry.Send(ReadRequest());
    return waiter.waits();
  };
  EXPECT_EQ(waits(1), waits(1));
  EXPECT_NE(waits(1), waits(2));
}

TEST_F(RetryTest, AWriteOfUnknownOutcomeIsNeverRepeated) {
  for (const ForgeReason reason : {ForgeReason::kServer, ForgeReason::kNetwork, ForgeReason::kTimeout}) {
    FakeForgeTransport inner;
    RetryTransport retry(inner, RetryPolicy{}, 1, "github", clock_, waiter_, nullptr);
    inner.Then(ErrorAnswer(reason, ForgeOutcome::kUnknown, 0));
    const ForgeAnswer answer = retry.Send(WriteRequest());
    EXPECT_EQ(answer.error->outcome, ForgeOutcome::kUnknown);
    EXPECT_EQ(inner.count(), 1u) << ForgeReasonName(reason);
  }
}

TEST_F(RetryTest, EditsAndRemovalsAreWrites) {
  for (const char* method : {"PATCH", "DELETE"}) {
    FakeForgeTransport inner;
    RetryTransport retry(inner, RetryPolicy{}, 1, "github", clock_, waiter_, nullptr);
    ForgeRequest request = WriteRequest();
    request.method = method;
    inner.Then(ErrorAnswer(ForgeReason::kServer, ForgeOutcome::kUnknown, 502));
    EXPECT_TRUE(retry.Send(request).error.has_value());
    EXPECT_EQ(inner.count(), 1u) << method;
  }
}

TEST_F(RetryTest, AWriteThatNeverLeftIsRepeated) {
  Fail(ForgeReason::kNetwork, ForgeOutcome::kNotSent, 0, 2);
  EXPECT_FALSE(retry_.Send(WriteRequest()).error.has_value());
  EXPECT_EQ(inner_.count(), 3u);
}

TEST_F(RetryTest, AWriteThatFirstDidNotLeaveAndThenBrokeStopsThere) {
  Fail(ForgeReason::kNetwork, ForgeOutcome::kNotSent, 0, 1);
  Fail(ForgeReason::kNetwork, ForgeOutcome::kUnknown, 0, 1);
  EXPECT_EQ(retry_.Send(WriteRequest()).error->outcome, ForgeOutcome::kUnknown);
  EXPECT_EQ(inner_.count(), 2u);
}

TEST_F(RetryTest, AWriteRefusedForTheLimitsIsRepeatedWhenTheForgeSaid) {
  Fail(ForgeReason::kRateLimited, ForgeOutcome::kRefused, 429, 1, seconds(12));
  EXPECT_FALSE(retry_.Send(WriteRequest()).error.has_value());
  EXPECT_EQ(inner_.count(), 2u);
  EXPECT_GE(waiter_.total(), seconds(12));
  EXPECT_LE(waiter_.total(), seconds(12) + milliseconds(500));
}

TEST_F(RetryTest, WhatWillNotPassByItselfIsNotRepeated) {
  for (const ForgeReason reason : {ForgeReason::kNotFound, ForgeReason::kInvalid, ForgeReason::kTextRefused,
                                   ForgeReason::kUnauthorized, ForgeReason::kForbidden, ForgeReason::kConflict,
                                   ForgeReason::kMoved, ForgeReason::kTls, ForgeReason::kTooLarge}) {
    FakeForgeTransport inner;
    RetryTransport retry(inner, RetryPolicy{}, 1, "github", clock_, waiter_, nullptr);
    inner.Then(ErrorAnswer(reason, ForgeOutcome::kRefused, 400));
    retry.Send(ReadRequest());
    EXPECT_EQ(inner.count(), 1u) << ForgeReasonName(reason);
  }
}

TEST_F(RetryTest, AWaitPastTheDeadlineIsNotBegun) {
  Fail(ForgeReason::kRateLimited, ForgeOutcome::kRefused, 429, 1, seconds(120));
  const ForgeAnswer answer = retry_.Send(Within(ReadRequest(), seconds(10)));
  EXPECT_EQ(answer.error->reason, ForgeReason::kRateLimited);
  EXPECT_GE(*answer.error->retry_after, seconds(120));
  EXPECT_EQ(inner_.count(), 1u);
  EXPECT_EQ(waiter_.total(), milliseconds(0));
}

TEST_F(RetryTest, NewCredentialsAreTriedOnceAndAtOnce) {
  ForgeAnswer refused = ErrorAnswer(ForgeReason::kUnauthorized, ForgeOutcome::kRefused, 401);
  refused.credentials_renewed = true;
  inner_.Then(refused);
  EXPECT_FALSE(retry_.Send(WriteRequest()).error.has_value());
  EXPECT_EQ(inner_.count(), 2u);
  EXPECT_EQ(waiter_.total(), milliseconds(0));

  inner_.Then(refused);
  inner_.Then(refused);
  inner_.Then(refused);
  EXPECT_EQ(retry_.Send(WriteRequest()).error->reason, ForgeReason::kUnauthorized);
  EXPECT_EQ(inner_.count(), 4u);
}

TEST_F(RetryTest, NothingIsRepeatedAfterStop) {
  Fail(ForgeReason::kServer, ForgeOutcome::kUnknown, 500, 5);
  retry_.Stop();
  EXPECT_TRUE(retry_.Send(ReadRequest()).error.has_value());
  EXPECT_EQ(inner_.count(), 1u);
  EXPECT_TRUE(inner_.stopped());
}

}  // namespace
}  // namespace yardmaster
