#include "services/review/pull_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/limits.h"
#include "tests/support/fake_subject_view.h"
#include "tests/support/tiny_pack.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

rules::Finding FindingAt(const std::string& path, uint32_t line, rules::Severity severity, const std::string& message) {
  rules::Finding finding;
  finding.rule_id = "R1";
  finding.path = path;
  finding.line = finding.end_line = line;
  finding.severity = severity;
  finding.message = message;
  return finding;
}

TEST(PullPlanner, ChangedLinesAreThoseThatAPatchAdds) {
  EXPECT_EQ(
      ChangedLines(
          "@@ -1,3 +1,4 @@ def f():\n a\n-b\n+B\n+c\n d\n@@ -10 +11,2 @@\n-x\n+y\n+z\n\\ No newline at end of file"),
      (std::set<uint32_t>{2, 3, 11, 12}));
  EXPECT_TRUE(ChangedLines("").empty());
  EXPECT_TRUE(ChangedLines("@@ broken\n+x").empty());
  EXPECT_TRUE(ChangedLines("+++ no hunk").empty());
}

TEST(PullPlanner, FindingsOnChangedLinesComeFirstAndTheWorstOfThem) {
  ReviewReport report;
  report.files = 2;
  report.findings.push_back({FindingAt("a.py", 1, rules::Severity::kBlock, "was there before")});
  report.findings.push_back({FindingAt("a.py", 5, rules::Severity::kMinor, "small and new")});
  report.findings.push_back({FindingAt("b.py", 7, rules::Severity::kMajor, "of unknown lines")});
  PullReviewText about;
  about.head = "0123456789abcdef";
  about.changed["a.py"] = {5};
  const std::string text = PullReviewComment(report, about);
  const size_t major = text.find("of unknown lines");
  const size_t minor = text.find("small and new");
  const size_t old = text.find("was there before");
  EXPECT_LT(major, minor);
  EXPECT_LT(minor, old);
  EXPECT_THAT(text, HasSubstr("On changed lines: 2"));
  EXPECT_THAT(text, HasSubstr("0123456789ab"));
  EXPECT_EQ(PullReviewCounts(report), "2 files, 1 block, 1 major, 1 minor");
}

TEST(PullPlanner, TextsFromOutsideDoNothing) {
  ReviewReport report;
  report.findings.push_back(
      {FindingAt("<b>|`@a.py", 1, rules::Severity::kInfo, "see @maria and #12 | [x](http://y)\n<img>")});
  const std::string text = PullReviewComment(report, {});
  EXPECT_THAT(text, Not(HasSubstr("@maria")));
  EXPECT_THAT(text, Not(HasSubstr("#12")));
  EXPECT_THAT(text, Not(HasSubstr("<img>")));
  EXPECT_THAT(text, Not(HasSubstr("[x](")));
}

TEST(PullPlanner, WhatIsNotShownIsCounted) {
  ReviewReport report;
  for (uint32_t i = 1; i <= kMaxPullFindingsShown + 3; ++i) {
    report.findings.push_back({FindingAt("a.py", i, rules::Severity::kInfo, "x")});
  }
  report.skipped.push_back({"*", "big.py", "too large"});
  const std::string text = PullReviewComment(report, {});
  EXPECT_THAT(text, HasSubstr("Only the first " + std::to_string(kMaxPullFindingsShown) + " of " +
                              std::to_string(kMaxPullFindingsShown + 3)));
  EXPECT_THAT(text, HasSubstr("big.py"));
  EXPECT_THAT(PullReviewComment({}, {}), HasSubstr("No findings"));
}

// A person asks for a review of what `view` shows.
struct Asked {
  explicit Asked(testing::FakeSubjectView& view)
      : input{.event = event,
              .trigger = Trigger::kManual,
              .snapshot = snapshot,
              .open = true,
              .pack = testing::CompileTinyPack(),
              .mode = v1::MODE_APPLY,
              .choice = choice,
              .now = absl::ToChronoTime(absl::FromCivil(absl::CivilDay(2026, 5, 1), absl::UTCTimeZone())),
              .view = view} {}

  v1::Event event;
  v1::IssueSnapshot snapshot;
  RepositoryChoice choice;
  PlanInput input;
};

TEST(PullPlanner, OnlyPythonThatIsThereIsReadAndTheRestIsTold) {
  testing::FakeSubjectView view;
  view.pull.head_sha = "abc";
  view.pull.head_repository = "fork/repo";
  for (const auto& [path, status] : std::map<std::string, ForgeFileStatus>{{"a.py", ForgeFileStatus::kAdded},
                                                                           {"b.py", ForgeFileStatus::kRemoved},
                                                                           {"c.md", ForgeFileStatus::kModified},
                                                                           {"d.py", ForgeFileStatus::kModified},
                                                                           {"e.py", ForgeFileStatus::kModified}}) {
    ForgePullFile file;
    file.path = path;
    file.status = status;
    view.changed.files.push_back(file);
  }
  view.changed.complete = false;
  view.files[":a.py@abc"] = "x = 1\n";
  view.files["fork/repo:d.py@abc"] = "y = 1\n";
  const Config config;
  const PullReviewPlanner planner(config, [] { return std::make_shared<const PackSet>(PackSet::Packs()); });
  const Asked asked(view);
  v1::Plan plan;
  ASSERT_TRUE(planner.Plan(asked.input, plan).ok());
  EXPECT_EQ(view.read, (std::vector<std::string>{":a.py@abc", ":d.py@abc", "fork/repo:d.py@abc", ":e.py@abc",
                                                 "fork/repo:e.py@abc"}));
  ASSERT_EQ(plan.actions_size(), 1);
  const std::string& body = plan.actions(0).answer_comment().body();
  EXPECT_THAT(body, HasSubstr("e.py: it is not there"));
  EXPECT_THAT(body, HasSubstr("does not show all files"));
  EXPECT_THAT(body, HasSubstr("no checks of code"));
}

