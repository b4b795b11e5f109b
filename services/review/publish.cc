#include "services/review/publish.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/short_digest.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

// Of GitHub: 255 characters and 64 KiB; a byte is at most a character.
constexpr size_t kMaxAnnotationTitleBytes = 255;
constexpr size_t kMaxAnnotationTextBytes = 64'000;
// More than comments at lines are made of one pull request.
constexpr size_t kMaxSettledFindings = 1'000;

bool IsWorthALine(const v1::ReviewFinding& finding) {
  return finding.severity() == v1::FINDING_SEVERITY_BLOCK || finding.severity() == v1::FINDING_SEVERITY_MAJOR;
}

v1::CheckAnnotation::Level LevelOf(v1::FindingSeverity severity) {
  switch (severity) {
    case v1::FINDING_SEVERITY_BLOCK:
      return v1::CheckAnnotation::LEVEL_FAILURE;
    case v1::FINDING_SEVERITY_MAJOR:
      return v1::CheckAnnotation::LEVEL_WARNING;
    default:
      return v1::CheckAnnotation::LEVEL_NOTICE;
  }
}

v1::CheckAnnotation Annotation(const v1::ReviewFinding& finding) {
  v1::CheckAnnotation annotation;
  annotation.set_path(finding.path());
  // Annotations have a line: those of a whole file stand at its first.
  annotation.set_line(std::max(finding.line(), 1U));
  annotation.set_end_line(std::max(finding.end_line(), annotation.line()));
  if (annotation.line() == annotation.end_line() && finding.column() > 0) {
    annotation.set_column(finding.column());
    annotation.set_end_column(std::max(finding.end_column(), finding.column()));
  }
  annotation.set_level(LevelOf(finding.severity()));
  annotation.set_title(std::string(CutUtf8(finding.rule_id(), kMaxAnnotationTitleBytes)));
  const std::string text =
      absl::StrCat(finding.message(), finding.fix_hint().empty() ? "" : "\n\n", finding.fix_hint());
  // Forges refuse an annotation without a text.
  annotation.set_message(text.empty() ? annotation.title() : std::string(CutUtf8(text, kMaxAnnotationTextBytes)));
  return annotation;
}

v1::ReportCheck::Conclusion ConclusionOf(const v1::Review& review, bool gate_blocks) {
  const ReviewFindingCounts counts = CountFindings(review);
  if (gate_blocks && counts.fresh[0] > 0) return v1::ReportCheck::CONCLUSION_FAILURE;
  const bool clean = counts.AllFresh() == 0 && review.complete();
  return clean ? v1::ReportCheck::CONCLUSION_SUCCESS : v1::ReportCheck::CONCLUSION_NEUTRAL;
}

v1::Action ReviewCheck(std::string_view head, int64_t attempt) {
  v1::Action action;
  v1::ReportCheck& check = *action.mutable_report_check();
  check.set_head(std::string(head));
  check.set_name(std::string(kReviewCheckName));
  check.set_attempt(attempt);
  return action;
}

v1::Action ConcludedCheck(const v1::Review& review, bool gate_blocks, const PublishFacts& facts,
                          const std::string& summary) {
  v1::Action action = ReviewCheck(review.head(), facts.attempt);
  v1::ReportCheck& check = *action.mutable_report_check();
  check.set_conclusion(ConclusionOf(review, gate_blocks));
  check.set_title(ReviewCountsText(review));
  // Those that are about no file (a title, a message) have no place.
  const auto found = FindingsBySeverity(
      review, [](const v1::ReviewFinding& finding) { return IsNewFinding(finding) && !finding.path().empty(); });
  size_t bytes = 0;
  size_t annotated = 0;
  for (const v1::ReviewFinding* finding : found) {
    v1::CheckAnnotation annotation = Annotation(*finding);
    bytes += annotation.ByteSizeLong();
    if (annotated == kMaxReviewAnnotations || bytes > kMaxReviewAnnotationBytes) break;
    *check.add_annotations() = std::move(annotation);
    ++annotated;
  }
  check.set_summary(annotated == found.size() ? summary
                                              : absl::StrCat(summary, "\nOnly ", annotated, " of ", found.size(),
                                                             " new findings are annotated.\n"));
  return action;
}

