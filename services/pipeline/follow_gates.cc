#include "services/pipeline/follow_gates.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effect.h"
#include "services/intake/pipeline/request.h"
#include "services/pipeline/gate_source.h"
#include "services/pipeline/profile_choice.h"

namespace yardmaster {
namespace {

constexpr std::chrono::hours kFollowFor{12};
// Starts that are looked through, the newest first.
constexpr int64_t kStartsToLookAt = 200;
constexpr size_t kMaxFollowedWhy = 300;

// What people see of a gate: the line that tells whether something changed, and why.
struct GateWord {
  std::string line;
  std::string why;
  bool over = false;
};

GateWord WordOf(const rules::PipelineReport& report, const v1::Subject& subject, bool chinese) {
  GateWord word;
  word.line =
      absl::StrCat(chinese ? "门禁 " : "Gate of ", EchoCode(absl::StrCat(subject.repository(), "#", subject.number())),
                   chinese ? "：**" : ": **", Abs(rules::PipelinePhaseName(report.phase)), "** → `",
                   Abs(rules::PipelineActionName(report.action)), "`");
  word.why = EchoText(chinese ? report.why_zh : report.why, kMaxFollowedWhy);
  word.over = report.action != rules::PipelineAction::kWait;
  return word;
}

// How far a gate was told.
struct Told {
  int64_t forms = 0;  // besides the answer
  std::string text;   // of the last one
  bool over = false;
};

absl::StatusOr<Told> FindTold(store::Ledger& ledger, const v1::ChatFollow& follow) {
  Told told;
  for (int64_t form = kAnswerForm + 1; form <= kMostChatForms; ++form) {
    const absl::StatusOr<store::Effect> effect = ledger.Find(ChatMessageKey(FollowMessage(follow, form, "")));
    // The last form stands apart: what is told on the way does not reach every platform.
    if (absl::IsNotFound(effect.status()) && form < kMostChatForms) {
      form = kMostChatForms - 1;
      continue;
    }
    if (absl::IsNotFound(effect.status())) break;
    RETURN_IF_ERROR(effect.status());
    ++told.forms;
    told.text = effect->action.chat_message().body();
    told.over = form == kMostChatForms;
  }
  return told;
}

// One gate; whether something was said.
absl::StatusOr<bool> FollowOne(const JobEnvironment& env, const store::Effect& start) {
  const v1::ChatFollow& follow = start.action.start_gate().told();
  ASSIGN_OR_RETURN(const Told told, FindTold(env.store.ledger(), follow));
  if (told.over) return false;
  const std::shared_ptr<const PackSet> packs = env.packs.Current();
  const auto profile = ProfileFor(env.intake.config, *packs, start.subject, "");
  if (profile == nullptr) return false;
  ASSIGN_OR_RETURN(const rules::PipelineSignals signals, env.gates->Read(start.subject, *profile));
  const GateWord word =
      WordOf(rules::Diagnose(*profile, signals, env.intake.clock.Now()), start.subject, follow.chinese());
  if (!word.over && told.text.starts_with(word.line)) return false;
  const bool last = word.over || told.forms + kAnswerForm + 2 >= kMostChatForms;
  const int64_t form = last ? kMostChatForms : told.forms + kAnswerForm + 1;
  v1::ChatMessage message =
      FollowMessage(follow, form, absl::StrCat(word.line, follow.chinese() ? "：" : ": ", word.why));
  message.set_changes(!last);
  SubjectRequest request;
  request.subject = start.subject;
  *request.announcement.emplace().add_messages() = std::move(message);
  const std::string id = absl::StrCat("gate-goes-on-", start.key, "-", form);
  ASSIGN_OR_RETURN(const store::AddResult added, env.intake.inbox.AddAndWait(MakeRequest(request, id)));
  return !added.duplicate;
}

}  // namespace

absl::StatusOr<std::string> FollowGates(const JobEnvironment& env, const JobTurn& turn) {
  if (env.gates == nullptr) return absl::UnavailableError("gates can't be read");
  store::EffectFilter filter;
  filter.kind = "start_gate";
  filter.state = store::EffectState::kConfirmed;
  ASSIGN_OR_RETURN(const store::Page<store::Effect> starts, env.store.ledger().List(filter, {0, kStartsToLookAt}));
  std::set<std::string> seen;
  size_t followed = 0;
  size_t said = 0;
  size_t unread = 0;
  for (const store::Effect& start : starts.items) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    if (env.intake.clock.Now() - start.created_at > kFollowFor) break;
    // A newer start took its place, whoever made it.
    const bool newest = seen.insert(SubjectKey(start.subject)).second;
    if (!newest || !start.action.start_gate().has_told()) continue;
    ++followed;
    const absl::StatusOr<bool> told = FollowOne(env, start);
    if (told.ok() && *told) ++said;
    if (!told.ok()) ++unread;
  }
  const std::string summary =
      absl::StrCat(followed, " gates, ", said, " told", unread > 0 ? absl::StrCat(", ", unread, " can't be read") : "");
  if (unread > 0) return absl::UnavailableError(summary);
  return summary;
}

}  // namespace yardmaster