TEST(PullPlanner, DetailedShowsAllFindingsAndWhatTheirRulesAreAbout) {
  rules::PackFiles files = testing::ReviewPackFiles();
  std::string& checks = files["lantern/checks/checks.json"];
  const std::string id = R"("id": "L1", )";
  ASSERT_NE(checks.find(id), std::string::npos);
  checks.insert(checks.find(id) + id.size(), R"("description": "Kernels write through @pointers.", )");
  Problems problems;
  const std::shared_ptr<const rules::CheckSet> set = rules::LoadChecks(files, "lantern", problems);
  ASSERT_NE(set, nullptr) << problems.at(0).ToString();
  ReviewReport report;
  for (uint32_t i = 1; i <= kMaxPullFindingsShown + 3; ++i) {
    rules::Finding finding = FindingAt("a_impl.py", i, rules::Severity::kBlock, "`k` returns");
    finding.rule_id = "L1";
    finding.pack = "lantern";
    finding.fix = "Drop it.";
    report.findings.push_back({finding});
  }
  PullReviewText about;
  about.packs = {set};
  const std::string brief = PullReviewComment(report, about);
  EXPECT_THAT(brief, HasSubstr("Only the first"));
  EXPECT_THAT(brief, Not(HasSubstr("Kernels write")));
  about.detailed = true;
  const std::string text = PullReviewComment(report, about);
  EXPECT_THAT(text, Not(HasSubstr("Only the first")));
  EXPECT_THAT(text, HasSubstr("a\\_impl.py:" + std::to_string(kMaxPullFindingsShown + 3)));
  EXPECT_THAT(text, HasSubstr("no return — Kernels write through"));
  EXPECT_THAT(text, Not(HasSubstr("@pointers"))) << "nobody is called";
  EXPECT_THAT(text, HasSubstr("Hint: Drop it."));
  EXPECT_EQ(text.find("Kernels write"), text.rfind("Kernels write")) << "each rule once";
}

TEST(PullPlanner, DetailedStaysWithinAComment) {
  ReviewReport report;
  for (uint32_t i = 1; i <= 5'000; ++i) {
    report.findings.push_back({FindingAt("a.py", i, rules::Severity::kInfo, std::string(200, 'x'))});
  }
  PullReviewText about;
  about.detailed = true;
  const std::string text = PullReviewComment(report, about);
  EXPECT_LT(text.size(), 60'000U);
  EXPECT_THAT(text, HasSubstr("of 5000 findings are shown"));
}

// The review's comment under the packs of `config`, of which "lantern" finds something.
std::string CommentUnder(const Config& config, const std::vector<std::string>& chosen, const std::string& asked) {
  Problems problems;
  PackSet::Checks checks;
  checks["lantern"] = rules::LoadChecks(testing::ReviewPackFiles(), "lantern", problems);
  EXPECT_NE(checks["lantern"], nullptr);
  const PullReviewPlanner planner(config, [&] { return std::make_shared<const PackSet>(PackSet::Packs(), checks); });
  testing::FakeSubjectView view;
  view.pull.head_sha = "abc";
  view.changed.files.emplace_back().path = "demo_impl.py";
  view.files[":demo_impl.py@abc"] = "def k():\n    return 1\n";
  Asked request(view);
  request.snapshot.mutable_subject()->set_forge("github");
  request.snapshot.mutable_subject()->set_repository("octo/repo");
  request.choice.packs = chosen;
  request.input.asked.pack = asked;
  v1::Plan plan;
  EXPECT_TRUE(planner.Plan(request.input, plan).ok());
  return plan.actions_size() == 1 ? plan.actions(0).answer_comment().body() : "";
}

TEST(PullPlanner, ReviewsUnderThePackThatIsAskedForElseUnderThoseOfTheRepository) {
  Config config;
  RepositoryConfig& repository = config.repositories.emplace_back();
  repository.forge = "github";
  repository.repository = "octo/*";
  repository.packs = {"tiny"};
  EXPECT_THAT(CommentUnder(config, {}, ""), HasSubstr("no checks of code"));
  EXPECT_THAT(CommentUnder(config, {}, "lantern"), HasSubstr("\\`k\\` returns"));
  EXPECT_THAT(CommentUnder(config, {"lantern"}, ""), HasSubstr("\\`k\\` returns")) << "its own file chooses";
  EXPECT_THAT(CommentUnder(config, {"lantern"}, "tiny"), HasSubstr("no checks of code"));
  repository.packs = {"tiny", "lantern"};
  EXPECT_THAT(CommentUnder(config, {}, ""), HasSubstr("\\`k\\` returns"));
}

}  // namespace
}  // namespace yardmaster
