// `yard rules backtest --repo`, run inside the test's process on repositories that git made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/git_work.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

const char* const kHistoryFile = "demo/demo_impl.py";

class RulesBacktestTest : public ::testing::Test {
 protected:
  RulesBacktestTest() {
    for (const auto& [path, bytes] : testing::ReviewPackFiles()) packs_.Write(path, bytes);
    variables_["YARD_PACKS"] = packs_.path().string();
    git_.Write(kHistoryFile, "x = 1\n");
    first_ = git_.Commit("one");
    git_.Write(kHistoryFile, "x = 1\ndef k():\n    return 1\n");
    loud_ = git_.Commit("two");
    git_.Git("checkout -q -b topic");
    git_.Write("other/other_impl.py", "def k():\n    return 1\n");
    git_.Commit("of a branch");
    git_.Write("other/other_impl.py", "def k(): pass\n");
    git_.Commit("mended on the branch");
    git_.Git("checkout -q main");
    git_.Git("merge -q --no-ff -m three topic");
  }

  Result Run(std::vector<std::string> options) const {
    options.insert(options.begin(),
                   {"rules", "backtest", "--quiet", "--pack", "lantern", "--repo", git_.path().string()});
    return RunCommandLine(options, "", variables_);
  }
  Json Answer(std::vector<std::string> options) const {
    options.push_back("--json");
    const Result result = Run(options);
    EXPECT_EQ(result.code, 0) << result.err;
    Json json = Json::parse(result.out, nullptr, false);
    return json.is_discarded() ? Json::object() : json;
  }
  std::string Judged(const std::string& commit, const std::string& verdict) const {
    return absl::StrCat(R"({"repository": "o/r", "commit": ")", commit, R"(", "rule": "L1", "path": ")", kHistoryFile,
                        R"(", "line": 3, "verdict": ")", verdict, R"(", "why": "seen"})", "\n");
  }

  const testing::TempDir packs_;
  const testing::TempDir files_;
  const testing::GitWork git_;
  std::map<std::string, std::string> variables_;
  std::string first_;
  std::string loud_;
};

TEST_F(RulesBacktestTest, EachMergedChangeIsReviewedAgainstItsFirstParent) {
  const Json json = Answer({});
  EXPECT_EQ(json["changes"], 2);  // what the branch mended itself is no finding
  EXPECT_EQ(json["silent"], 1);
  EXPECT_EQ(json["left_out"].size(), 1u);  // the first commit has no parent
  EXPECT_EQ(json["loud"][0]["commit"], loud_);
  EXPECT_EQ(json["loud"][0]["title"], "two");
  EXPECT_EQ(json["rules"][0]["rule"], "L1");
  EXPECT_EQ(json["rules"][0]["per_100"], 50.0);
}

TEST_F(RulesBacktestTest, RangeAndLastChooseTheCommits) {
  EXPECT_EQ(Answer({"--last", "1"})["changes"], 1);
  EXPECT_EQ(Answer({"--range", loud_ + ".."})["silent"], 1);
  EXPECT_EQ(Answer({"--range", absl::StrCat(first_, "..", loud_)})["loud"][0]["commit"], loud_);
}

TEST_F(RulesBacktestTest, VerdictsAreComparedAndTheRestIsOfferedToBeJudged) {
  files_.Write("judged.jsonl", Judged(loud_, "true") + Judged(std::string(40, 'f'), "false"));
  const Json verdicts = Answer({"--verdicts", (files_.path() / "judged.jsonl").string()})["verdicts"];
  EXPECT_EQ(verdicts["block"]["true"], 1);
  EXPECT_EQ(verdicts["elsewhere"], 1);
  EXPECT_EQ(verdicts["unjudged"], 0);

  const std::string sample = (files_.path() / "sample.jsonl").string();
  EXPECT_EQ(Run({"--sample", sample}).code, 0);
  const Json line = Json::parse(testing::ReadWholeFile(sample));
  EXPECT_EQ(line["commit"], loud_);
  EXPECT_EQ(line["rule"], "L1");
  EXPECT_EQ(line["line"], 3);
  // What nobody has judged yet is no verdict.
  const Result refused = Run({"--verdicts", sample});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("/verdict"));
}

