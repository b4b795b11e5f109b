#include "clients/forge/budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "clients/forge/github/github_profile.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_forge_transport.h"
#include "tests/support/fake_waiter.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeClock;
using testing::FakeForgeTransport;
using testing::OkAnswer;
using testing::PatientWaiter;
using testing::ReadRequest;
using testing::VirtualWaiter;
using testing::WriteRequest;

TEST(Budget, WritesOfOneThreadAreSpacedOnAVirtualClock) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, nullptr);
  std::vector<std::chrono::steady_clock::time_point> sent;
  inner.OnRequest([&](const ForgeRequest&) { sent.push_back(clock.Monotonic()); });
  for (const char* method : {"POST", "POST", "PATCH", "DELETE", "POST"}) {
    ForgeRequest request = WriteRequest();
    request.method = method;
    EXPECT_FALSE(budget.Send(request).error.has_value());
  }
  ASSERT_EQ(sent.size(), 5u);
  for (size_t i = 1; i < sent.size(); ++i) EXPECT_EQ(sent[i] - sent[i - 1], seconds(1));
}

TEST(Budget, WhatCannotGoInTimeFailsAtOnceAndSaysWhenItCould) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, nullptr);
  budget.Send(WriteRequest());
  ForgeRequest request = WriteRequest();
  request.deadline = clock.Monotonic() + milliseconds(400);
  const ForgeAnswer answer = budget.Send(request);
  ASSERT_TRUE(answer.error.has_value());
  EXPECT_EQ(answer.error->reason, ForgeReason::kBudget);
  EXPECT_EQ(answer.error->outcome, ForgeOutcome::kNotSent);
  EXPECT_EQ(answer.error->retry_after, milliseconds(1'000));
  EXPECT_TRUE(waiter.waits().empty());
  EXPECT_EQ(inner.count(), 1u);
}

TEST(Budget, ARefusalHoldsBackEverybodyForAsLongAsTheForgeSaid) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, nullptr);
  inner.Then(testing::ErrorAnswer(ForgeReason::kRateLimited, ForgeOutcome::kRefused, 429, seconds(9)));
  EXPECT_TRUE(budget.Send(ReadRequest()).error.has_value());
  EXPECT_FALSE(budget.Send(ReadRequest("/repos/o/r/issues/2")).error.has_value());
  EXPECT_EQ(waiter.total(), seconds(9));
}

TEST(Budget, NoRequestsLeftMeansWaitingForTheReset) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, nullptr);
  const int64_t now = std::chrono::duration_cast<seconds>(clock.Now().time_since_epoch()).count();
  inner.Then(OkAnswer("{}", {{"X-RateLimit-Limit", "5000"},
                             {"X-RateLimit-Remaining", "0"},
                             {"X-RateLimit-Reset", std::to_string(now + 300)},
                             {"X-RateLimit-Resource", "core"}}));
  budget.Send(ReadRequest());
  budget.Send(ReadRequest());
  EXPECT_EQ(waiter.total(), seconds(300));
}

TEST(Budget, LimitsOfOtherResourcesAndOfWrongCredentialsAreNotOurs) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, nullptr);
  const int64_t now = std::chrono::duration_cast<seconds>(clock.Now().time_since_epoch()).count();
  std::vector<HttpHeader> none_left = {
      {"X-RateLimit-Limit", "60"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", std::to_string(now + 300)}};
  ForgeAnswer refused = testing::ErrorAnswer(ForgeReason::kUnauthorized, ForgeOutcome::kRefused, 401);
  refused.headers = none_left;
  inner.Then(refused);
  none_left.push_back({"X-RateLimit-Resource", "search"});
  inner.Then(OkAnswer("{}", none_left));
  for (int i = 0; i < 3; ++i) budget.Send(ReadRequest());
  EXPECT_EQ(waiter.total(), milliseconds(0));
}

TEST(Budget, HeadersThatAreNoNumbersAreIgnored) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, nullptr);
  inner.Then(OkAnswer("{}", {{"X-RateLimit-Limit", "x"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "9"}}));
  inner.Then(OkAnswer("{}", {{"X-RateLimit-Limit", "5000"},
                             {"X-RateLimit-Remaining", "0"},
                             {"X-RateLimit-Reset", "99999999999999999999999"}}));
  for (int i = 0; i < 3; ++i) budget.Send(ReadRequest());
  EXPECT_EQ(waiter.total(), milliseconds(0));
}

