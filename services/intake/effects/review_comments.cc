// "review_comments": comments at lines of a pull request's head, as one review where the forge has them. Each is made
// once for its subject: those that are there, moved and outdated ones too, are left out. Where the forge refuses
// several at once, as one line is not part of its diff, they are sent one by one, and those that it refuses are
// dropped.
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/inline_comments.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/own_comment.h"
#include "services/intake/effects/parts.h"
#include "services/intake/marker.h"

namespace yardmaster {
namespace {

constexpr std::string_view kReviewComments = "review_comments";
constexpr int kMaxReviewComments = 1'000;
// A write, and reading both lists behind it.
constexpr int64_t kCallsOfAReview = 3;

// One entry on its way.
class CommentsReview {
 public:
  CommentsReview(const EffectContext& context, const store::Effect& effect)
      : context_(ShareOfTime(context, kCallsOfAReview)),
        subject_(ForgeSubjectOf(effect.subject)),
        review_(effect.action.review_comments()),
        progress_(ReadPartProgress(effect)),
        noted_(progress_.words.empty() ? NothingDone() : ReadInlineProgress(progress_.words)) {}

  absl::StatusOr<EffectObservation> Send() const {
    if (!progress_.words.empty()) return SendNext();
    absl::StatusOr<InlineProgress> now = Look();
    if (!now.ok()) return AsNotSent(now.status());
    return GoOn(*now);
  }

  absl::StatusOr<EffectObservation> ReadBack() const {
    ASSIGN_OR_RETURN(const InlineProgress now, Look());
    // Without words nothing was sent yet.
    if (progress_.words.empty() || now.left.size() < noted_.left.size()) return GoOn(now);
    return PartMissed(context_, progress_);
  }

 private:
  InlineProgress NothingDone() const {
    InlineProgress progress;
    for (const v1::ReviewComments::Inline& comment : review_.comments()) progress.left.push_back(comment.key());
    return progress;
  }

  // What is left by what the forge shows.
  absl::StatusOr<InlineProgress> Look() const {
    ASSIGN_OR_RETURN(const InlineComments found, ReadInlineComments(context_, subject_));
    InlineProgress now = noted_;
    std::erase_if(now.left, [&](const std::string& key) { return found.at_lines.contains(key); });
    if (now.left.empty()) return now;
    if (!found.complete) {
      return MakeForgeStatus(
          {ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
          "there are more comments at lines than are read: none is added, or it could be a second one");
    }
    // Where all comments are of one sort, one may have lost its place. It is there, and not made again.
    if (context_.forge().max_review_comments() > 1) return now;
    ASSIGN_OR_RETURN(const ForgeCommentList list, context_.forge().ListComments(context_.call, subject_));
    for (const ForgeComment& comment : list.comments) {
      const std::optional<CommentMarker> marker = FindMarker(comment.body);
      if (!marker.has_value() || marker->template_id != kInlineTemplate || !IsOwnComment(context_, comment, {}))
        continue;
      if (std::erase(now.left, marker->key) > 0) now.refused.push_back(marker->key);
    }
    return now;
  }

  EffectObservation GoOn(const InlineProgress& progress) const {
    return progress.left.empty() ? EffectObservation::Seen(Told(progress)) : NextPart(progress.Words());
  }

  // What became of it, for people.
  std::string Told(const InlineProgress& progress) const {
    const int made = review_.comments_size() - static_cast<int>(progress.refused.size());
    std::string told = absl::StrCat(made, made == 1 ? " comment" : " comments");
    if (progress.refused.empty()) return told;
    return absl::StrCat(told, "; not at their lines: ",
                        absl::StrJoin(progress.refused, ", ", [this](std::string* out, const std::string& key) {
                          const v1::ReviewComments::Inline* const comment = Find(key);
                          if (comment != nullptr) absl::StrAppend(out, comment->path(), ":", comment->line());
                        }));
  }

  const v1::ReviewComments::Inline* Find(const std::string& key) const {
    const auto found = absl::c_find_if(review_.comments(), [&](const auto& comment) { return comment.key() == key; });
    return found == review_.comments().end() ? nullptr : &*found;
  }

  absl::StatusOr<EffectObservation> SendNext() const {
    if (noted_.left.empty()) return GoOn(noted_);
    const size_t most = noted_.one_by_one ? 1 : std::max<size_t>(context_.forge().max_review_comments(), 1);
    std::vector<ForgeInlineComment> batch;
    for (const std::string& key : noted_.left) {
      const v1::ReviewComments::Inline* const comment = Find(key);
      if (comment != nullptr && batch.size() < most)
        batch.push_back({comment->path(), comment->line(), comment->body()});
    }
    const absl::Status sent = context_.forge().CreateReview(context_.call, subject_, review_.head(), batch);
    if (IsPartRefused(sent)) {
      InlineProgress next = noted_;
      if (batch.size() > 1) {
        next.one_by_one = true;
      } else {
        next.refused.push_back(next.left.front());
        next.left.erase(next.left.begin());
      }
      return GoOn(next);
    }
    if (!sent.ok()) return PartFailed(progress_.words, sent);
    const absl::StatusOr<InlineProgress> now = Look();
    const bool all_shown = now.ok() && now->left.size() + batch.size() <= noted_.left.size();
    return all_shown ? GoOn(*now) : AwaitPart(context_, progress_.words);
  }

  const EffectContext context_;
  const ForgeSubject subject_;
  const v1::ReviewComments& review_;
  const PartProgress progress_;
  const InlineProgress noted_;
};

class ReviewComments final : public EffectKind {
 public:
  std::string_view name() const override { return kReviewComments; }
  v1::Action::ActionCase action() const override { return v1::Action::kReviewComments; }

  // The key is over the head, too: what one diff did not show, the next one may.
  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::ReviewComments& review = action.review_comments();
    if (review.head().empty() || review.comments().empty() || review.comments_size() > kMaxReviewComments) {
      return absl::InvalidArgumentError("no comments at lines, or too many");
    }
    Entry entry{{}, action};
    std::set<std::string> keys;
    for (v1::ReviewComments::Inline& comment : *entry.action.mutable_review_comments()->mutable_comments()) {
      if (!IsInlineKey(comment.key()) || comment.path().empty() || !keys.insert(comment.key()).second) {
        return absl::InvalidArgumentError("not a comment at a line that can be found again");
      }
      comment.set_body(WithMarker(comment.body(), plan.pack(), kInlineTemplate, comment.key()));
    }
    const std::string subject = SubjectKey(plan.subject());
    entry.key = "i-" + ShortDigestOf({kReviewComments, subject, review.head(), absl::StrJoin(keys, ",")});
    return entry;
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    return CommentsReview(context, effect).Send();
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return CommentsReview(context, effect).ReadBack();
  }
};

}  // namespace

const EffectKind& ReviewCommentsEffect() {
  static const ReviewComments kind;
  return kind;
}

}  // namespace yardmaster
