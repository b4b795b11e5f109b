#include "services/review/publish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/core/readable.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kHead = "0123456789abcdef0123456789abcdef01234567";

v1::ReviewFinding& Add(v1::Review& review, v1::FindingChange change, v1::FindingSeverity severity,
                       const std::string& path, uint32_t line, const std::string& message) {
  v1::ReviewFinding& finding = *review.add_findings();
  finding.set_rule_id("OL48");
  finding.set_change(change);
  finding.set_severity(severity);
  finding.set_path(path);
  finding.set_line(line);
  finding.set_end_line(line);
  finding.set_message(message);
  finding.set_fingerprint("f" + std::to_string(review.findings_size()));
  return finding;
}
v1::ReviewFinding& AddNew(v1::Review& review, v1::FindingSeverity severity, const std::string& path = "a.py",
                          uint32_t line = 3, const std::string& message = "bad") {
  return Add(review, v1::FINDING_CHANGE_NEW, severity, path, line, message);
}

v1::Review Clean() {
  v1::Review review;
  review.set_head(kHead);
  review.set_merge_base("fedcba9876543210fedcba9876543210fedcba98");
  review.add_packs("pypto (handwritten)");
  review.set_complete(true);
  review.set_files(3);
  return review;
}

v1::ReportCheck CheckOf(const v1::Review& review, bool gate_blocks = false) {
  const PublishSettings settings{.check = true, .comment = false, .inline_comments = false, .gate_blocks = gate_blocks};
  const auto actions = PlanPublication(review, settings, {});
  return actions.size() == 1 ? actions[0].report_check() : v1::ReportCheck();
}
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// --- The check ---

TEST(PlanPublication, ConclusionFollowsTheGateAndNeverPassesWhatWasNotSeen) {
  using Check = v1::ReportCheck;
  EXPECT_EQ(CheckOf(Clean()).conclusion(), Check::CONCLUSION_SUCCESS);
  EXPECT_EQ(CheckOf(Clean(), true).conclusion(), Check::CONCLUSION_SUCCESS);
  v1::Review unseen = Clean();
  unseen.set_complete(false);
  EXPECT_EQ(CheckOf(unseen, true).conclusion(), Check::CONCLUSION_NEUTRAL);
  EXPECT_THAT(CheckOf(unseen).title(), HasSubstr("not everything could be looked at"));
  v1::Review major = Clean();
  AddNew(major, v1::FINDING_SEVERITY_MAJOR);
  EXPECT_EQ(CheckOf(major, true).conclusion(), Check::CONCLUSION_NEUTRAL);
  v1::Review block = Clean();
  AddNew(block, v1::FINDING_SEVERITY_BLOCK);
  EXPECT_EQ(CheckOf(block, true).conclusion(), Check::CONCLUSION_FAILURE);
  EXPECT_EQ(CheckOf(block, false).conclusion(), Check::CONCLUSION_NEUTRAL);
  v1::Review old = Clean();
  Add(old, v1::FINDING_CHANGE_STILL, v1::FINDING_SEVERITY_BLOCK, "a.py", 1, "was there before");
  EXPECT_EQ(CheckOf(old, true).conclusion(), Check::CONCLUSION_SUCCESS);
  v1::Review fixed = Clean();
  Add(fixed, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_BLOCK, "a.py", 1, "is gone");
  EXPECT_EQ(CheckOf(fixed, true).conclusion(), Check::CONCLUSION_SUCCESS);
}

