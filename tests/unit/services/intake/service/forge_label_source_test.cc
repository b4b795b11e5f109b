#include "services/intake/service/forge_label_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/forge/github/github_profile.h"
#include "services/core/logging.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_forge.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;

class ForgeLabelSourceTest : public ::testing::Test {
 protected:
  ForgeLabelSourceTest() {
    RepositoryConfig repository;
    repository.forge = "github";
    repository.repository = "octo/*";
    repository.packs = {"first", "second"};
    config_.repositories.push_back(repository);
    forge_.repository_labels["octo/repo"] = {"a", "b c"};
    forge_.rules = {3, 7};
  }

  testing::FakeClock clock_;
  testing::MemoryForge forge_{clock_};
  Logger logger_{LoggerOptions()};
  Notices notices_{clock_, logger_};
  ConfiguredForge account_{forge_, GitHubProfile(), {}, "yardbot", clock_, notices_};
  Config config_;
  ForgeLabelSource source_{config_, {{"github", &account_}}};
};

TEST_F(ForgeLabelSourceTest, LabelsComeWithWhatTheForgeTakes) {
  const absl::StatusOr<RepositoryLabels> labels = source_.Read("github", "octo/repo");
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_THAT(labels->names, ElementsAre("a", "b c"));
  EXPECT_EQ(labels->min_characters, 3U);
  EXPECT_EQ(labels->max_characters, 7U);
}

TEST_F(ForgeLabelSourceTest, UnknownRepositoryAndUselessForgeAreToldApart) {
  EXPECT_TRUE(absl::IsNotFound(source_.Read("github", "octo/none").status()));
  testing::MemoryForge::Faults faults;
  faults.not_sent = 100;
  forge_.Seed(1, faults);
  EXPECT_TRUE(absl::IsUnavailable(source_.Read("github", "octo/repo").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(source_.Read("gitcode", "octo/repo").status()));
}

TEST_F(ForgeLabelSourceTest, DefaultPackIsTheFirstOfTheConfiguration) {
  EXPECT_EQ(*source_.DefaultPack("github", "octo/repo", false), "first");
  EXPECT_EQ(*source_.DefaultPack("github", "other/repo", true), "");
  EXPECT_TRUE(absl::IsFailedPrecondition(source_.DefaultPack("github", "other/repo", false).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(source_.DefaultPack("gitcode", "octo/repo", true).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(source_.DefaultPack("github", "octo/../x", true).status()));
}

}  // namespace
}  // namespace yardmaster
