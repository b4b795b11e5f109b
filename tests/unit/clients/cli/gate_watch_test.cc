#include "clients/cli/gate_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace yardmaster::cli {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

const GateWatch::Moment kStart(seconds(1'749'556'800));  // 2025-06-10T12:00:00Z

json Report(const std::string& phase, const std::string& action, int64_t build = 0, const std::string& result = "") {
  return {{"phase", phase},
          {"next", {{"action", action}, {"why", "because"}}},
          {"gate_ok", phase == "GREEN"},
          {"terminal", nullptr},
          {"pipeline_number", build == 0 ? json() : json(build)},
          {"pipeline_result", result.empty() ? json() : json(result)},
          {"pipeline_url", "https://b.example/1"},
          {"failures", json::array()},
          {"test_failures", json::array()},
          {"retests", 1},
          {"max_retests", 5},
          {"description_checks", 2},
          {"builds", 3}};
}

class GateWatchTest : public ::testing::Test {
 protected:
  GateWatch::Step Seen(const json& report) { return watch_.Seen(report, now_); }
  // How long it waits for its next looks, one after the other.
  std::vector<int64_t> Looks(const json& report, int count) {
    std::vector<int64_t> looks;
    for (int i = 0; i < count; ++i) {
      const GateWatch::Step step = Seen(report);
      looks.push_back(step.next.count());
      now_ += step.next;
    }
    return looks;
  }

  GateWatch watch_{"gitcode:o/r#1", seconds(0), kStart};
  GateWatch::Moment now_ = kStart;
};

TEST_F(GateWatchTest, LooksBecomeRarerTheLongerTheSameIsWaitedFor) {
  EXPECT_THAT(Looks(Report("P2_RUNNING", "wait", 5), 5), ::testing::ElementsAre(60, 270, 1200, 1800, 1800));
  // Something else begins anew.
  EXPECT_THAT(Looks(Report("P2_SUCCESS_AGGREGATING", "wait", 5), 2), ::testing::ElementsAre(60, 270));
}

TEST_F(GateWatchTest, WhetherAStartTookIsSeenAfterHalfAMinute) {
  EXPECT_THAT(Looks(Report("P2_QUEUED", "wait"), 3), ::testing::ElementsAre(30, 60, 270));
}

TEST_F(GateWatchTest, ALongBuildIsLookedAtWhenItShouldBeOver) {
  json report = Report("P2_RUNNING", "wait", 5);
  report["usual_duration_ms"] = 100 * 60'000;
  EXPECT_THAT(Looks(report, 6), ::testing::ElementsAre(60, 270, 1200, 3600, 870, 60));
}

TEST_F(GateWatchTest, OnlyChangesAreShown) {
  EXPECT_TRUE(Seen(Report("P2_RUNNING", "wait", 5)).shown);
  EXPECT_FALSE(Seen(Report("P2_RUNNING", "wait", 5)).shown);
  EXPECT_TRUE(Seen(Report("P2_RUNNING", "wait", 6)).shown);
}

TEST_F(GateWatchTest, ItEndsWhereNobodyNeedWait) {
  EXPECT_EQ(Seen(Report("P1_OK", "retest")).ended, std::nullopt) << "anybody may start it";
  EXPECT_EQ(Seen(Report("P2_FAILED", "fix", 5, "FAILURE")).ended, ExitCode::kNegative);
  EXPECT_EQ(Seen(Report("CLOSED", "stop")).ended, ExitCode::kNegative);
  EXPECT_EQ(Seen(Report("GREEN", "stop")).ended, ExitCode::kDone);
}

TEST_F(GateWatchTest, AServerThatIsAwayForAWhileDoesNotEndIt) {
  const absl::Status away = absl::UnavailableError("no connection");
  Seen(Report("P2_RUNNING", "wait", 5));
  GateWatch::Step step = watch_.Failed(away, now_);
  EXPECT_EQ(step.ended, std::nullopt);
  EXPECT_EQ(step.next, seconds(5));
  EXPECT_THAT(step.note, HasSubstr("no connection"));
  step = watch_.Failed(away, now_ += step.next);
  EXPECT_EQ(step.next, seconds(10));
  EXPECT_EQ(step.note, "") << "said once";
  for (int i = 0; i < 5; ++i) step = watch_.Failed(away, now_ += step.next);
  EXPECT_EQ(step.next, seconds(60));
  step = Seen(Report("P2_RUNNING", "wait", 5));
  EXPECT_FALSE(step.shown);
  EXPECT_THAT(step.note, HasSubstr("answers again"));
  // Patience is counted from the last answer.
  now_ += minutes(14);
  EXPECT_EQ(watch_.Failed(away, now_).ended, std::nullopt);
  EXPECT_EQ(watch_.Failed(away, now_ + minutes(1)).ended, ExitCode::kUnreachable);
}

TEST_F(GateWatchTest, WhatDoesNotPassEndsIt) {
  EXPECT_EQ(watch_.Failed(absl::UnavailableError("no server"), now_).ended, ExitCode::kUnreachable) << "the first look";
  Seen(Report("P2_RUNNING", "wait", 5));
  EXPECT_EQ(watch_.Failed(absl::InternalError("a forge is away"), now_).ended, std::nullopt);
  EXPECT_EQ(watch_.Failed(absl::NotFoundError("it is gone"), now_).ended, ExitCode::kNegative);
  EXPECT_EQ(watch_.Failed(absl::PermissionDeniedError("no"), now_).ended, ExitCode::kUnreachable);
}

TEST_F(GateWatchTest, TheEndTellsTheWholeWay) {
  Seen(Report("P1_OK", "retest"));
  Seen(Report("P2_RUNNING", "wait", 500, "BUILDING"));
  now_ += minutes(20);
  json failed = Report("P2_FAILED", "fix", 501, "FAILURE");
  failed["test_failures"] = {{{"stage", "UT"},
                              {"file", "tests/a.py"},
                              {"test", "test_b"},
                              {"summary", "assert"},
                              {"verdict", "needs_evidence"},
                              {"why", "nobody knows"}}};
  Seen(failed);
  const json final = watch_.Final("needs-human-guidance", now_);
  EXPECT_EQ(final["status"], "needs-human-guidance");
  EXPECT_EQ(final["watched_seconds"], 1200);
  ASSERT_EQ(final["timeline"].size(), 3U);
  EXPECT_EQ(final["timeline"][2],
            json({{"at", "2025-06-10T12:20:00Z"}, {"phase", "P2_FAILED"}, {"build", "#501 FAILURE"}}));
  EXPECT_EQ(final["unresolved"][0]["test"], "test_b");
  EXPECT_EQ(final["counters"]["retests"], 1);
  EXPECT_EQ(final["next_step"], "because");
  const std::string text = watch_.FinalText("needs-human-guidance", now_);
  EXPECT_THAT(text, HasSubstr("gitcode:o/r#1  needs-human-guidance"));
  EXPECT_THAT(text, HasSubstr("last build  #501 FAILURE  https://b.example/1"));
  EXPECT_THAT(text, HasSubstr("12:00 P1_OK → 12:00 P2_RUNNING #500 BUILDING → 12:20 P2_FAILED #501 FAILURE"));
  EXPECT_THAT(text, HasSubstr("UT  test_b  needs_evidence: nobody knows"));
  EXPECT_THAT(text, HasSubstr("retests 1 of 5, description checks 2, builds 3"));
}

}  // namespace
}  // namespace yardmaster::cli