TEST(PlanPublication, AnnotationsAreTheNewFindingsTheWorstFirst) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_INFO, "a.py", 1, "info");
  AddNew(review, v1::FINDING_SEVERITY_MINOR, "a.py", 2, "minor");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "b.py", 4, "block").set_fix_hint("Mend it.");
  AddNew(review, v1::FINDING_SEVERITY_MAJOR, "b.py", 0, "whole file");
  Add(review, v1::FINDING_CHANGE_STILL, v1::FINDING_SEVERITY_BLOCK, "c.py", 1, "old");
  Add(review, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_BLOCK, "c.py", 1, "gone");
  const v1::ReportCheck check = CheckOf(review);
  EXPECT_EQ(check.head(), kHead);
  EXPECT_EQ(check.name(), "yardmaster/review");
  EXPECT_EQ(check.title(), "4 new, 1 still, 1 fixed");
  ASSERT_THAT(check.annotations(), SizeIs(4));
  EXPECT_EQ(check.annotations(0).message(), "block\n\nMend it.");
  EXPECT_EQ(check.annotations(0).title(), "OL48");
  EXPECT_EQ(check.annotations(0).level(), v1::CheckAnnotation::LEVEL_FAILURE);
  EXPECT_EQ(check.annotations(1).level(), v1::CheckAnnotation::LEVEL_WARNING);
  EXPECT_EQ(check.annotations(1).line(), 1U) << "a whole file is annotated at its first line";
  EXPECT_EQ(check.annotations(1).end_line(), 1U);
  EXPECT_EQ(check.annotations(2).level(), v1::CheckAnnotation::LEVEL_NOTICE);
  EXPECT_EQ(check.annotations(3).message(), "info");
}

TEST(PlanPublication, FindingsAboutNoFileAreToldInTheSummary) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "", 0, "the title is empty");
  const v1::ReportCheck check = CheckOf(review, true);
  EXPECT_THAT(check.annotations(), IsEmpty());
  EXPECT_EQ(check.conclusion(), v1::ReportCheck::CONCLUSION_FAILURE);
  EXPECT_THAT(check.summary(), HasSubstr("the title is empty"));
}

TEST(PlanPublication, ColumnsStandOnlyWhereAFindingHasOneLine) {
  v1::Review review = Clean();
  v1::ReviewFinding& one = AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 3);
  one.set_column(5);
  one.set_end_column(9);
  v1::ReviewFinding& many = AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 7);
  many.set_end_line(8);
  many.set_column(5);
  many.set_end_column(9);
  const v1::ReportCheck check = CheckOf(review);
  EXPECT_EQ(check.annotations(0).column(), 5U);
  EXPECT_EQ(check.annotations(0).end_column(), 9U);
  EXPECT_EQ(check.annotations(1).column(), 0U);
  EXPECT_EQ(check.annotations(1).end_column(), 0U);
  EXPECT_EQ(check.annotations(1).end_line(), 8U);
}

