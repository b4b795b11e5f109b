#include "services/schedule/news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "services/intake/pipeline/request.h"
#include "services/intake/sweeps/sweep.h"
#include "tests/unit/services/intake/job_world.h"

namespace yardmaster {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class NewsTest : public ::testing::Test {
 protected:
  NewsTest() {
    RepositoryConfig other = world_.config_.repositories.front();
    other.repository = "octo/other";
    world_.config_.repositories.push_back(other);
    world_.Boot();
  }

  void Subscribe(const std::string& channel, const std::string& repository, const std::string& topic,
                 const std::string& language = "") {
    EXPECT_TRUE(
        world_.store_->subscriptions().Put({"slack", channel, "github", repository, topic, "ann", {}, language}).ok());
  }
  // What the run says, as "CHANNEL: TEXT", a minute after the last one.
  std::vector<std::string> Tell() {
    world_.clock_.Advance(1min);
    const absl::StatusOr<std::string> told = world_.RunJob(TellNews);
    EXPECT_TRUE(told.ok()) << told.status();
    summary_ = told.value_or("");
    std::vector<std::string> said;
    const auto claimed = world_.store_->inbox().Claim(100);
    EXPECT_TRUE(claimed.ok()) << claimed.status();
    if (!claimed.ok()) return said;
    for (const store::Delivery& one : *claimed) {
      if (!one.delivery_id.starts_with("news-")) {
        world_.store_->inbox().Release({one.id});
        continue;
      }
      std::string reason;
      const auto body = world_.store_->inbox().Body(one.id);
      EXPECT_TRUE(body.ok()) << body.status();
      const std::optional<SubjectRequest> request = ReadRequest("github", body.value_or(""), reason);
      EXPECT_TRUE(request.has_value() && request->announcement.has_value()) << reason;
      if (!request.has_value() || !request->announcement.has_value()) continue;
      for (const v1::ChatMessage& message : request->announcement->messages()) {
        said.push_back(message.channel() + ": " + message.body());
      }
      EXPECT_TRUE(world_.store_->inbox().MarkDone(one.id).ok());
    }
    return said;
  }
  // A source that says each minute which minutes it was asked for, unless `broken`.
  NewsSource Counting(const std::string& topic, const bool& broken) {
    return {topic,
            [topic, &broken](const JobEnvironment&, const v1::Subject&, store::TimePoint from,
                             store::TimePoint until) -> absl::StatusOr<std::vector<SaidText>> {
              if (broken) return absl::DataLossError("no record");
              const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(until - from).count();
              return std::vector<SaidText>{{topic + " of " + std::to_string(minutes) + " min",
                                            topic + "：" + std::to_string(minutes) + " 分钟"}};
            }};
  }

