#include "services/intake/effects/answer_comment.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/effects/own_comment.h"
#include "services/intake/marker.h"

namespace yardmaster {
namespace {

constexpr std::string_view kName = "answer_comment";
constexpr size_t kMaxNameCharacters = 100;
// Reading, editing, and writing a new comment after all: they share the time of one write.
constexpr int64_t kCalls = 3;

bool FitsMarker(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameCharacters && absl::c_all_of(name, [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

std::string CutAnswer(std::string_view text) {
  const std::string_view cut = FirstCodePoints(text, kMaxAnswerCharacters);
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(Abs(cut)), cut.size() < text.size() ? "\n\n…" : "");
}

// Whether an edit failed in a way that a new comment fixes: the comment is gone, or comments can't be edited.
bool NeedsNewComment(const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  return error.has_value() && (error->reason == ForgeReason::kNotFound || error->reason == ForgeReason::kUnsupported ||
                               error->http_status == 405);
}

// One revision on its way.
class Answer {
 public:
  Answer(const EffectContext& context, const store::Effect& effect)
      : context_(context),
        effect_(effect),
        answer_(effect.action.answer_comment()),
        key_(AnswerKey(effect.subject, answer_.name(), answer_.revision())) {}

  // The revision that a comment of ours with this name shows; nullopt if it is none.
  std::optional<int64_t> RevisionShownBy(const ForgeComment& comment) const {
    const std::optional<std::string> key = MarkerKey(comment.body);
    if (!key.has_value() || !IsOwnComment(context_, comment, effect_.forge_ref)) return std::nullopt;
    return RevisionOfAnswer(*key, key_);
  }
  bool IsShownBy(const ForgeComment& comment) const {
    return RevisionShownBy(comment).value_or(-1) >= answer_.revision();
  }
  // Whether the text would stay as it is: an edit of the number alone is worth nothing to people.
  bool SaysTheSame(const ForgeComment& comment) const {
    return WithoutMarker(comment.body) == WithoutMarker(answer_.body());
  }
  // The comment with the latest revision; nullptr if there is none.
  const ForgeComment* Latest(const std::vector<ForgeComment>& comments) const {
    const ForgeComment* latest = nullptr;
    for (const ForgeComment& comment : comments) {
      const std::optional<int64_t> revision = RevisionShownBy(comment);
      if (revision.has_value() && (latest == nullptr || *revision > *RevisionShownBy(*latest))) latest = &comment;
    }
    return latest;
  }
  EffectObservation Sight(const absl::StatusOr<ForgeCommentWritten>& written) const {
    return ObserveWritten(context_, *written, [this](const ForgeComment& comment) { return IsShownBy(comment); });
  }

  absl::StatusOr<EffectObservation> Send() const {
    ForgeCall call = context_.call;
    call.timeout /= kCalls;
    const ForgeSubject subject = ForgeSubjectOf(effect_.subject);
    // Which comment is it, and what does it say by now?
    const absl::StatusOr<ForgeCommentList> list = context_.forge().ListComments(call, subject);
    if (!list.ok()) return AsNotSent(list.status());
    const ForgeComment* latest = Latest(list->comments);
    if (latest != nullptr && (IsShownBy(*latest) || SaysTheSame(*latest))) return EffectObservation::Seen(latest->id);
    if (latest != nullptr) {
      const auto edited = context_.forge().EditComment(call, subject, latest->id, answer_.body());
      if (edited.ok()) return Sight(edited);
      if (!NeedsNewComment(edited.status())) return edited.status();
    }
    const auto added = context_.forge().AddComment(call, subject, answer_.body());
    if (!added.ok()) return added.status();
    return Sight(added);
  }

  absl::StatusOr<EffectObservation> ReadBack() const {
    ASSIGN_OR_RETURN(const ForgeCommentList list,
                     context_.forge().ListComments(context_.call, ForgeSubjectOf(effect_.subject)));
    const ForgeComment* latest = Latest(list.comments);
    if (latest != nullptr && (IsShownBy(*latest) || SaysTheSame(*latest))) return EffectObservation::Seen(latest->id);
    ASSIGN_OR_RETURN(EffectObservation sighting, ObserveById(context_, effect_, [this](const ForgeComment& comment) {
                       return IsShownBy(comment);
                     }));
    sighting.conclusive = list.complete;
    return sighting;
  }

 private:
  const EffectContext& context_;
  const store::Effect& effect_;
  const v1::AnswerComment& answer_;
  const std::string key_;
};

class AnswerComment final : public EffectKind {
 public:
  std::string_view name() const override { return kName; }
  v1::Action::ActionCase action() const override { return v1::Action::kAnswerComment; }

  // Fails for a name that does not fit a marker, an empty text and a negative revision.
  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::AnswerComment& answer = action.answer_comment();
    const std::string text = CutAnswer(answer.body());
    if (!FitsMarker(answer.name()) || text.empty() || answer.revision() < 0) {
      return absl::InvalidArgumentError("not a comment that can be found again");
    }
    Entry entry{AnswerKey(plan.subject(), answer.name(), answer.revision()), action};
    v1::AnswerComment& written = *entry.action.mutable_answer_comment();
    written.set_body(WithMarker(text, plan.pack(), answer.name(), entry.key));
    written.clear_body_on_failure();
    return entry;
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    return Answer(context, effect).Send();
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Answer(context, effect).ReadBack();
  }
};

}  // namespace

const EffectKind& AnswerCommentEffect() {
  static const AnswerComment kind;
  return kind;
}

std::string AnswerKey(const v1::Subject& subject, std::string_view name, int64_t revision) {
  const std::string key = SubjectKey(subject);
  return absl::StrCat("a-", ShortDigestOf({kName, key, name}), "-", revision);
}

std::optional<int64_t> RevisionOfAnswer(std::string_view other_key, std::string_view key) {
  const size_t dash = other_key.rfind('-');
  if (dash == std::string_view::npos || other_key.substr(0, dash) != key.substr(0, key.rfind('-'))) {
    return std::nullopt;
  }
  int64_t revision = 0;
  if (!absl::SimpleAtoi(Abs(other_key.substr(dash + 1)), &revision) || revision < 0) return std::nullopt;
  return revision;
}

}  // namespace yardmaster