TEST(PlanPublication, TextsOfAnnotationsAreCutBetweenCharacters) {
  v1::Review review = Clean();
  std::string text;
  while (text.size() < 70'000) text += "字";
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 3, text).set_rule_id(text);
  const v1::ReportCheck check = CheckOf(review);
  EXPECT_LE(check.annotations(0).message().size(), 65'535U);
  EXPECT_TRUE(IsValidUtf8(check.annotations(0).message()));
  EXPECT_EQ(check.annotations(0).title().size(), 255U);
  EXPECT_TRUE(IsValidUtf8(check.annotations(0).title()));
}

TEST(PlanPublication, WhatIsNotAnnotatedIsTold) {
  v1::Review review = Clean();
  for (int i = 0; i < 40; ++i) {
    AddNew(review, v1::FINDING_SEVERITY_INFO, "a.py", 1, std::string(60'000, 'x'));
  }
  const v1::ReportCheck check = CheckOf(review);
  EXPECT_LT(check.annotations_size(), 40);
  EXPECT_THAT(check.summary(),
              HasSubstr("Only " + std::to_string(check.annotations_size()) + " of 40 new findings are annotated."));
  EXPECT_LT(check.ByteSizeLong(), size_t{4} * 1024 * 1024) << "the ledger takes it";
  EXPECT_LE(check.summary().size(), 65'000U);
}

TEST(PlanPublication, CheckBeginsAndEndsWithoutAReview) {
  const v1::Action begin = BeginReviewCheck(kHead, 2);
  EXPECT_EQ(begin.report_check().conclusion(), v1::ReportCheck::CONCLUSION_UNSPECIFIED);
  EXPECT_EQ(begin.report_check().attempt(), 2);
  const v1::Action end = EndReviewCheck(kHead, 2, v1::ReportCheck::CONCLUSION_CANCELLED, "Another push came");
  EXPECT_EQ(end.report_check().conclusion(), v1::ReportCheck::CONCLUSION_CANCELLED);
  EXPECT_EQ(end.report_check().title(), "Another push came");
  EXPECT_EQ(end.report_check().name(), begin.report_check().name());
}

// --- What is published at all ---

TEST(PlanPublication, SettingsChooseWhatIsPublished) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 3);
  Add(review, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_MAJOR, "a.py", 1, "gone");
  PublishFacts facts;
  facts.diff_lines["a.py"] = {3};
  const auto all = PlanPublication(review, {}, facts);
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_TRUE(all[0].has_report_check());
  EXPECT_EQ(all[1].answer_comment().name(), "review");
  EXPECT_TRUE(all[2].has_review_comments());
  EXPECT_TRUE(all[3].has_resolve_review_comments());
  EXPECT_THAT(PlanPublication(review, {.check = false, .comment = false, .inline_comments = false}, facts), IsEmpty());
  EXPECT_THAT(PlanPublication(Clean(), {.check = false, .comment = false}, facts), IsEmpty()) << "nothing at lines";
}

// --- Comments at lines ---

TEST(PlanPublication, CommentsStandAtLinesOfTheDiffTheWorstFirst) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_MAJOR, "a.py", 3, "major");
  AddNew(review, v1::FINDING_SEVERITY_MINOR, "a.py", 3, "too small");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 9, "outside of the diff");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "b.py", 1, "a file that the diff lacks");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 0, "the whole file");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 4, "reaches into it").set_end_line(6);
  Add(review, v1::FINDING_CHANGE_STILL, v1::FINDING_SEVERITY_BLOCK, "a.py", 3, "old");
  PublishFacts facts;
  facts.diff_lines["a.py"] = {3, 5, 6};
  const auto actions = PlanPublication(review, {.check = false, .comment = false}, facts);
  ASSERT_THAT(actions, SizeIs(1));
  const v1::ReviewComments& comments = actions[0].review_comments();
  EXPECT_EQ(comments.head(), kHead);
  ASSERT_THAT(comments.comments(), SizeIs(2));
  EXPECT_THAT(comments.comments(0).body(), StartsWith("**block** OL48: reaches into it"));
  EXPECT_EQ(comments.comments(0).line(), 5U);
  EXPECT_EQ(comments.comments(0).key(), InlineCommentKey(review.findings(5)));
  EXPECT_THAT(comments.comments(0).key(), SizeIs(16));
  EXPECT_EQ(comments.comments(1).line(), 3U);
}

TEST(PlanPublication, CommentsAtLinesHaveALimit) {
  v1::Review review = Clean();
  PublishFacts facts;
  for (uint32_t line = 1; line <= 30; ++line) {
    AddNew(review, v1::FINDING_SEVERITY_MAJOR, "a.py", line);
    facts.diff_lines["a.py"].insert(line);
  }
  const auto actions = PlanPublication(review, {.check = false, .comment = false, .max_inline = 20}, facts);
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_THAT(actions[0].review_comments().comments(), SizeIs(20));
  EXPECT_THAT(PlanPublication(review, {.check = false, .comment = false, .max_inline = 0}, facts), IsEmpty());
}

