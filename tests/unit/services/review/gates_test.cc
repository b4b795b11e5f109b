#include "services/review/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "services/review/review_run.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GatesTest : public ::testing::Test {
 protected:
  // Files by path; those in `context` are not judged.
  void SetFiles(const std::vector<std::pair<std::string, std::string>>& files) {
    inputs_.clear();
    texts_.clear();
    for (const auto& [path, text] : files) {
      inputs_.push_back({path, "", "", false});
      texts_.push_back(text);
    }
  }
  ReadInput Reader() const {
    return [this](size_t index, std::string&) -> std::optional<std::string> { return texts_[index]; };
  }
  ReviewReport Run(const RunOptions& options) const {
    absl::StatusOr<ReviewReport> report = RunReview(packs_, inputs_, Reader(), options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *std::move(report) : ReviewReport();
  }
  ReviewReport Gate(const std::string& gate) {
    GateRequest request;
    request.gate = gate;
    absl::StatusOr<ReviewReport> report = RunGate(packs_, inputs_, Reader(), request, state_);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *std::move(report) : ReviewReport();
  }
  static std::vector<std::string> Told(const ReviewReport& report) {
    std::vector<std::string> told;
    for (const ReportedFinding& reported : report.findings)
      told.push_back(reported.finding.rule_id + " " + reported.finding.path + ":" +
                     std::to_string(reported.finding.line));
    return told;
  }

  const std::vector<std::shared_ptr<const rules::CheckSet>> packs_ = {testing::ReviewPack()};
  std::vector<ReviewInput> inputs_;
  std::vector<std::string> texts_;
  OperatorState state_;
};

const std::string kOperator = "def k():\n    return 1\n";

TEST_F(GatesTest, AReviewNamesFilesAsTheyWereNamed) {
  SetFiles({{"c/demo/demo_impl.py", kOperator}, {"c/b/b_impl.py", "print(1)\n"}});
  EXPECT_THAT(Told(Run({})), ElementsAre("L2 c/b/b_impl.py:1", "L1 c/demo/demo_impl.py:2"));
}

TEST_F(GatesTest, ThreadsChangeNothing) {
  std::vector<std::pair<std::string, std::string>> files;
  files.reserve(200);
  for (int i = 0; i < 200; ++i) files.emplace_back("c/o" + std::to_string(i) + "/o_impl.py", kOperator);
  SetFiles(files);
  RunOptions one;
  RunOptions four;
  four.jobs = 4;
  EXPECT_EQ(Told(Run(one)), Told(Run(four)));
  EXPECT_THAT(Told(Run(four)), SizeIs(200));
}

TEST_F(GatesTest, StageProfileMomentAndRulesNarrowWhatRuns) {
  SetFiles({{"demo_impl.py", "def k():\n    print(1)\n    return 1\n"}});
  RunOptions options;
  options.stage = 4;
  EXPECT_THAT(Told(Run(options)), ElementsAre("L1 demo_impl.py:3"));
  options = {};
  options.profile = "strict";
  EXPECT_THAT(Told(Run(options)), SizeIs(3));
  options = {};
  options.moment = "phase";
  EXPECT_THAT(Told(Run(options)), ElementsAre("L1 demo_impl.py:3"));
  options = {};
  options.only = {"L2"};
  EXPECT_THAT(Told(Run(options)), ElementsAre("L2 demo_impl.py:2"));
}

TEST_F(GatesTest, AGivenRoleMakesAnyFileThatOfItsStem) {
  inputs_ = {{"x/kernel.py", "impl", "", false}, {"x/kernel_golden.py", "", "", true}};
  texts_ = {kOperator, "def other(): pass\n"};
  EXPECT_THAT(Told(Run({})), ElementsAre("L3 x/kernel.py:0", "L1 x/kernel.py:2"));
}

TEST_F(GatesTest, AFileForContextIsNotFoundFaultWith) {
  inputs_ = {{"x/demo_impl.py", "", "", true}, {"x/demo_golden.py", "", "", false}};
  texts_ = {kOperator, "def other(): pass\n"};
  EXPECT_THAT(Told(Run({})), IsEmpty());
}

TEST_F(GatesTest, UnknownNamesAreErrorsThatListTheKnownOnes) {
  SetFiles({{"demo_impl.py", ""}});
  RunOptions options;
  options.profile = "lax";
  EXPECT_THAT(std::string(RunReview(packs_, inputs_, Reader(), options).status().message()),
              HasSubstr("relaxed, strict"));
  options = {};
  options.moment = "never";
  EXPECT_THAT(std::string(RunReview(packs_, inputs_, Reader(), options).status().message()), HasSubstr("pre-edit"));
  inputs_[0].role = "queen";
  EXPECT_THAT(std::string(RunReview(packs_, inputs_, Reader(), {}).status().message()), HasSubstr("golden"));
}

