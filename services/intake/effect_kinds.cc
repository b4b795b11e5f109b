#include "services/intake/effect_kinds.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"
#include "services/intake/effect_payload.h"
#include "services/intake/router.h"

namespace yardmaster {
namespace {

using nlohmann::json;

constexpr std::string_view kMarkerBegin = "<!-- yardmaster ";
constexpr std::string_view kMarkerEnd = " -->";

bool HasAll(const std::vector<std::string>& have, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& label) {
    return std::find(have.begin(), have.end(), label) != have.end();
  });
}

LookResult LabelsSeen(const std::vector<std::string>& have, const std::vector<std::string>& wanted) {
  LookResult look;
  look.seen = !wanted.empty() && HasAll(have, wanted);
  if (look.seen) {
    for (const std::string& label : wanted) absl::StrAppend(&look.forge_ref, look.forge_ref.empty() ? "" : ", ", label);
  }
  return look;
}

}  // namespace

ForgeSubject ForgeSubjectOf(const v1::Subject& subject) {
  return {subject.repository(), subject.number(), subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST};
}

std::string SubjectKey(const v1::Subject& subject) {
  return absl::StrCat(subject.forge(), ":", absl::AsciiStrToLower(subject.repository()),
                      subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST ? "!" : "#", subject.number());
}

// --- add_labels ---

std::optional<store::NewEffect> AddLabelsEffect::Make(const v1::Plan& plan, const v1::Action& action,
                                                      int repeat) const {
  if (!action.has_add_labels() || action.add_labels().labels().empty()) return std::nullopt;
  std::vector<std::string> labels(action.add_labels().labels().begin(), action.add_labels().labels().end());
  store::NewEffect effect;
  effect.kind = kName;
  effect.subject = plan.subject();
  effect.decision = plan.id();
  const std::string& command = action.add_labels().command();
  json payload = {{"labels", labels}};
  if (!command.empty()) payload["command"] = command;
  effect.payload = DumpPayload(payload);
  std::sort(labels.begin(), labels.end());
  const std::string subject = SubjectKey(plan.subject());
  std::vector<std::string_view> parts = {kName, subject};
  parts.insert(parts.end(), labels.begin(), labels.end());
  // What a person asks for is done again when asked again. No label has a line break.
  const std::string asked = "\n" + command;
  if (!command.empty()) parts.push_back(asked);
  effect.key = WithRepeat("l-" + EffectKeyDigest(parts), repeat);
  return effect;
}

std::vector<std::string> AddLabelsEffect::LabelsOf(std::string_view payload) {
  const std::optional<json> value = ParsePayload(payload);
  return value.has_value() ? StringsMember(*value, "labels") : std::vector<std::string>();
}

bool AddLabelsEffect::AskedFor(std::string_view payload) {
  const std::optional<json> value = ParsePayload(payload);
  return value.has_value() && !StringMember(*value, "command").empty();
}

absl::StatusOr<LookResult> AddLabelsEffect::Send(const EffectContext& context, const store::Effect& effect) const {
  const std::vector<std::string> labels = LabelsOf(effect.payload);
  ASSIGN_OR_RETURN(ForgeLabelsWritten written,
                   context.forge.AddLabels(context.call, ForgeSubjectOf(effect.subject), labels));
  if (!written.shown.has_value()) return LookResult{};
  return LabelsSeen(*written.shown, labels);
}

absl::StatusOr<LookResult> AddLabelsEffect::Look(const EffectContext& context, const store::Effect& effect) const {
  ASSIGN_OR_RETURN(ForgeIssue issue, context.forge.GetIssue(context.call, ForgeSubjectOf(effect.subject)));
  return LabelsSeen(issue.labels, LabelsOf(effect.payload));
}

// --- post_template ---

std::string PostTemplateEffect::Marker(std::string_view pack, std::string_view template_id, std::string_view key) {
  std::string out(kMarkerBegin);
  out.append("pack=").append(pack).append(" template=").append(template_id).append(" key=").append(key);
  return out.append(kMarkerEnd);
}

std::optional<std::string> PostTemplateEffect::KeyOf(std::string_view comment) {
  // Forges may change the white space around a comment, not inside.
  while (!comment.empty() && absl::ascii_isspace(static_cast<unsigned char>(comment.back()))) comment.remove_suffix(1);
  if (!comment.ends_with(kMarkerEnd)) return std::nullopt;
  const size_t begin = comment.rfind(kMarkerBegin);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view inside = comment.substr(begin, comment.size() - kMarkerEnd.size() - begin);
  const size_t key = inside.rfind(" key=");
  if (key == std::string_view::npos || inside.find('\n') != std::string_view::npos) return std::nullopt;
  return std::string(inside.substr(key + 5));
}

std::optional<store::NewEffect> PostTemplateEffect::Make(const v1::Plan& plan, const v1::Action& action,
                                                         int repeat) const {
  if (!action.has_post_template() || action.post_template().template_id().empty()) return std::nullopt;
  const v1::PostTemplate& post = action.post_template();
  store::NewEffect effect;
  effect.kind = kName;
  effect.subject = plan.subject();
  effect.decision = plan.id();
  effect.key = WithRepeat("c-" + EffectKeyDigest({kName, SubjectKey(plan.subject()), post.template_id()}), repeat);
  std::string_view body = post.body();
  while (!body.empty() && absl::ascii_isspace(static_cast<unsigned char>(body.back()))) body.remove_suffix(1);
  effect.payload =
      DumpPayload({{"template", post.template_id()},
                   {"body", absl::StrCat(Abs(body), "\n\n", Marker(plan.pack(), post.template_id(), effect.key))}});
  return effect;
}

absl::StatusOr<LookResult> PostTemplateEffect::Send(const EffectContext& context, const store::Effect& effect) const {
  const std::optional<json> value = ParsePayload(effect.payload);
  const std::string body = value.has_value() ? StringMember(*value, "body") : std::string();
  if (body.empty()) return BrokenPayload("the entry of the ledger has no text to post");
  ASSIGN_OR_RETURN(ForgeCommentWritten written,
                   context.forge.AddComment(context.call, ForgeSubjectOf(effect.subject), body));
  LookResult look;
  look.seen = written.shown.has_value();
  if (look.seen) look.forge_ref = written.shown->id;
  return look;
}

absl::StatusOr<LookResult> PostTemplateEffect::Look(const EffectContext& context, const store::Effect& effect) const {
  ASSIGN_OR_RETURN(ForgeCommentList list, context.forge.ListComments(context.call, ForgeSubjectOf(effect.subject)));
  LookResult look;
  look.conclusive = list.complete;
  for (const ForgeComment& comment : list.comments) {
    if (KeyOf(comment.body) != effect.key) continue;
    // Somebody else may have copied our marker.
    if (!context.own_login.empty() && !SameLogin(comment.author.login, context.own_login)) continue;
    look.seen = true;
    look.forge_ref = comment.id;
    break;
  }
  return look;
}

}  // namespace yardmaster