TEST(PlanPublication, SettledFindingsAreAnswered) {
  v1::Review review = Clean();
  const v1::ReviewFinding gone = Add(review, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_MAJOR, "a.py", 1, "gone");
  Add(review, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_INFO, "a.py", 1, "never had a comment");
  const auto actions = PlanPublication(review, {.check = false, .comment = false}, {});
  ASSERT_THAT(actions, SizeIs(1));
  EXPECT_THAT(actions[0].resolve_review_comments().keys(), ElementsAre(InlineCommentKey(gone)));
  EXPECT_EQ(actions[0].resolve_review_comments().body(), std::string("Fixed in ") + kHead + ".");
}

// --- The summary ---

TEST(ReviewComment, FirstLineHasTheCounts) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_INFO);
  AddNew(review, v1::FINDING_SEVERITY_BLOCK);
  Add(review, v1::FINDING_CHANGE_STILL, v1::FINDING_SEVERITY_BLOCK, "a.py", 3, "old");
  EXPECT_EQ(FirstLine(ReviewComment(review, {})), "### Review of `0123456789ab`: 2 new, 1 still, 0 fixed");
  review.set_complete(false);
  EXPECT_EQ(FirstLine(ReviewComment(review, {})),
            "### Review of `0123456789ab`: 2 new, 1 still, 0 fixed (not everything could be looked at)");
  EXPECT_THAT(ReviewComment(Clean(), {}), HasSubstr("No findings."));
}

