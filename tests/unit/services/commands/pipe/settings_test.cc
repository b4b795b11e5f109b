#include "services/commands/pipe/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_subject_view.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What every event asks for is read as it was within the last minute.
class FilesView final : public testing::FakeSubjectView {
 public:
  absl::StatusOr<std::optional<std::string>> File(std::string_view, std::string_view path, std::string_view) override {
    ADD_FAILURE() << path;
    return std::optional<std::string>();
  }
};

class ChooseByFilesTest : public ::testing::Test {
 protected:
  ChooseByFilesTest() {
    RepositoryConfig repository;
    repository.forge = "github";
    repository.repository = "octo/repo";
    repository.packs = {"a", "b", "c"};
    config_.repositories.push_back(repository);
    subject_.set_forge("github");
    subject_.set_repository("octo/repo");
    subject_.set_kind(v1::SUBJECT_KIND_ISSUE);
    subject_.set_number(1);
  }
  RepositoryChoice Choose() {
    const absl::StatusOr<RepositoryChoice> choice = ChooseByFiles(view_, subject_, config_, nullptr);
    EXPECT_TRUE(choice.ok()) << choice.status();
    return choice.ok() ? *choice : RepositoryChoice();
  }

  Config config_;
  v1::Subject subject_;
  FilesView view_;
};

TEST_F(ChooseByFilesTest, WithoutFilesNothingIsSaid) {
  const RepositoryChoice choice = Choose();
  EXPECT_THAT(choice.packs, IsEmpty());
  EXPECT_FALSE(choice.dry_run);
  EXPECT_FALSE(choice.broken);
  EXPECT_EQ(choice.why, "");
}

TEST_F(ChooseByFilesTest, TheRepositorysFileChoosesPacksAndNarrowsTheMode) {
  view_.files[":.github/yardmaster.json@"] = R"({"packs": ["c", "a"], "mode": "dry-run"})";
  const RepositoryChoice choice = Choose();
  EXPECT_THAT(choice.packs, ElementsAre("c", "a"));
  EXPECT_TRUE(choice.dry_run);
  EXPECT_EQ(choice.why, ".github/yardmaster.json chooses the packs c, a; .github/yardmaster.json says dry-run");
}

TEST_F(ChooseByFilesTest, TheOrganisationSpeaksWhereTheRepositoryIsSilent) {
  view_.files["octo/.github:yardmaster.json@"] = R"({"packs": ["b", "elsewhere"], "mode": "dry-run"})";
  view_.files[":.github/yardmaster.json@"] = R"({"packs": ["c"]})";
  const RepositoryChoice choice = Choose();
  EXPECT_THAT(choice.packs, ElementsAre("c"));
  EXPECT_TRUE(choice.dry_run);
  EXPECT_THAT(choice.why, HasSubstr("octo/.github/yardmaster.json says dry-run"));
  view_.files.erase(":.github/yardmaster.json@");
  EXPECT_THAT(Choose().packs, ElementsAre("b")) << "only what the configuration allows here";
}

TEST_F(ChooseByFilesTest, PullRequestsGoByTheirBaseBranch) {
  subject_.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  view_.pull.base_ref = "r2.6";
  view_.files[":.github/yardmaster.json@"] = R"({"mode": "dry-run"})";
  EXPECT_FALSE(Choose().dry_run);
  view_.files[":.github/yardmaster.json@r2.6"] = R"({"mode": "dry-run"})";
  EXPECT_TRUE(Choose().dry_run);
}

TEST_F(ChooseByFilesTest, AFileWithMistakesIsBrokenAndChoosesNothing) {
  view_.files[":.github/yardmaster.json@"] = R"({"packs": ["nonsense"], "mode": "dry-run"})";
  const RepositoryChoice choice = Choose();
  EXPECT_TRUE(choice.broken);
  EXPECT_FALSE(choice.dry_run);
  EXPECT_THAT(choice.packs, IsEmpty());
  EXPECT_THAT(choice.why, HasSubstr("until it is fixed"));
}

}  // namespace
}  // namespace yardmaster::commands
