#include "services/intake/command_effects.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"
#include "services/intake/effect_kinds.h"
#include "services/intake/effect_payload.h"
#include "services/intake/router.h"

namespace yardmaster {
namespace {

using nlohmann::json;

constexpr std::string_view kCut = "\n\n…";
constexpr size_t kMaxNameCharacters = 100;

// An error of a read before a write: whatever it was, nothing was written.
absl::Status AsNotSent(const absl::Status& status) {
  std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value()) return status;
  error->outcome = ForgeOutcome::kNotSent;
  return MakeForgeStatus(*error, std::string(status.message()));
}

// One of `calls` calls that share the time of one write: all of them must have reached the forge, if ever, well before
// the last look.
ForgeCall OneOf(ForgeCall call, size_t calls) {
  call.timeout /= static_cast<int64_t>(std::max<size_t>(1, calls));
  return call;
}

// --- answer_comment ---

// Reading, editing, and writing a new comment after all.
constexpr size_t kAnswerCalls = 3;

bool FitsMarker(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameCharacters && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
  });
}

// At most `most` characters of well-formed UTF-8, without white space at the end.
std::string CutText(std::string_view text, size_t most) {
  size_t characters = 0;
  size_t end = 0;
  while (end < text.size()) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && characters == most) break;
    if (begins) ++characters;
    ++end;
  }
  const bool cut = end < text.size();
  text = text.substr(0, end);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return absl::StrCat(Abs(text), cut ? Abs(kCut) : absl::string_view());
}

// What an entry of the ledger says.
struct Answer {
  std::string key;  // in the marker
  int64_t revision = 0;
  std::string body;  // with the marker
};

std::optional<Answer> AnswerOf(const store::Effect& effect) {
  const std::optional<json> value = ParsePayload(effect.payload);
  if (!value.has_value()) return std::nullopt;
  Answer answer;
  answer.body = StringMember(*value, "body");
  answer.key = StringMember(*value, "key");
  const std::optional<int64_t> revision = AnswerCommentEffect::RevisionOf(answer.key, answer.key);
  if (answer.body.empty() || !revision.has_value()) return std::nullopt;
  answer.revision = *revision;
  return answer;
}

struct FoundAnswer {
  std::string id;
  int64_t revision = 0;
};

// The comment of ours with the latest revision.
std::optional<FoundAnswer> FindAnswer(const std::vector<ForgeComment>& comments, const Answer& answer,
                                      std::string_view own_login) {
  std::optional<FoundAnswer> best;
  for (const ForgeComment& comment : comments) {
    const std::optional<std::string> key = PostTemplateEffect::KeyOf(comment.body);
    if (!key.has_value()) continue;
    const std::optional<int64_t> revision = AnswerCommentEffect::RevisionOf(*key, answer.key);
    if (!revision.has_value()) continue;
    // Somebody else may have copied our marker.
    if (!own_login.empty() && !SameLogin(comment.author.login, own_login)) continue;
    if (!best.has_value() || *revision > best->revision) best = FoundAnswer{comment.id, *revision};
  }
  return best;
}

LookResult AnswerSeen(const std::optional<FoundAnswer>& found, const Answer& answer) {
  LookResult look;
  look.seen = found.has_value() && found->revision >= answer.revision;
  if (look.seen) look.forge_ref = found->id;
  return look;
}

LookResult WrittenSeen(const ForgeCommentWritten& written, const Answer& answer, std::string_view own_login) {
  if (!written.shown.has_value()) return {};
  return AnswerSeen(FindAnswer({*written.shown}, answer, own_login), answer);
}

// Whether an edit failed in a way that a new comment mends: the comment is gone, or comments can't be edited.
bool NeedsNewComment(const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value()) return false;
  return error->reason == ForgeReason::kNotFound || error->reason == ForgeReason::kUnsupported ||
         error->http_status == 405;
}

// --- react ---