TEST(ReviewComment, NewComesFirstThenFixedThenWhatStands) {
  v1::Review review = Clean();
  Add(review, v1::FINDING_CHANGE_STILL, v1::FINDING_SEVERITY_BLOCK, "z.py", 3, "stands");
  Add(review, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_BLOCK, "y.py", 3, "gone");
  AddNew(review, v1::FINDING_SEVERITY_MINOR, "a.py", 1, "small");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "b.py", 9, "second").set_fix_hint("Mend it");
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "b.py", 2, "first");
  v1::ReviewReminder& reminder = *review.add_checklist();
  reminder.set_rule_id("OL1");
  reminder.set_text("Is there a test");
  reminder.set_path("t.py");
  v1::SkippedReviewCheck& file = *review.add_skipped();
  file.set_rule_id("*");
  file.set_path("big.py");
  file.set_reason("too large");
  for (const char* rule : {"OL2", "OL3"}) {
    v1::SkippedReviewCheck& check = *review.add_skipped();
    check.set_rule_id(rule);
    check.set_reason("no labels here");
  }
  ReviewCommentOptions options;
  options.repository_url = "https://github.com/octo/repo";
  EXPECT_EQ(ReviewComment(review, options), R"(### Review of `0123456789ab`: 3 new, 1 still, 1 fixed

3 files, compared with `fedcba987654`. Packs: pypto \(handwritten\).

**New: 3**

* **block** [`b.py:2`](https://github.com/octo/repo/blob/0123456789abcdef0123456789abcdef01234567/b.py#L2) OL48: first
* **block** [`b.py:9`](https://github.com/octo/repo/blob/0123456789abcdef0123456789abcdef01234567/b.py#L9) OL48: second — Mend it
* **minor** [`a.py:1`](https://github.com/octo/repo/blob/0123456789abcdef0123456789abcdef01234567/a.py#L1) OL48: small

**Fixed: 1**

* ~~`y.py` OL48: gone~~

<details><summary>Still there: 1</summary>

* **block** [`z.py:3`](https://github.com/octo/repo/blob/0123456789abcdef0123456789abcdef01234567/z.py#L3) OL48: stands

</details>

**Please look at: 1**

- [ ] Is there a test `t.py` (OL1)

<details><summary>Not looked at: 2</summary>

* `big.py`: too large
* no labels here: OL2, OL3

</details>

A rule is silenced for this pull request by a comment `/ignore RULE [path] reason`, for the repository by an entry under `exemptions` in its `yardmaster.json`.
)");
}

TEST(ReviewComment, WhyItDidNotLookIsToldInTheCommentsLanguage) {
  v1::Review review = Clean();
  for (const char* rule : {"*", "OL2"}) {
    v1::SkippedReviewCheck& skipped = *review.add_skipped();
    skipped.set_rule_id(rule);
    skipped.set_path("big.py");
    skipped.set_reason("too large");
    skipped.set_reason_zh("太大");
  }
  v1::SkippedReviewCheck& plain = *review.add_skipped();
  plain.set_rule_id("OL3");
  plain.set_reason("Permission denied");
  ReviewCommentOptions options;
  EXPECT_THAT(ReviewComment(review, options),
              HasSubstr("* `big.py`: too large\n* Permission denied: OL3\n* too large: OL2\n"));
  options.chinese = true;
  EXPECT_THAT(ReviewComment(review, options), HasSubstr("* `big.py`: 太大\n* Permission denied: OL3\n* 太大: OL2\n"));
}

TEST(ReviewComment, TellsHowFarIsWhatTheChangeAdds) {
  v1::Review review = Clean();
  v1::ReviewProgress& subject = *review.add_progress();
  subject.set_name("roll");
  subject.set_path("ops/yaml/torch_roll.yaml");
  v1::ReviewProgress::Stage& stage = *subject.add_stages();
  stage.set_title("unit test");
  stage.set_state("missing");
  stage.set_text("no unit test names its class, says @octo");
  EXPECT_THAT(ReviewComment(review, {}), HasSubstr("**How far it is: 1**\n\n* `roll` `ops/yaml/torch_roll.yaml`\n"
                                                   "  * unit test: **missing** no unit test names its class, says "));
  EXPECT_THAT(ReviewComment(review, {}), ::testing::Not(HasSubstr(" @octo")));
}

TEST(ReviewComment, NothingInItReachesAnybody) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_BLOCK, "x@octo(1)/@team.py", 3, "fixes #12, ask @octo/team <img src=x> | `a`")
      .set_fix_hint("</details> https://evil.example");
  ReviewCommentOptions options;
  options.repository_url = "https://github.com/octo/repo";
  const std::string text = ReviewComment(review, options);
  EXPECT_THAT(text, Not(HasSubstr("@octo")));
  EXPECT_THAT(text, Not(HasSubstr("@team")));
  EXPECT_THAT(text, Not(HasSubstr("#12")));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("</details>")));
  EXPECT_THAT(text, Not(HasSubstr("https://evil")));
  EXPECT_THAT(text, HasSubstr("/x%40octo%281%29/%40team.py#L3)"));
  EXPECT_THAT(InlineReviewComment(review.findings(0)), Not(HasSubstr("@octo")));
}