TEST_F(RulesBacktestTest, EveryFindingIsWrittenOnRequest) {
  const std::string findings = (files_.path() / "findings.jsonl").string();
  EXPECT_EQ(Run({"--findings", findings}).code, 0);
  const Json line = Json::parse(testing::ReadWholeFile(findings));
  EXPECT_EQ(line["commit"], loud_);
  EXPECT_EQ(line["rule"], "L1");
  EXPECT_EQ(line["severity"], "block");
}

TEST_F(RulesBacktestTest, TitleAndCommitsComeFromTheHistoryAndTheRestIsNotMeasured) {
  const testing::TempDir packs;
  const auto about = [](const std::string& id, const std::string& file) {
    return absl::StrCat(
        R"({"id": ")", id, R"(", "title": "t", "severity": "MAJOR", "files": [")", file,
        R"("], "each": "line", "where": {"text": {"contains": "bugs"}}, "message": "m", "good": [""], "bad": [""]})");
  };
  packs.Write("p/pack.json", R"({"name": "p", "title": "t"})");
  packs.Write("p/checks/a.json",
              absl::StrCat(R"({"checks": [)", about("T", "@pull/title.txt"), ",", about("C", "@pull/commits/*.txt"),
                           ",", about("D", "@pull/description.md"), "]}"));
  git_.Git("checkout -q -b other");
  git_.Write("more.py", "x = 1\n");
  git_.Commit("mends bugs");
  git_.Git("checkout -q main");
  git_.Git("merge -q --no-ff -m '!7 fix bugs' other");
  const Result result = RunCommandLine({"rules", "backtest", "--quiet", "--pack", "p", "--repo", git_.path().string(),
                                        "--last", "1", "--packs", packs.path().string(), "--json"},
                                       "", {});
  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, Json> rules;
  const Json answer = Json::parse(result.out);
  for (const Json& rule : answer["rules"]) rules[rule["rule"]] = rule;
  EXPECT_EQ(rules["T"]["findings"], 1);
  EXPECT_EQ(rules["C"]["findings"], 1);
  EXPECT_EQ(rules["D"]["ran"], 0);
  EXPECT_TRUE(rules["D"]["per_100"].is_null());
}

TEST_F(RulesBacktestTest, ACandidateShowsWhatItGainsAndLoses) {
  for (const auto& [path, bytes] : testing::ReviewPackFiles()) {
    files_.Write("new/" + path, absl::StrReplaceAll(bytes, {{R"("each": "return")", R"("each": "call")"}}));
  }
  files_.Write("judged.jsonl", Judged(loud_, "true"));
  const Json json = Answer(
      {"--candidate", (files_.path() / "new").string(), "--verdicts", (files_.path() / "judged.jsonl").string()});
  EXPECT_EQ(json["verdicts"]["block"]["true"], 1);
  const Json& candidate = json["candidate"];
  EXPECT_EQ(candidate["silent"], 2);
  EXPECT_EQ(candidate["lost"][0]["rule"], "L1");
  EXPECT_EQ(candidate["gained"].size(), 0u);
  EXPECT_EQ(candidate["verdicts"]["lost"][0]["commit"], loud_);
}

TEST_F(RulesBacktestTest, MistakesAreToldWithAWayOut) {
  EXPECT_THAT(Run({"--range", "main"}).err, HasSubstr("A..B"));
  EXPECT_EQ(Run({"--range", "nowhere.."}).code, 2);
  EXPECT_EQ(Run({"--profile", "nowhere"}).code, 2);
  EXPECT_THAT(Run({"--issues", "x"}).err, HasSubstr("expected one of"));
  EXPECT_THAT(Run({"--candidate", files_.path().string()}).err, HasSubstr("there is no pack"));
}

}  // namespace
}  // namespace yardmaster::cli