// A line of the finding that the diff shows.
std::optional<uint32_t> LineInDiff(const v1::ReviewFinding& finding, const PublishFacts& facts) {
  const auto lines = facts.diff_lines.find(finding.path());
  if (lines == facts.diff_lines.end() || finding.line() == 0) return std::nullopt;
  const auto first = lines->second.lower_bound(finding.line());
  if (first == lines->second.end() || *first > std::max(finding.line(), finding.end_line())) return std::nullopt;
  return *first;
}

v1::Action InlineComments(const v1::Review& review, size_t max_inline, const PublishFacts& facts) {
  v1::Action action;
  v1::ReviewComments& comments = *action.mutable_review_comments();
  comments.set_head(review.head());
  std::set<std::string> keys;
  for (const v1::ReviewFinding* finding : FindingsBySeverity(review, IsNewFinding)) {
    const std::optional<uint32_t> line = LineInDiff(*finding, facts);
    std::string key = InlineCommentKey(*finding);
    if (!IsWorthALine(*finding) || !line.has_value() || keys.contains(key)) continue;
    if (keys.size() == max_inline) break;
    v1::ReviewComments::Inline& comment = *comments.add_comments();
    comment.set_path(finding->path());
    comment.set_line(*line);
    comment.set_body(InlineReviewComment(*finding));
    comment.set_key(key);
    keys.insert(std::move(key));
  }
  return action;
}

// For every settled finding that may have had a comment at its line: the effect finds those that had one.
v1::Action SettledComments(const v1::Review& review) {
  std::set<std::string> keys;
  for (const v1::ReviewFinding& finding : review.findings()) {
    if (keys.size() == kMaxSettledFindings) break;
    if (IsFixedFinding(finding) && IsWorthALine(finding)) keys.insert(InlineCommentKey(finding));
  }
  v1::Action action;
  v1::ResolveReviewComments& resolve = *action.mutable_resolve_review_comments();
  for (const std::string& key : keys) resolve.add_keys(key);
  resolve.set_body(absl::StrCat("Fixed in ", review.head(), "."));
  return action;
}

}  // namespace

std::vector<v1::Action> PlanPublication(const v1::Review& review, const PublishSettings& settings,
                                        const PublishFacts& facts) {
  std::vector<v1::Action> actions;
  std::string summary;
  if (settings.check || settings.comment) summary = ReviewComment(review, facts.comment);
  if (settings.check) actions.push_back(ConcludedCheck(review, settings.gate_blocks, facts, summary));
  if (settings.comment) {
    v1::AnswerComment& comment = *actions.emplace_back().mutable_answer_comment();
    comment.set_name(std::string(kReviewCommentName));
    comment.set_body(summary);
  }
  if (settings.inline_comments) {
    v1::Action comments = InlineComments(review, settings.max_inline, facts);
    if (!comments.review_comments().comments().empty()) actions.push_back(std::move(comments));
    v1::Action settled = SettledComments(review);
    if (!settled.resolve_review_comments().keys().empty()) actions.push_back(std::move(settled));
  }
  return actions;
}

v1::Action BeginReviewCheck(std::string_view head, int64_t attempt) {
  v1::Action action = ReviewCheck(head, attempt);
  action.mutable_report_check()->set_title("The review is being made");
  action.mutable_report_check()->set_summary("Findings come with its end.");
  return action;
}

v1::Action EndReviewCheck(std::string_view head, int64_t attempt, v1::ReportCheck::Conclusion conclusion,
                          std::string_view why) {
  v1::Action action = ReviewCheck(head, attempt);
  v1::ReportCheck& check = *action.mutable_report_check();
  check.set_conclusion(conclusion);
  check.set_title(std::string(why));
  check.set_summary(std::string(why));
  return action;
}

std::string InlineCommentKey(const v1::ReviewFinding& finding) {
  return ShortDigestOf({finding.fingerprint(), finding.path()});
}

}  // namespace yardmaster
