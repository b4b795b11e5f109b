// `yard review diff`, run inside the test's process on repositories that git made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/git_work.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

const char* const kOld = "def old():\n    return 1\n";

class ReviewDiffTest : public ::testing::Test {
 protected:
  ReviewDiffTest() {
    for (const auto& [path, bytes] : testing::ReviewPackFiles()) packs_.Write(path, bytes);
    variables_["YARD_PACKS"] = packs_.path().string();
    git_.Write("demo/demo_impl.py", kOld);
    git_.Commit("one");
    git_.Git("checkout -q -b topic");
  }

  Result Run(const std::vector<std::string>& options, const std::string& repository = "") const {
    std::vector<std::string> all = {"review", "diff", "--quiet", "--repo",
                                    repository.empty() ? git_.path().string() : repository};
    all.insert(all.end(), options.begin(), options.end());
    return RunCommandLine(all, "", variables_);
  }
  // "new demo/demo_impl.py:4 L1", …
  std::vector<std::string> Found(std::vector<std::string> options, const std::string& repository = "") const {
    options.push_back("--json");
    const Result result = Run(options, repository);
    const Json json = Json::parse(result.out, nullptr, false);
    if (json.is_discarded()) {
      ADD_FAILURE() << result.err;
      return {};
    }
    std::vector<std::string> out;
    for (const Json& one : json["findings"]) {
      out.push_back(absl::StrCat(one["status"].get<std::string>(), " ", one["path"].get<std::string>(), ":",
                                 one["line"].get<int>(), " ", one["rule_id"].get<std::string>()));
    }
    return out;
  }

  const testing::TempDir packs_;
  const testing::GitWork git_;
  std::map<std::string, std::string> variables_;
};

TEST_F(ReviewDiffTest, OnlyWhatTheBranchAddsIsToldAndAllTellsTheRest) {
  git_.Write("demo/demo_impl.py", std::string("# moved down\n") + kOld + "def fresh():\n    return 2\n");
  git_.Commit("two");
  EXPECT_THAT(Found({"--base", "main"}), ElementsAre("new demo/demo_impl.py:5 L1"));
  EXPECT_THAT(Found({"--base", "main", "--all"}),
              ElementsAre("still demo/demo_impl.py:3 L1", "new demo/demo_impl.py:5 L1"));
  EXPECT_EQ(Run({"--base", "main"}).code, 1);
  EXPECT_EQ(Run({"--base", "topic"}).code, 0);
}

TEST_F(ReviewDiffTest, OldFindingsDoNotCountForTheExitCode) {
  git_.Write("demo/demo_impl.py", std::string(kOld) + "x = 1\n");
  git_.Commit("two");
  const Result result = Run({"--base", "main", "--all"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("[still]"));
}

TEST_F(ReviewDiffTest, WhatMainGotMeanwhileIsNoNews) {
  git_.Write("demo/demo_impl.py", std::string(kOld) + "x = 1\n");
  git_.Commit("two");
  git_.Git("checkout -q main");
  git_.Write("demo/demo_impl.py", "def old():\n    pass\n");
  git_.Write("other/other_impl.py", kOld);
  git_.Commit("meanwhile");
  EXPECT_THAT(Found({"--base", "main", "--head", "topic", "--all"}), ElementsAre("still demo/demo_impl.py:2 L1"));
}

TEST_F(ReviewDiffTest, BareRepositoriesAndLinkedWorkTreesAreReviewedLikeAClone) {
  git_.Write("demo/demo_impl.py", std::string(kOld) + "def fresh():\n    return 2\n");
  git_.Commit("two");
  git_.Git("clone -q --bare . " + git_.Beside("bare.git").string());
  git_.Git("worktree add -q --detach " + git_.Beside("linked").string() + " topic");
  for (const char* place : {"bare.git", "linked", "work/demo"}) {
    EXPECT_THAT(Found({"--base", "main", "--head", "topic"}, git_.Beside(place).string()),
                ElementsAre("new demo/demo_impl.py:4 L1"))
        << place;
  }
}

TEST_F(ReviewDiffTest, StagedAndWorkTreeAreComparedWithHead) {
  git_.Write("demo/demo_impl.py", std::string(kOld) + "def staged():\n    return 2\n");
  git_.Git("add -A");
  git_.Write("demo/demo_impl.py", std::string(kOld) + "def staged():\n    return 2\ndef later():\n    return 3\n");
  git_.Write("new/new_impl.py", kOld);
  EXPECT_THAT(Found({"--staged"}), ElementsAre("new demo/demo_impl.py:4 L1"));
  EXPECT_THAT(Found({"--worktree"}), UnorderedElementsAre("new demo/demo_impl.py:4 L1", "new demo/demo_impl.py:6 L1",
                                                          "new new/new_impl.py:2 L1"));
}

TEST_F(ReviewDiffTest, BeforeTheFirstCommitAllThatIsStagedIsNew) {
  const testing::GitWork empty;
  empty.Write("demo/demo_impl.py", kOld);
  empty.Git("add -A");
  EXPECT_THAT(Found({"--staged"}, empty.path().string()), ElementsAre("new demo/demo_impl.py:2 L1"));
}

TEST_F(ReviewDiffTest, ARenamedFileBringsItsFindingsAlong) {
  git_.Git("mv demo other");
  git_.Git("mv other/demo_impl.py other/other_impl.py");
  git_.Commit("two");
  EXPECT_THAT(Found({"--base", "main"}), IsEmpty());
  EXPECT_THAT(Found({"--base", "main", "--all"}), ElementsAre("still other/other_impl.py:2 L1"));
}

TEST_F(ReviewDiffTest, TheRepositorysFileAtBaseHoldsAndNotThatOfTheChange) {
  git_.Write(".github/yardmaster.json", R"({"severities": {"L1": "minor"}})");
  git_.Write("demo/demo_impl.py", std::string(kOld) + "def fresh():\n    return 2\n");
  git_.Commit("two");
  EXPECT_EQ(Run({"--base", "main"}).code, 1);
  git_.Git("branch -f main topic");
  git_.Write("demo/demo_impl.py", std::string(kOld) + "def fresh():\n    return 2\ndef more():\n    return 2\n");
  git_.Commit("three");
  const Result result = Run({"--base", "main"});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("minor L1"));
}

