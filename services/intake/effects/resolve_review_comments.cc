// "resolve_review_comments": an answer under each of our comments at lines whose finding is settled, once for each.
// Nobody waits for it: the summary says the same.
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effects/inline_comments.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/parts.h"
#include "services/intake/marker.h"

namespace yardmaster {
namespace {

constexpr std::string_view kResolveComments = "resolve_review_comments";
// Reading, and an answer with its own read behind it.
constexpr int64_t kCallsOfAnAnswer = 2;
constexpr size_t kMaxSettled = 1'000;

// One entry on its way.
class Settlement {
 public:
  Settlement(const EffectContext& context, const store::Effect& effect)
      : context_(ShareOfTime(context, kCallsOfAnAnswer)),
        subject_(ForgeSubjectOf(effect.subject)),
        resolve_(effect.action.resolve_review_comments()),
        progress_(ReadPartProgress(effect)) {}

  absl::StatusOr<EffectObservation> Send() const {
    const absl::StatusOr<InlineComments> found = ReadInlineComments(context_, subject_);
    if (!found.ok()) {
      const absl::Status unsent = AsNotSent(found.status());
      return progress_.words.empty() ? unsent : PartFailed(progress_.words, unsent);
    }
    const InlineProgress now = Left(*found);
    if (progress_.words.empty() || now.left.empty()) return GoOn(now);
    if (!found->complete) {
      return MakeForgeStatus({ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
                             "there are more comments at lines than are read: none is answered, or it could be twice");
    }
    const std::string& key = now.left.front();
    const ForgeComment& comment = found->at_lines.find(key)->second;
    const std::string pack = FindMarker(comment.body).value_or(CommentMarker()).pack;
    const auto written = context_.forge().ReplyToReviewComment(
        context_.call, subject_, comment, WithMarker(resolve_.body(), pack, kResolvedTemplate, key));
    InlineProgress next = now;
    next.left.erase(next.left.begin());
    if (IsPartRefused(written.status()) || absl::IsNotFound(written.status())) {
      next.refused.push_back(key);
      return GoOn(next);
    }
    if (!written.ok()) return PartFailed(now.Words(), written.status());
    return written->shown.has_value() ? GoOn(next) : AwaitPart(context_, now.Words());
  }

  absl::StatusOr<EffectObservation> ReadBack() const {
    ASSIGN_OR_RETURN(const InlineComments found, ReadInlineComments(context_, subject_));
    const InlineProgress now = Left(found);
    const bool more = now.left.size() < ReadInlineProgress(progress_.words).left.size();
    return now.left.empty() || progress_.words.empty() || more ? GoOn(now) : PartMissed(context_, progress_);
  }

 private:
  // Those that have a comment and no answer.
  InlineProgress Left(const InlineComments& found) const {
    InlineProgress progress;
    progress.refused = ReadInlineProgress(progress_.words).refused;
    for (const std::string& key : resolve_.keys()) {
      const bool open = found.at_lines.contains(key) && !found.settled.contains(key);
      if (open && !absl::c_linear_search(progress.refused, key)) progress.left.push_back(key);
    }
    return progress;
  }
  static EffectObservation GoOn(const InlineProgress& progress) {
    return progress.left.empty() ? EffectObservation::Seen("answered") : NextPart(progress.Words());
  }

  const EffectContext context_;
  const ForgeSubject subject_;
  const v1::ResolveReviewComments& resolve_;
  const PartProgress progress_;
};

class ResolveReviewComments final : public EffectKind {
 public:
  std::string_view name() const override { return kResolveComments; }
  v1::Action::ActionCase action() const override { return v1::Action::kResolveReviewComments; }
  bool essential(const Forge&) const override { return false; }

  // The key is not over the answer: a later head says nothing again about what an earlier one settled.
  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::ResolveReviewComments& resolve = action.resolve_review_comments();
    const std::set<std::string> keys(resolve.keys().begin(), resolve.keys().end());
    if (keys.empty() || keys.size() > kMaxSettled || resolve.body().empty() || !absl::c_all_of(keys, IsInlineKey)) {
      return absl::InvalidArgumentError("no comments to answer, or too many");
    }
    Entry entry{{}, action};
    v1::ResolveReviewComments& written = *entry.action.mutable_resolve_review_comments();
    written.mutable_keys()->Assign(keys.begin(), keys.end());
    const std::string subject = SubjectKey(plan.subject());
    entry.key = "f-" + ShortDigestOf({kResolveComments, subject, absl::StrJoin(keys, ",")});
    return entry;
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    return Settlement(context, effect).Send();
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Settlement(context, effect).ReadBack();
  }
};

}  // namespace

const EffectKind& ResolveReviewCommentsEffect() {
  static const ResolveReviewComments kind;
  return kind;
}

}  // namespace yardmaster