TEST(ReviewComment, WhatDoesNotFitIsCounted) {
  v1::Review review = Clean();
  for (uint32_t i = 0; i < 1'000; ++i) {
    AddNew(review, v1::FINDING_SEVERITY_MAJOR, "a.py", i + 1, std::string(400, '#'));
  }
  Add(review, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_BLOCK, "y.py", 3, "gone");
  const std::string text = ReviewComment(review, {});
  EXPECT_LE(text.size(), kMaxReviewCommentBytes);
  size_t shown = 0;
  for (size_t pos = text.find("* **major**"); pos != std::string::npos; pos = text.find("* **major**", pos + 1))
    ++shown;
  EXPECT_GT(shown, 20U);
  EXPECT_THAT(text, HasSubstr("* and " + std::to_string(1'000 - shown) + " more findings that do not fit here"));
  EXPECT_THAT(text, HasSubstr("**Fixed: 1**"));
  EXPECT_THAT(text, HasSubstr("under `exemptions`"));
}

TEST(ReviewComment, SaysWhatCameAndWentSinceTheLastPush) {
  v1::Review before = Clean();
  before.set_head("aaaaaaaaaaaabbbb");
  AddNew(before, v1::FINDING_SEVERITY_BLOCK);
  AddNew(before, v1::FINDING_SEVERITY_BLOCK);
  v1::Review now = Clean();
  AddNew(now, v1::FINDING_SEVERITY_BLOCK);
  Add(now, v1::FINDING_CHANGE_FIXED, v1::FINDING_SEVERITY_BLOCK, "a.py", 3, "gone");
  AddNew(now, v1::FINDING_SEVERITY_BLOCK);
  AddNew(now, v1::FINDING_SEVERITY_BLOCK);
  EXPECT_THAT(ReviewComment(now, {.repository_url = {}, .previous = &before, .explain = {}}),
              HasSubstr("Since `aaaaaaaaaaaa`: 2 came, 1 went."));
  before.set_head(kHead);
  EXPECT_THAT(ReviewComment(now, {.repository_url = {}, .previous = &before, .explain = {}}), Not(HasSubstr("Since")));
}

TEST(ReviewComment, ExplainsRulesWhereItIsAskedTo) {
  v1::Review review = Clean();
  v1::ReviewFinding& finding = AddNew(review, v1::FINDING_SEVERITY_BLOCK);
  finding.set_pack("lantern");
  finding.set_rule_id("L1");
  EXPECT_THAT(ReviewComment(review, {.repository_url = {}, .previous = nullptr, .explain = {testing::ReviewPack()}}),
              HasSubstr("* L1 (S0): no return Hint: Drop it\\."));
  EXPECT_THAT(ReviewComment(review, {}), Not(HasSubstr("no return")));
}

TEST(ReviewComment, IsInChineseAsFarAsItsTextsAre) {
  v1::Review review = Clean();
  v1::ReviewFinding& finding = AddNew(review, v1::FINDING_SEVERITY_BLOCK, "a.py", 1, "no return");
  finding.set_message_zh("没有返回值");
  AddNew(review, v1::FINDING_SEVERITY_MINOR, "b.py", 2, "only English");
  Add(review, v1::FINDING_CHANGE_STILL, v1::FINDING_SEVERITY_BLOCK, "z.py", 3, "stands");
  ReviewCommentOptions options;
  options.chinese = true;
  const std::string text = ReviewComment(review, options);
  EXPECT_EQ(FirstLine(text), "### `0123456789ab` 的检视：新增 2，仍在 1，已修复 0");
  EXPECT_THAT(text, HasSubstr("**新增: 2**\n\n* **block** `a.py:1` OL48: 没有返回值\n"));
  EXPECT_THAT(text, HasSubstr("only English"));
  EXPECT_THAT(text, HasSubstr("仍在: 1"));
  EXPECT_THAT(text, HasSubstr("`exemptions` 下加一项"));
  EXPECT_EQ(FilesAndCountsText(review, true), "3 个文件：新增 2，仍在 1，已修复 0");
}

TEST(ReviewComment, TakesNoMoreRoomThanThereIs) {
  v1::Review review = Clean();
  for (uint32_t i = 0; i < 100; ++i) AddNew(review, v1::FINDING_SEVERITY_MAJOR, "a.py", i + 1, std::string(100, 'x'));
  ReviewCommentOptions options;
  options.max_bytes = 6'000;
  const std::string text = ReviewComment(review, options);
  EXPECT_LE(text.size(), 6'000U);
  EXPECT_GE(text.size(), 3'500U) << "the frames of sections that may follow are kept free";
  EXPECT_THAT(text, HasSubstr("more findings that do not fit here"));
}

TEST(ReviewComment, SameReviewGivesTheSameBytes) {
  v1::Review review = Clean();
  AddNew(review, v1::FINDING_SEVERITY_BLOCK);
  const std::string text = ReviewComment(review, {});
  review.mutable_created_at()->set_seconds(12);
  review.set_id("another");
  EXPECT_EQ(ReviewComment(review, {}), text);
}

}  // namespace
}  // namespace yardmaster
