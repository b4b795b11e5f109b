// A kept review as Markdown for a forge: the summary comment of a pull request and comments at lines. Texts from files,
// packs and people are made harmless: nothing in them mentions anybody, closes an issue or runs HTML. The same review
// always gives the same bytes.
#ifndef YARDMASTER_SERVICES_REVIEW_REVIEW_COMMENT_H_
#define YARDMASTER_SERVICES_REVIEW_REVIEW_COMMENT_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {

// Comments of forges hold 65,536 characters, summaries of checks 65,535 bytes; a marker and what an effect adds must
// fit as well.
inline constexpr size_t kMaxReviewCommentBytes = 59'000;

struct ReviewFindingCounts {
  std::array<size_t, 4> fresh{};  // new ones: block, major, minor, info
  size_t still = 0;
  size_t fixed = 0;

  size_t AllFresh() const { return fresh[0] + fresh[1] + fresh[2] + fresh[3]; }
};
ReviewFindingCounts CountFindings(const v1::Review& review);

// Whether a finding counts as new: also where there was nothing to compare with.
bool IsNewFinding(const v1::ReviewFinding& finding);
bool IsFixedFinding(const v1::ReviewFinding& finding);

// "2 new, 1 still, 3 fixed", and whether something could not be looked at.
std::string ReviewCountsText(const v1::Review& review, bool chinese = false);
// The same behind the number of files.
std::string FilesAndCountsText(const v1::Review& review, bool chinese);

// Findings that `wanted` keeps, the worst first, then by path and line.
std::vector<const v1::ReviewFinding*> FindingsBySeverity(const v1::Review& review,
                                                         bool (*wanted)(const v1::ReviewFinding&));

struct ReviewCommentOptions {
  // For people, as "https://github.com/octo/repo"; empty: findings have no links.
  std::string repository_url;
  // The review of the head before this one; null: there was none.
  const v1::Review* previous = nullptr;
  // Where the rules of the findings are looked up, to be explained; empty: they are not.
  std::vector<std::shared_ptr<const rules::CheckSet>> explain = {};
  // In Chinese, as far as the texts are ours or their pack has them.
  bool chinese = false;
  size_t max_bytes = kMaxReviewCommentBytes;
};

// At most `max_bytes`. What does not fit is left out finding by finding, and their number is told.
std::string ReviewComment(const v1::Review& review, const ReviewCommentOptions& options);

// What is said at the line of one finding.
std::string InlineReviewComment(const v1::ReviewFinding& finding);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_REVIEW_COMMENT_H_