absl::StatusOr<LookResult> React(const EffectContext& context, const store::Effect& effect) {
  const std::optional<json> value = ParsePayload(effect.payload);
  const std::string content = value.has_value() ? StringMember(*value, "content") : std::string();
  const std::optional<ForgeReaction> reaction = ForgeReactionFromName(content);
  if (!reaction.has_value()) return BrokenPayload("the entry of the ledger has no reaction that forges know");
  const absl::StatusOr<std::string> id = context.forge.AddReaction(context.call, ForgeSubjectOf(effect.subject),
                                                                   StringMember(*value, "comment"), *reaction);
  if (!id.ok()) {
    std::optional<ForgeError> error = ForgeErrorOf(id.status());
    if (!error.has_value() || error->reason != ForgeReason::kForbidden) return id.status();
    // A locked conversation, or a right that we lack: an answer does not wait for an operator because of that.
    error->reason = ForgeReason::kUnsupported;
    return MakeForgeStatus(*error, std::string(id.status().message()));
  }
  LookResult look;
  look.seen = true;
  look.forge_ref = id->empty() ? content : *id;
  return look;
}

// --- remove_labels ---

LookResult LabelsGone(const std::vector<std::string>& have, const std::vector<std::string>& unwanted) {
  LookResult look;
  look.seen = std::none_of(unwanted.begin(), unwanted.end(), [&have](const std::string& label) {
    return std::find(have.begin(), have.end(), label) != have.end();
  });
  if (look.seen) {
    for (const std::string& label : unwanted)
      absl::StrAppend(&look.forge_ref, look.forge_ref.empty() ? "" : ", ", label);
  }
  return look;
}

}  // namespace

// --- react ---

std::optional<store::NewEffect> ReactEffect::Make(const v1::Plan& plan, const v1::Action& action, int repeat) const {
  if (!action.has_react() || !ForgeReactionFromName(action.react().content()).has_value()) return std::nullopt;
  const v1::React& react = action.react();
  store::NewEffect effect;
  effect.kind = kName;
  effect.subject = plan.subject();
  effect.decision = plan.id();
  effect.payload = DumpPayload({{"comment", react.comment()}, {"content", react.content()}});
  effect.key =
      WithRepeat("r-" + EffectKeyDigest({kName, SubjectKey(plan.subject()), react.comment(), react.content()}), repeat);
  return effect;
}

absl::StatusOr<LookResult> ReactEffect::Send(const EffectContext& context, const store::Effect& effect) const {
  return React(context, effect);
}

absl::StatusOr<LookResult> ReactEffect::Look(const EffectContext& context, const store::Effect& effect) const {
  return React(context, effect);
}

// --- answer_comment ---

std::string AnswerCommentEffect::MarkerKey(const v1::Subject& subject, std::string_view name, int64_t revision) {
  return absl::StrCat("a-", EffectKeyDigest({kName, SubjectKey(subject), name}), "-", revision);
}

std::optional<int64_t> AnswerCommentEffect::RevisionOf(std::string_view marker_key, std::string_view comment_key) {
  const size_t dash = marker_key.rfind('-');
  const size_t other = comment_key.rfind('-');
  if (dash == std::string_view::npos || other == std::string_view::npos ||
      marker_key.substr(0, dash) != comment_key.substr(0, other)) {
    return std::nullopt;
  }
  const std::string_view digits = marker_key.substr(dash + 1);
  int64_t revision = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), revision);
  if (error != std::errc() || end != digits.data() + digits.size() || revision < 0) return std::nullopt;
  return revision;
}

std::optional<store::NewEffect> AnswerCommentEffect::Make(const v1::Plan& plan, const v1::Action& action,
                                                          int repeat) const {
  if (!action.has_answer_comment()) return std::nullopt;
  const v1::AnswerComment& answer = action.answer_comment();
  const std::string text = CutText(answer.body(), kMaxCharacters);
  if (!FitsMarker(answer.name()) || text.empty() || answer.revision() < 0) return std::nullopt;
  const std::string key = MarkerKey(plan.subject(), answer.name(), answer.revision());
  store::NewEffect effect;
  effect.kind = kName;
  effect.subject = plan.subject();
  effect.decision = plan.id();
  effect.key = WithRepeat(key, repeat);
  const std::string marker = PostTemplateEffect::Marker(plan.pack(), answer.name(), key);
  effect.payload = DumpPayload({{"key", key}, {"body", absl::StrCat(text, "\n\n", marker)}});
  return effect;
}