// Several threads on a clock that the test moves.
class BudgetQueue : public ::testing::Test {
 protected:
  void Start(ForgePriority priority, bool mutation, const std::string& name) {
    ForgeRequest request = mutation ? WriteRequest("/" + name) : ReadRequest("/" + name);
    request.priority = priority;
    request.deadline = clock_.Monotonic() + seconds(1'000);
    const size_t waiting = budget_.Waiting();
    threads_.emplace_back([this, request] { budget_.Send(request); });
    // Arrival counts: the next one only starts when this one waits.
    while (budget_.Waiting() == waiting) std::this_thread::yield();
  }
  // Moves the clock until that many requests have gone, however slow the machine is.
  void AdvanceUntil(size_t count) {
    while (inner_.count() < count) {
      clock_.Advance(milliseconds(500));
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
  }
  std::vector<std::string> Order() const {
    std::vector<std::string> out;
    for (const ForgeRequest& request : inner_.requests()) out.push_back(request.target.substr(1));
    return out;
  }

  FakeClock clock_;
  PatientWaiter waiter_{clock_};
  FakeForgeTransport inner_;
  BudgetTransport budget_{inner_, GitHubProfile().budget, "github", clock_, waiter_, nullptr};
  std::vector<std::thread> threads_;
};

TEST_F(BudgetQueue, WaitingWritesGoByClassAndThenByArrival) {
  budget_.Send(WriteRequest("/first"));
  Start(ForgePriority::kSweep, true, "sweep1");
  Start(ForgePriority::kEvent, true, "event1");
  Start(ForgePriority::kSweep, true, "sweep2");
  Start(ForgePriority::kCommand, true, "command");
  Start(ForgePriority::kEvent, true, "event2");
  Start(ForgePriority::kGate, true, "gate");
  AdvanceUntil(7);
  Join();
  EXPECT_EQ(Order(), (std::vector<std::string>{"first", "command", "gate", "event1", "event2", "sweep1", "sweep2"}));
}

TEST_F(BudgetQueue, AReadPassesWritesThatWaitForTheirSpacing) {
  budget_.Send(WriteRequest("/first"));
  Start(ForgePriority::kCommand, true, "write");
  ForgeRequest read = ReadRequest("/read");
  read.priority = ForgePriority::kSweep;
  EXPECT_FALSE(budget_.Send(read).error.has_value());
  EXPECT_EQ(Order(), (std::vector<std::string>{"first", "read"}));
  AdvanceUntil(3);
  Join();
  EXPECT_EQ(Order(), (std::vector<std::string>{"first", "read", "write"}));
}

TEST_F(BudgetQueue, StopEndsEveryWait) {
  budget_.Send(WriteRequest("/first"));
  std::atomic<int> stopped{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ForgeRequest request = WriteRequest();
      request.deadline = clock_.Monotonic() + seconds(1'000);
      const ForgeAnswer answer = budget_.Send(request);
      if (answer.error.has_value() && answer.error->reason == ForgeReason::kStopped) ++stopped;
    });
  }
  while (budget_.Waiting() < 4) std::this_thread::yield();
  budget_.Stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stopped, 4);
  EXPECT_TRUE(inner_.stopped());
  EXPECT_EQ(budget_.Send(ReadRequest()).error->reason, ForgeReason::kStopped);
}

TEST(Budget, ManyThreadsNeverHaveTwoWritesInFlight) {
  FakeClock clock;
  PatientWaiter waiter(clock);
  FakeForgeTransport inner;
  BudgetLimits limits = GitHubProfile().budget;
  limits.spacing = milliseconds(1);
  limits.mutations_per_minute = 0;
  limits.mutations_per_hour = 0;
  limits.points_per_minute = 0;
  BudgetTransport budget(inner, limits, "github", clock, waiter, nullptr);
  std::atomic<int> in_flight{0};
  std::atomic<int> most{0};
  inner.OnRequest([&](const ForgeRequest&) {
    const int now = ++in_flight;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --in_flight;
  });
  std::atomic<bool> done{false};
  std::thread mover([&] {
    while (!done) {
      clock.Advance(milliseconds(1));
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 10; ++j) {
        ForgeRequest request = WriteRequest();
        request.priority = static_cast<ForgePriority>(i % 4);
        budget.Send(request);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  mover.join();
  EXPECT_EQ(inner.count(), 60u);
  EXPECT_EQ(most, 1);
}

TEST(Budget, CallersThatWaitAreCountedInSeconds) {
  FakeClock clock;
  VirtualWaiter waiter(clock);
  FakeForgeTransport inner;
  Metrics metrics;
  BudgetTransport budget(inner, GitHubProfile().budget, "github", clock, waiter, &metrics);
  budget.Send(WriteRequest());
  budget.Send(WriteRequest());
  const std::string text = metrics.Serialize();
  EXPECT_NE(text.find("yardmaster_forge_budget_wait_seconds_total{class=\"event\",forge=\"github\"} 1"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace yardmaster
