#include "services/intake/sweeps/scheduled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::World;

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
    SweepRunner sweeps({*world_.environment_, world_.store_->schedules()});
    const absl::StatusOr<std::string> summary =
        SweepRepositories(*world_.environment_, sweeps, filter, [] { return false; });
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.value_or("");
  }

  World world_;
};

TEST_F(ScheduledSweepTest, AnOwnersRepositoriesAreListedAndSweptAsTheirEntryAllows) {
  EXPECT_THAT(Swept(), AllOf(HasSubstr("github:octo/one "), HasSubstr("github:octo/two "), Not(HasSubstr("taken")),
                             Not(HasSubstr("other/three"))));
}

TEST_F(ScheduledSweepTest, AFilterNamesOneOfThem) {
  EXPECT_THAT(Swept({"github", "octo/two"}), AllOf(HasSubstr("github:octo/two "), Not(HasSubstr("octo/one"))));
  EXPECT_EQ(Swept({"gitcode", ""}), "no repository to sweep");
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

}  // namespace
}  // namespace yardmaster