TEST_F(ReviewDiffTest, WhatTheForgeKnowsComesFromAFile) {
  const std::string meta = packs_.Write("meta.json", R"({"title": "t", "body": "b", "labels": ["x"], "author": "a"})");
  EXPECT_EQ(Run({"--base", "main", "--meta", meta}).code, 0);
  const std::string wrong = packs_.Write("wrong.json", R"({"labels": "x"})");
  const Result result = Run({"--base", "main", "--meta", wrong});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("/labels: expected a list of texts"));
}

TEST_F(ReviewDiffTest, WhatOtherToolsFoundIsNewOnlyWhereTheChangeTouchesTheLine) {
  git_.Write("demo/demo_impl.py", std::string(kOld) + "x = 1\n");
  git_.Commit("two");
  const std::string lines = packs_.Write("ruff.txt",
                                         "demo/demo_impl.py:2:5: F401 an old one\n"
                                         "demo/demo_impl.py:3:1: E225 a new one\n"
                                         "/elsewhere/other.py:1:1: E225 outside\n");
  EXPECT_THAT(Found({"--base", "main", "--import", lines}),
              ElementsAre(::testing::EndsWith("demo_impl.py:3 lint/E225")));
  EXPECT_EQ(Found({"--base", "main", "--import", lines, "--all"}).size(), 3u);
  const Result wrong = Run({"--base", "main", "--import", packs_.Write("wrong.sarif", "{\"runs\": 1}")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.sarif"));
}

TEST_F(ReviewDiffTest, WhatIsNotThereIsAnErrorOfUsageThatNamesIt) {
  EXPECT_THAT(Run({"--base", "nowhere"}).err, HasSubstr("nowhere"));
  EXPECT_EQ(Run({"--base", "nowhere"}).code, 2);
  EXPECT_EQ(Run({"--base", "main"}, packs_.path().string()).code, 2);
  EXPECT_EQ(Run({}).code, 2);
  EXPECT_EQ(Run({"--base", "main", "--staged"}).code, 2);
  EXPECT_EQ(Run({"--staged", "--head", "topic"}).code, 2);
}

TEST_F(ReviewDiffTest, NothingOfTheRepositoryIsRun) {
  git_.Write(".gitattributes", "*.py filter=evil diff=evil\n");
  git_.Git("config filter.evil.clean 'touch ../ran; cat'");
  git_.Git("config filter.evil.smudge 'touch ../ran; cat'");
  git_.Git("config diff.evil.textconv 'touch ../ran; cat'");
  git_.Git("config core.fsmonitor 'touch ../ran'");
  git_.Write("demo/demo_impl.py", std::string(kOld) + "def fresh():\n    return 2\n");
  EXPECT_THAT(Found({"--worktree"}), ElementsAre("new demo/demo_impl.py:4 L1"));
  EXPECT_THAT(Found({"--staged"}), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(git_.Beside("ran")));
}

}  // namespace
}  // namespace yardmaster::cli
