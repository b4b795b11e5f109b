#include "services/intake/sweeps/scheduled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "absl/time/time.h"
#include "tests/unit/services/intake/job_world.h"

namespace yardmaster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ScheduledSweepTest : public ::testing::Test {
 protected:
  // Repositories whose issues no sweep takes up: they lack the entry label.
  ScheduledSweepTest() {
    for (const char* const name : {"octo/one", "octo/two", "octo/taken", "other/three"}) {
      world_.forge_.Open(name, 1, "title", "body", {});
    }
    world_.config_.repositories.clear();
    Allow("octo/taken", {});
    Allow("octo/*", {"tiny"});
    world_.Boot();
  }

  void Allow(const std::string& repository, const std::vector<std::string>& packs) {
    RepositoryConfig& entry = world_.config_.repositories.emplace_back();
    entry.forge = "github";
    entry.repository = repository;
    entry.packs = packs;
  }

  std::string Swept(const RepositoryFilter& filter = {}) {
    world_.schedule_.forge = filter.forge;
    world_.schedule_.repository = filter.repository;
    const absl::StatusOr<std::string> summary = world_.RunJob(SweepAndTell);
    return summary.ok() ? *summary : std::string(summary.status().message());
  }

  testing::JobWorld world_;
};

TEST_F(ScheduledSweepTest, AnOwnersRepositoriesAreListedAndSweptAsTheirEntryAllows) {
  EXPECT_THAT(Swept(), AllOf(HasSubstr("github:octo/one "), HasSubstr("github:octo/two "), Not(HasSubstr("taken")),
                             Not(HasSubstr("other/three"))));
}

TEST_F(ScheduledSweepTest, AFilterNamesOneOfThem) {
  EXPECT_THAT(Swept({"github", "octo/two"}), AllOf(HasSubstr("github:octo/two "), Not(HasSubstr("octo/one"))));
  EXPECT_EQ(Swept({"gitcode", ""}), "no repository of the configuration fits");
}

TEST_F(ScheduledSweepTest, ARequestJoinsASweepOfTheSameLimitOnly) {
  std::promise<void> go;
  world_.forge_.point = [ready = go.get_future().share()] { ready.wait(); };
  SweepRunner sweeps({*world_.environment_, world_.store_->schedules()});
  const SweepTarget target{"github", "octo/one", "tiny", false};
  const auto all = sweeps.Request(target, 0);
  const auto one = sweeps.Request(target, 1);
  EXPECT_NE(one, all) << "a nightly sweep is not done with one issue";
  EXPECT_EQ(sweeps.Request(target, 1), one);
  EXPECT_EQ(sweeps.Request(target, 0), all);
  go.set_value();
}

class MissedJobTest : public ::testing::Test {
 protected:
  MissedJobTest() {
    ForgeConfig& forge = world_.config_.forges["github"];
    forge.hooks.push_back({"octo/repo", "1"});
    forge.hooks.push_back({"octo/other", "2"});
    const auto sent = world_.clock_.Now() - std::chrono::minutes(30);
    ForgeHookDelivery& lost = world_.forge_.hook_pages.emplace_back().emplace_back();
    lost.id = "attempt";
    lost.guid = "lost";
    lost.delivered_at = absl::FormatTime(absl::RFC3339_full, absl::FromChrono(sent), absl::UTCTimeZone());
  }

  testing::JobWorld world_;
};

TEST_F(MissedJobTest, AnErrorFailsTheRun) {
  world_.forge_.Seed(1, {.not_sent = 100});
  const absl::StatusOr<std::string> failed = world_.RunJob(RedeliverAllMissed);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(failed.status().message()), AllOf(HasSubstr("hook 1"), HasSubstr("hook 2")));
  world_.forge_.Seed(1, {});
  const absl::StatusOr<std::string> done = world_.RunJob(RedeliverAllMissed);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_THAT(*done, HasSubstr("hook 1 1 seen, 1 missing, 1 asked for again"));
}

TEST_F(MissedJobTest, ItStopsWhenItIsToldToAndKeepsToItsRepository) {
  world_.schedule_.forge = "github";
  world_.schedule_.repository = "octo/other";
  const absl::StatusOr<std::string> one = world_.RunJob(RedeliverAllMissed);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_THAT(*one, AllOf(HasSubstr("hook 2"), Not(HasSubstr("hook 1"))));
  world_.forge_.redelivered.clear();
  world_.stopping_ = [] { return true; };
  EXPECT_EQ(world_.RunJob(RedeliverAllMissed).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(world_.forge_.redelivered.empty());
}

}  // namespace
}  // namespace yardmaster
