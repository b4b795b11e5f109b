#include "services/intake/effects/inline_comments.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/own_comment.h"
#include "services/intake/marker.h"

namespace yardmaster {
namespace {

constexpr size_t kInlineKeyBytes = 16;
constexpr absl::string_view kOneByOne = "single";
constexpr absl::string_view kTogether = "review";

std::vector<std::string> SplitKeys(absl::string_view keys) { return absl::StrSplit(keys, ',', absl::SkipEmpty()); }

}  // namespace

absl::StatusOr<InlineComments> ReadInlineComments(const EffectContext& context, const ForgeSubject& subject) {
  ASSIGN_OR_RETURN(ForgeReviewCommentList list, context.forge().ListReviewComments(context.call, subject));
  InlineComments found;
  found.complete = list.complete;
  for (ForgeReviewComment& review_comment : list.comments) {
    ForgeComment& comment = review_comment.comment;
    std::optional<CommentMarker> marker = FindMarker(comment.body);
    if (!marker.has_value() || !IsOwnComment(context, comment, {})) continue;
    if (marker->template_id == kResolvedTemplate)
      found.settled.insert(std::move(marker->key));
    else if (marker->template_id == kInlineTemplate)
      found.at_lines.emplace(std::move(marker->key), std::move(comment));
  }
  return found;
}

bool IsInlineKey(std::string_view key) {
  return key.size() == kInlineKeyBytes && absl::c_all_of(key, [](unsigned char c) { return absl::ascii_isxdigit(c); });
}

std::string InlineProgress::Words() const {
  return absl::StrCat(one_by_one ? kOneByOne : kTogether, " ", absl::StrJoin(left, ","), " ",
                      absl::StrJoin(refused, ","));
}

InlineProgress ReadInlineProgress(std::string_view words) {
  const std::vector<absl::string_view> parts = absl::StrSplit(Abs(words), ' ');
  InlineProgress progress;
  if (parts.size() != 3) return progress;
  progress.one_by_one = parts[0] == kOneByOne;
  progress.left = SplitKeys(parts[1]);
  progress.refused = SplitKeys(parts[2]);
  return progress;
}

}  // namespace yardmaster