TEST_F(GatesTest, AFileThatCantBeReadIsToldAsSkipped) {
  inputs_ = {{"demo_impl.py", "", "", false}};
  const absl::StatusOr<ReviewReport> report = RunReview(packs_, inputs_,
                                                        [](size_t, std::string& error) -> std::optional<std::string> {
                                                          error = "no permission";
                                                          return std::nullopt;
                                                        },
                                                        {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->files, 0u);
  ASSERT_THAT(report->skipped, ::testing::Contains(::testing::Field(&rules::SkippedCheck::reason, "no permission")));
}

TEST_F(GatesTest, ARuleIsOnTheListOnceSomePartOfItWasJudged) {
  Problems problems;
  const auto checks = rules::LoadChecks({{"p/pack.json", R"({"name": "p", "title": "t"})"}, {"p/checks/a.json", R"JSON({
      "roles": [{"role": "golden", "path": ".*_golden\\.py", "example": "x_golden.py"}],
      "moments": [{"id": "phase", "title": "ph"}],
      "checks": [
        {"id": "R1", "title": "both", "severity": "S0", "each": "call", "message": "m", "good": [""], "bad": ["f()"]},
        {"id": "R1.golden", "title": "both", "severity": "S0", "each": "call", "needs": ["golden"], "message": "m",
         "good": [{"files": {"x.py": "", "x_golden.py": ""}}], "bad": [{"files": {"x.py": "f()", "x_golden.py": ""}}]},
        {"id": "R2", "title": "golden", "severity": "S0", "each": "call", "needs": ["golden"], "message": "m",
         "good": [{"files": {"x.py": "", "x_golden.py": ""}}], "bad": [{"files": {"x.py": "f()", "x_golden.py": ""}}]}]})JSON"}},
                                        "p", problems);
  ASSERT_NE(checks, nullptr) << problems.front().ToString();
  SetFiles({{"x.py", "y = 1\n"}});
  GateRequest request;
  request.gate = "phase";
  const absl::StatusOr<ReviewReport> report = RunGate({checks}, inputs_, Reader(), request, state_);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->checklist, SizeIs(1));
  EXPECT_EQ(report->checklist[0].rule_id, "R1");
  EXPECT_EQ(report->checklist[0].passed, true);
}

TEST_F(GatesTest, AGateIsOpenWhereNothingBlocksAndSaysWhatPassed) {
  SetFiles({{"demo_impl.py", "def k(): pass\n"}, {"demo_golden.py", "def demo_golden(): pass\n"}});
  const ReviewReport report = Gate("phase");
  EXPECT_TRUE(report.gate->open);
  EXPECT_THAT(report.findings, IsEmpty());
  std::map<std::string, bool> passed;
  for (const ChecklistItem& item : report.checklist) passed[item.rule_id] = item.passed.value_or(false);
  EXPECT_EQ(passed, (std::map<std::string, bool>{{"L1", true}, {"L3", true}}));
}

TEST_F(GatesTest, AGateIsClosedByABlockingFinding) {
  SetFiles({{"demo_impl.py", kOperator}});
  const ReviewReport report = Gate("phase");
  EXPECT_FALSE(report.gate->open);
  EXPECT_THAT(Told(report), ElementsAre("L1 demo_impl.py:2"));
}

TEST_F(GatesTest, AGateThatHasNothingToJudgeStaysClosed) {
  SetFiles({});
  EXPECT_FALSE(Gate("phase").gate->open);
  SetFiles({{"DESIGN.md", "#"}});
  state_ = {};
  const ReviewReport report = Gate("stage");
  for (const ReportedFinding& reported : report.findings) EXPECT_EQ(reported.finding.rule_id, kGateRule);
}

TEST_F(GatesTest, TheStageComesFromTheStateFile) {
  SetFiles({{"demo_impl.py", "print(1)\n"}, {"state.json", R"({"stage": 4})"}});
  EXPECT_EQ(Gate("stage").gate->stage, 4);
  EXPECT_THAT(Told(Gate("stage")), IsEmpty());
  SetFiles({{"demo_impl.py", "print(1)\n"}, {"state.json", R"({"stage": 5})"}});
  EXPECT_THAT(Told(Gate("stage")), ElementsAre("L2 demo_impl.py:1"));
  SetFiles({{"demo_impl.py", "print(1)\n"}, {"state.json", "{"}});
  EXPECT_EQ(Gate("stage").gate->stage, std::nullopt);
}

TEST_F(GatesTest, AFrozenFileThatChangedClosesTheGate) {
  SetFiles({{"demo_impl.py", ""}, {"SPEC.md", "# one"}, {"state.json", R"({"stage": 2})"}});
  EXPECT_TRUE(Gate("phase").gate->open);
  ASSERT_THAT(state_.frozen, SizeIs(1));
  texts_[1] = "# two";
  const ReviewReport report = Gate("phase");
  EXPECT_FALSE(report.gate->open);
  EXPECT_THAT(Told(report), ElementsAre("G3 SPEC.md:0"));
  texts_[1] = "# one";
  EXPECT_TRUE(Gate("phase").gate->open);
}

}  // namespace
}  // namespace yardmaster