absl::StatusOr<LookResult> AnswerCommentEffect::Send(const EffectContext& context, const store::Effect& effect) const {
  const std::optional<Answer> answer = AnswerOf(effect);
  if (!answer.has_value()) return BrokenPayload("the entry of the ledger has no text to show");
  const ForgeSubject subject = ForgeSubjectOf(effect.subject);
  const ForgeCall call = OneOf(context.call, kAnswerCalls);
  // Which comment is it, and what does it say by now?
  const absl::StatusOr<ForgeCommentList> list = context.forge.ListComments(call, subject);
  if (!list.ok()) return AsNotSent(list.status());
  const std::optional<FoundAnswer> found = FindAnswer(list->comments, *answer, context.own_login);
  if (LookResult look = AnswerSeen(found, *answer); look.seen) return look;
  if (found.has_value()) {
    const absl::StatusOr<ForgeCommentWritten> edited =
        context.forge.EditComment(call, subject, found->id, answer->body);
    if (edited.ok()) return WrittenSeen(*edited, *answer, context.own_login);
    if (!NeedsNewComment(edited.status())) return edited.status();
  }
  ASSIGN_OR_RETURN(const ForgeCommentWritten added, context.forge.AddComment(call, subject, answer->body));
  return WrittenSeen(added, *answer, context.own_login);
}

absl::StatusOr<LookResult> AnswerCommentEffect::Look(const EffectContext& context, const store::Effect& effect) const {
  const std::optional<Answer> answer = AnswerOf(effect);
  if (!answer.has_value()) return BrokenPayload("the entry of the ledger has no text to look for");
  ASSIGN_OR_RETURN(const ForgeCommentList list,
                   context.forge.ListComments(context.call, ForgeSubjectOf(effect.subject)));
  LookResult look = AnswerSeen(FindAnswer(list.comments, *answer, context.own_login), *answer);
  look.conclusive = list.complete;
  return look;
}

// --- remove_labels ---

std::optional<store::NewEffect> RemoveLabelsEffect::Make(const v1::Plan& plan, const v1::Action& action,
                                                         int repeat) const {
  if (!action.has_remove_labels() || action.remove_labels().labels().empty()) return std::nullopt;
  const v1::RemoveLabels& remove = action.remove_labels();
  std::vector<std::string> labels(remove.labels().begin(), remove.labels().end());
  store::NewEffect effect;
  effect.kind = kName;
  effect.subject = plan.subject();
  effect.decision = plan.id();
  effect.payload = DumpPayload({{"labels", labels}, {"command", remove.command()}});
  std::sort(labels.begin(), labels.end());
  const std::string subject = SubjectKey(plan.subject());
  std::vector<std::string_view> parts = {kName, subject, remove.command()};
  parts.insert(parts.end(), labels.begin(), labels.end());
  effect.key = WithRepeat("u-" + EffectKeyDigest(parts), repeat);
  return effect;
}

absl::StatusOr<LookResult> RemoveLabelsEffect::Send(const EffectContext& context, const store::Effect& effect) const {
  const std::optional<json> value = ParsePayload(effect.payload);
  const std::vector<std::string> labels =
      value.has_value() ? StringsMember(*value, "labels") : std::vector<std::string>();
  if (labels.empty()) return BrokenPayload("the entry of the ledger has no labels to take off");
  const ForgeCall call = OneOf(context.call, labels.size());
  // The last answer shows what all of them came to.
  LookResult look;
  for (const std::string& label : labels) {
    ASSIGN_OR_RETURN(const ForgeLabelsWritten written,
                     context.forge.RemoveLabel(call, ForgeSubjectOf(effect.subject), label));
    look = written.shown.has_value() ? LabelsGone(*written.shown, labels) : LookResult{};
  }
  return look;
}

absl::StatusOr<LookResult> RemoveLabelsEffect::Look(const EffectContext& context, const store::Effect& effect) const {
  const std::optional<json> value = ParsePayload(effect.payload);
  const std::vector<std::string> labels =
      value.has_value() ? StringsMember(*value, "labels") : std::vector<std::string>();
  ASSIGN_OR_RETURN(ForgeIssue issue, context.forge.GetIssue(context.call, ForgeSubjectOf(effect.subject)));
  return LabelsGone(issue.labels, labels);
}

}  // namespace yardmaster
