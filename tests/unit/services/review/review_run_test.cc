#include "services/review/review_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

// Files in memory: paths and texts.
ReviewReport RunOver(const std::vector<std::pair<std::string, std::string>>& files, size_t jobs,
                     RunOptions options = {}) {
  std::vector<ReviewInput> inputs;
  inputs.reserve(files.size());
  for (const auto& [path, text] : files) inputs.push_back({path, "", "", false});
  const ReadInput read = [&](size_t index, std::string&) { return std::optional<std::string>(files[index].second); };
  options.jobs = jobs;
  absl::StatusOr<ReviewReport> report = RunReview({testing::ReviewPack()}, inputs, read, options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : ReviewReport();
}

TEST(ReviewRun, MoreFindingsThanARunTellsAreCounted) {
  // Many files that are each read in a moment: none comes near the time that the checks of one file may take.
  std::string returns = "def k():\n";
  for (size_t i = 0; i < 1'000; ++i) returns += "    return 1\n";
  std::vector<std::pair<std::string, std::string>> files;
  for (size_t i = 0; i < 72; ++i) {
    const std::string op = "op" + std::to_string(i);
    files.emplace_back(absl::StrCat(op, "/", op, "_impl.py"), returns);
  }
  const ReviewReport one = RunOver(files, 1);
  ASSERT_EQ(one.findings.size(), kMaxRunFindings + 1);
  EXPECT_EQ(one.findings[0].finding.rule_id, rules::kLimitRule);
  EXPECT_THAT(one.findings[0].finding.message, HasSubstr("22000 more findings were left out"));
  // Threads end in any order; what is told is the same.
  const ReviewReport many = RunOver(files, 4);
  ASSERT_EQ(many.findings.size(), one.findings.size());
  for (size_t i = 0; i < one.findings.size(); ++i) {
    ASSERT_EQ(many.findings[i].finding, one.findings[i].finding) << i;
  }
}

TEST(ReviewRun, TextsOfASetAreBounded) {
  std::vector<std::pair<std::string, std::string>> files;
  for (size_t i = 0; i < 34; ++i) {
    files.emplace_back("a/a_module" + std::to_string(i) + "_impl.py", "#" + std::string(2'097'151, 'x'));
  }
  const ReviewReport report = RunOver(files, 1);
  size_t told = 0;
  for (const ReportedFinding& reported : report.findings) {
    if (reported.finding.rule_id != rules::kLimitRule) continue;
    EXPECT_THAT(reported.finding.message, HasSubstr("more than 64 MiB"));
    ++told;
  }
  EXPECT_EQ(told, 2U);
}

TEST(ReviewRun, TheStageIsThatOfEachOperatorsStateFile) {
  const auto rules_at = [](const std::string& state, bool stage_of_state) {
    RunOptions options;
    options.stage_of_state = stage_of_state;
    std::vector<std::string> found;
    for (const ReportedFinding& reported :
         RunOver({{"a/a_impl.py", "print(1)\ninput()\n"}, {"a/state.json", state}}, 1, options).findings) {
      found.push_back(reported.finding.rule_id);
    }
    return found;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(rules_at(R"({"stage": 5})", true), ElementsAre("L2"));
  EXPECT_THAT(rules_at(R"({"stage": 6})", true), ElementsAre("L5"));
  EXPECT_THAT(rules_at(R"({"stage": 6})", false), ElementsAre("L2", "L5"));
  // A stage that no check knows would leave everything out.
  EXPECT_THAT(rules_at(R"({"stage": 99})", true), ElementsAre("L2", "L5"));
  EXPECT_THAT(rules_at("no JSON", true), ::testing::IsSupersetOf({"L2", "L5"}));
}

TEST(ReviewRun, ADocumentOnItsOwnIsNoOperatorUnlessItIsAskedFor) {
  const std::vector<std::pair<std::string, std::string>> files = {{"docs/SPEC.md", "# s\n"}};
  const ReviewReport all = RunOver(files, 1);
  ASSERT_EQ(all.skipped.size(), 1U);
  EXPECT_EQ(all.skipped.front().path, "docs/SPEC.md");
  EXPECT_THAT(all.skipped.front().reason, HasSubstr("no operator"));
  EXPECT_THAT(RunOver({{"@pull/title.txt", "t\n"}}, 1).skipped, ::testing::IsEmpty()) << "it is no file of the project";
  RunOptions one_file;
  one_file.options["partial"] = "yes";
  for (const rules::SkippedCheck& skipped : RunOver(files, 1, one_file).skipped) {
    EXPECT_THAT(skipped.reason, ::testing::Not(HasSubstr("no operator")));
  }
}

}  // namespace
}  // namespace yardmaster