  testing::JobWorld world_;
  std::string summary_;
};

TEST_F(NewsTest, ASourceThatCantBeReadHoldsUpNoOtherAndIsToldLater) {
  bool broken = false;
  const bool never = false;
  world_.news_ = {Counting("devices", broken), Counting("findings", never)};
  Subscribe("C1", "octo/repo", "devices");
  Subscribe("C1", "octo/repo", "findings");
  Subscribe("C2", "octo/other", "findings");
  Tell();
  broken = true;
  EXPECT_THAT(Tell(),
              UnorderedElementsAre(AllOf(HasSubstr("C1: "), HasSubstr("findings of 1 min"), Not(HasSubstr("devices"))),
                                   AllOf(HasSubstr("C2: "), HasSubstr("findings of 1 min"))));
  EXPECT_THAT(summary_, HasSubstr("not read: devices of github:octo/repo"));
  EXPECT_THAT(Tell(), SizeIs(2)) << "the window goes on";
  broken = false;
  // What it missed is told with what is new, once.
  EXPECT_THAT(Tell(), UnorderedElementsAre(
                          AllOf(HasSubstr("C1: "), HasSubstr("findings of 1 min"), HasSubstr("devices of 3 min")),
                          HasSubstr("C2: ")));
  EXPECT_THAT(Tell(), ::testing::Contains(HasSubstr("devices of 1 min")));
  EXPECT_THAT(summary_, Not(HasSubstr("not read")));
}

TEST_F(NewsTest, AChannelIsToldInTheLanguageInWhichItWasSubscribed) {
  const bool never = false;
  world_.news_ = {Counting("findings", never)};
  Subscribe("C1", "octo/repo", "findings", "zh");
  Subscribe("C2", "octo/repo", "findings");
  Tell();
  EXPECT_THAT(Tell(), UnorderedElementsAre(AllOf(HasSubstr("C1: "), HasSubstr("findings：1 分钟")),
                                           AllOf(HasSubstr("C2: "), HasSubstr("findings of 1 min"))));
}

TEST_F(NewsTest, WhatIsAboutNoRepositoryIsToldAChannelOnce) {
  const bool never = false;
  NewsSource source = Counting("devices", never);
  source.everywhere = true;
  world_.news_ = {source};
  Subscribe("C1", "octo/repo", "devices");
  Subscribe("C1", "octo/other", "devices");
  Subscribe("C2", "octo/other", "devices");
  Tell();
  EXPECT_THAT(Tell(), UnorderedElementsAre(HasSubstr("C1: "), HasSubstr("C2: ")));
}

TEST_F(NewsTest, ASweepThatEndedIsNewsOnceInBothLanguages) {
  world_.news_ = ScheduleNews();
  Subscribe("C1", "octo/repo", "sweeps");
  Subscribe("C2", "octo/repo", "sweeps", "zh");
  Subscribe("C3", "octo/other", "sweeps");
  EXPECT_THAT(Tell(), IsEmpty());
  world_.clock_.Advance(1s);
  store::Schedules& sweeps = world_.store_->schedules();
  const std::string name = SweepName({"github", "octo/repo", "tiny", false});
  EXPECT_TRUE(sweeps.Start(name).ok());
  EXPECT_THAT(Tell(), IsEmpty()) << "it has not ended";
  world_.clock_.Advance(1s);
  EXPECT_TRUE(sweeps.Finish(name, "3 found, 1 done, 0 ignored, 1 failed, 1 deferred").ok());
  EXPECT_THAT(Tell(),
              UnorderedElementsAre(
                  AllOf(HasSubstr("C1: "), HasSubstr("sweep with the pack `tiny`: 3 found, 1 done, 0 ignored")),
                  AllOf(HasSubstr("C2: "), HasSubstr("找到 3 个，完成 1 个，跳过 0 个，失败 1 个，推迟 1 个"))));
  EXPECT_THAT(Tell(), IsEmpty());
}

TEST_F(NewsTest, DeadLettersBehindTheFirstPageAreNews) {
  // The oldest row is settled last: 500 newer ones stand before it in the list.
  world_.news_ = ScheduleNews();
  Subscribe("C1", "octo/repo", "dead-letters");
  EXPECT_THAT(Tell(), IsEmpty());
  world_.clock_.Advance(1s);
  const auto add = [&](int number) {
    SubjectRequest request;
    request.subject.set_forge("github");
    request.subject.set_repository("octo/repo");
    request.subject.set_number(number);
    const auto added = world_.store_->inbox().AddAndWait(MakeRequest(request, "r" + std::to_string(number)));
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() ? added->id : 0;
  };
  const int64_t oldest = add(1);
  for (int i = 2; i <= 502; ++i) EXPECT_TRUE(world_.store_->inbox().MarkFailed(add(i), "planning-failed").ok());
  EXPECT_THAT(Tell(), ElementsAre(HasSubstr("and 493 more of `dead-letters`")));
  world_.clock_.Advance(1s);
  EXPECT_TRUE(world_.store_->inbox().MarkFailed(oldest, "planning-failed").ok());
  EXPECT_THAT(Tell(), ElementsAre(HasSubstr("dead letter " + std::to_string(oldest) + ",")));
}

}  // namespace
}  // namespace yardmaster
