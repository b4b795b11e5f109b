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

// A pull request as a planner sees it.
class FakeView final : public SubjectView {
 public:
  std::string_view forge() const override { return "github"; }
  absl::StatusOr<ForgeAccess> Access(std::string_view) override { return ForgeAccess{}; }
  absl::StatusOr<bool> IsTeamMember(std::string_view, std::string_view, std::string_view) override { return false; }
  absl::StatusOr<std::optional<std::string>> File(std::string_view repository, std::string_view path,
                                                  std::string_view ref) override {
    read.push_back(std::string(repository) + ":" + std::string(path) + "@" + std::string(ref));
    const auto it = texts.find(std::string(repository) + ":" + std::string(path));
    if (it == texts.end()) return std::optional<std::string>();
    return std::optional<std::string>(it->second);
  }
  absl::StatusOr<std::optional<std::string>> RecentFile(std::string_view repository, std::string_view path,
                                                        std::string_view ref) override {
    return File(repository, path, ref);
  }
  absl::StatusOr<const ForgePull*> Pull() override { return &pull; }
  absl::StatusOr<const ForgePullFileList*> PullFiles() override { return &files; }
  absl::StatusOr<std::optional<v1::Plan>> LatestDecision() override { return std::optional<v1::Plan>(); }
  absl::StatusOr<AskedPlan> Ask(std::string_view, const AskOptions&) override { return AskedPlan(); }
  std::string Digest() const override { return {}; }

  ForgePull pull;
  ForgePullFileList files;
  std::map<std::string, std::string> texts;
  std::vector<std::string> read;
};

// A person asks for a review of what `view` shows.
struct Asked {
  explicit Asked(FakeView& view)
      : input{.event = event,
              .trigger = Trigger::kAsked,
              .snapshot = snapshot,
              .open = true,
              .pack = testing::CompileTinyPack(),
              .mode = v1::MODE_APPLY,
              .our_labels = {},
              .view = &view} {}

  v1::Event event;
  v1::IssueSnapshot snapshot;
  PlanInput input;
};

TEST(PullPlanner, OnlyPythonThatIsThereIsReadAndTheRestIsTold) {
  FakeView view;
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
    view.files.files.push_back(file);
  }
  view.files.complete = false;
  view.texts[":a.py"] = "x = 1\n";
  view.texts["fork/repo:d.py"] = "y = 1\n";
  const PullReviewPlanner planner([](const v1::Subject&, SubjectView&, std::string_view) { return ReviewScope(); });
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

TEST(PullPlanner, WhoAsksSaysUnderWhichPackAndHowMuch) {
  FakeView view;
  view.pull.head_sha = "abc";
  std::string asked = "nobody asked";
  const PullReviewPlanner planner([&](const v1::Subject&, SubjectView&, std::string_view pack) {
    asked = pack;
    return ReviewScope();
  });
  Asked request(view);
  v1::Plan plan;
  ASSERT_TRUE(planner.Plan(request.input, plan).ok());
  EXPECT_EQ(asked, "");
  request.input.asked.pack = "lantern";
  plan.Clear();
  ASSERT_TRUE(planner.Plan(request.input, plan).ok());
  EXPECT_EQ(asked, "lantern");
}

}  // namespace
}  // namespace yardmaster
