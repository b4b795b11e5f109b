// What is to be published of a review, as actions of a plan: the check of its head, the summary comment, comments at
// lines, and answers under those that are settled. Pure: the same review gives the same actions.
#ifndef YARDMASTER_SERVICES_REVIEW_PUBLISH_H_
#define YARDMASTER_SERVICES_REVIEW_PUBLISH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge.h"
#include "services/intake/comment_sections.h"
#include "services/review/review_comment.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {

// The summary's name: the marker of the comment says "template=review".
inline constexpr std::string_view kReviewCommentName = kSummaryCommentName;

// Annotations of one check, and all their texts together: an effect must fit the ledger. What is left out is told.
inline constexpr size_t kMaxReviewAnnotations = 2'000;
inline constexpr size_t kMaxReviewAnnotationBytes = size_t{2} * 1024 * 1024;

struct PublishSettings {
  bool check = true;
  bool comment = true;
  bool inline_comments = true;
  bool gate_blocks = false;  // new blocking findings fail the check
  size_t max_inline = 20;
};

struct PublishFacts {
  ReviewCommentOptions comment;
  // Counts the checks of this head, from 0. What the check of one attempt says first stays: a head whose review says
  // something else, and a check that is asked for anew, are a further attempt.
  int64_t attempt = 0;
  // By path: the lines at the head that the forge's diff shows. Comments at other lines are refused.
  std::map<std::string, std::set<uint32_t>, std::less<>> diff_lines;
};

// In the order in which they are to be carried out; the findings of each, the worst first.
std::vector<v1::Action> PlanPublication(const v1::Review& review, const PublishSettings& settings,
                                        const PublishFacts& facts);

// The check of a head whose review begins. It belongs into a plan of its own, which is carried out before the review's:
// actions of one plan do not wait for each other.
v1::Action BeginReviewCheck(std::string_view head, int64_t attempt);
// The check of a head whose review is not wanted any more: another head came (CONCLUSION_CANCELLED), or the pull
// request was closed or made a draft (CONCLUSION_SKIPPED). Ends a check that was begun and does nothing else.
v1::Action EndReviewCheck(std::string_view head, int64_t attempt, v1::ReportCheck::Conclusion conclusion,
                          std::string_view why);

// Names the comment at the line of a finding, for as long as its pull request lives: 16 hex characters.
std::string InlineCommentKey(const v1::ReviewFinding& finding);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PUBLISH_H_
