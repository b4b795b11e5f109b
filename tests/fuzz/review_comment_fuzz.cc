// Any bytes as texts of a review that is told on a forge: whatever stands in paths, rules and messages, the comment
// keeps its limit, mentions nobody, links no number, and holds no HTML but ours.
//
// The text is cut at NUL; its parts become the texts of findings, reminders and skipped checks, in turns.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_replace.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"
#include "services/review/publish.h"
#include "tests/fuzz/check.h"

namespace {

using namespace yardmaster;

std::string NextPart(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find('\0'));
  text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
  std::string valid;
  AppendValidUtf8(part, valid);
  return valid;
}

v1::Review ReviewOf(std::string_view text, uint8_t flags) {
  v1::Review review;
  review.set_complete((flags & 1) != 0);
  review.set_head(NextPart(text));
  review.set_merge_base(NextPart(text));
  review.add_packs(NextPart(text));
  for (uint32_t number = 0; !text.empty(); ++number) {
    v1::ReviewFinding& finding = *review.add_findings();
    finding.set_rule_id(NextPart(text));
    finding.set_path(NextPart(text));
    finding.set_message(NextPart(text));
    finding.set_fix_hint(NextPart(text));
    finding.set_fingerprint(std::to_string(number));
    finding.set_severity(static_cast<v1::FindingSeverity>(number % 5));
    finding.set_change(static_cast<v1::FindingChange>(number / 5 % 4));
    finding.set_line(number % 3);
    if (number % 4 == 0) {
      v1::ReviewReminder& reminder = *review.add_checklist();
      reminder.set_text(NextPart(text));
      reminder.set_path(NextPart(text));
      v1::SkippedReviewCheck& skipped = *review.add_skipped();
      skipped.set_rule_id(number % 8 == 0 ? "*" : NextPart(text));
      skipped.set_reason(NextPart(text));
    }
  }
  // Few bytes make a long comment, too.
  if ((flags & 2) != 0 && review.findings_size() > 0) {
    while (review.findings_size() < 500) *review.add_findings() = review.findings(0);
  }
  return review;
}

// Without code spans, whose content is shown as it is.
std::string WithoutCode(std::string_view text) {
  std::string out;
  for (size_t pos = 0; pos < text.size();) {
    if (text[pos] == '\\') {
      out += text.substr(pos, 2);
      pos += 2;
      continue;
    }
    size_t run = 0;
    while (pos + run < text.size() && text[pos + run] == '`') ++run;
    if (run == 0) {
      out += text[pos++];
      continue;
    }
    const std::string fence(run, '`');
    size_t end = pos + run;
    for (;;) {
      end = text.find(fence, end);
      if (end == std::string_view::npos) Broken("a code span without an end");
      size_t closing = run;
      while (end + closing < text.size() && text[end + closing] == '`') ++closing;
      if (closing == run) break;
      end += closing;
    }
    if (text.substr(pos, end - pos).find('\n') != std::string_view::npos) Broken("a code span of several lines");
    pos = end + run;
  }
  return out;
}

void CheckMarkdown(const std::string& text) {
  Check(text.size() <= kMaxReviewCommentBytes, "too long");
  Check(IsValidUtf8(text), "no UTF-8");
  for (size_t i = 0; i < text.size(); ++i) {
    // A word joiner keeps forges from seeing a mention or a number.
    const std::string_view behind = std::string_view(text).substr(i + 1);
    if (text[i] == '@') Check(behind.starts_with("\xe2\x81\xa0"), "a mention");
    if (text[i] == '#' && !behind.empty()) Check(behind[0] < '0' || behind[0] > '9', "a number");
  }
  const std::string foreign = absl::StrReplaceAll(
      WithoutCode(text), {{"<details>", ""}, {"</details>", ""}, {"<summary>", ""}, {"</summary>", ""}});
  Check(foreign.find('<') == std::string::npos, "HTML");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const v1::Review review = ReviewOf({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  PublishFacts facts;
  facts.comment.repository_url = "https://github.com/octo/repo";
  for (const v1::ReviewFinding& finding : review.findings()) facts.diff_lines[finding.path()].insert(1);
  for (const v1::Action& action : PlanPublication(review, {}, facts)) {
    if (action.has_answer_comment()) CheckMarkdown(action.answer_comment().body());
    for (const v1::ReviewComments::Inline& comment : action.review_comments().comments()) CheckMarkdown(comment.body());
  }
  return 0;
}
