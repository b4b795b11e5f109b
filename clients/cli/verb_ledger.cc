// `yard ledger list|show|settle|abandon`.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "clients/cli/answer.h"
#include "clients/cli/intake_client.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

using Stub = v1::IntakeService::Stub;

constexpr const char* kEffectHelp = "The effect's key, or its row";
// Between two looks at an effect that is to be settled.
constexpr std::chrono::milliseconds kLook{200};

struct ListOptions {
  std::string subject;
  std::string state;
  std::string kind;
  std::string decision;
  int64_t limit = 50;
};

absl::StatusOr<ExitCode> List(const ListOptions& options, Session& session) {
  v1::ListEffectsRequest request;
  request.set_kind(options.kind);
  request.set_decision(options.decision);
  if (!options.state.empty()) {
    const std::optional<v1::EffectState> state = EffectStateFromName(options.state);
    if (!state.has_value()) return UsageError("--state: expected intent, unknown, confirmed, refused or failed");
    request.set_state(*state);
  }
  RETURN_IF_ERROR(SetSubject(options.subject, request));
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "ledger list"));
  ASSIGN_OR_RETURN(const auto rows,
                   ReadPages(server, options.limit, request, &Stub::ListEffects, &v1::ListEffectsResponse::effects));
  PrintRows("effects", rows, EffectJson, EffectTable, session);
  return ExitCode::kDone;
}

// `key`: EffectKey or a message with the same fields.
template <typename Key>
void SetKey(const std::string& which, Key& key) {
  if (const std::optional<int64_t> row = ParseNumber(which); row.has_value()) {
    key.set_id(*row);
  } else {
    key.set_key(which);
  }
}

bool IsOpen(const v1::Effect& effect) {
  return effect.state() == v1::EFFECT_STATE_INTENT || effect.state() == v1::EFFECT_STATE_UNKNOWN;
}

absl::StatusOr<ExitCode> Show(const std::string& which, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "ledger show"));
  v1::ShowEffectRequest request;
  SetKey(which, request);
  ASSIGN_OR_RETURN(const v1::ShowEffectResponse response, server.Call(&Stub::ShowEffect, request));
  PrintAnswer(response.effect(), EffectJson, EffectText, session);
  return ExitCode::kDone;
}

struct SettleOptions {
  std::string which;
  int64_t timeout = 30;  // in seconds
};

absl::StatusOr<ExitCode> Settle(const SettleOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "ledger settle"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout);
  v1::SettleEffectRequest request;
  SetKey(options.which, *request.mutable_effect());
  ASSIGN_OR_RETURN(const v1::SettleEffectResponse asked, server.Call(&Stub::SettleEffect, request));
  v1::Effect effect = asked.effect();
  v1::ShowEffectRequest show;
  show.set_id(effect.id());
  while (IsOpen(effect) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLook);
    ASSIGN_OR_RETURN(v1::ShowEffectResponse response, server.Call(&Stub::ShowEffect, show));
    effect.Swap(response.mutable_effect());
  }
  PrintAnswer(effect, EffectJson, EffectText, session);
  return IsOpen(effect) ? ExitCode::kNegative : ExitCode::kDone;
}

struct AbandonOptions {
  std::string which;
  std::string reason;
};

absl::StatusOr<ExitCode> Abandon(const AbandonOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "ledger abandon"));
  v1::AbandonEffectRequest request;
  SetKey(options.which, *request.mutable_effect());
  request.set_reason(options.reason);
  ASSIGN_OR_RETURN(const v1::AbandonEffectResponse response, server.Call(&Stub::AbandonEffect, request));
  PrintAnswer(response.effect(), EffectJson, EffectText, session);
  return ExitCode::kDone;
}

}  // namespace

void AddLedgerVerbs(Verb& yard) {
  Verb& ledger =
      yard.Add("ledger", "What the bot wrote, where, when and why",
               {"yard ledger list --subject github:octo/repo#12", "yard ledger show 17", "yard ledger settle 17"});

  Verb& list = ledger.Add("list", "List effects, newest first",
                          {"yard ledger list", "yard ledger list --subject github:octo/repo#12 --json",
                           "yard ledger list --state unknown --limit 0"});
  ListOptions& options = list.Runs(List);
  list.Value("--subject", &options.subject, "SUBJECT", "Only on this subject");
  list.Value("--state", &options.state, "STATE", "Only in this state");
  list.Value("--kind", &options.kind, "KIND", "Only of this kind");
  list.Value("--decision", &options.decision, "ID", "Only of this decision");
  list.Value("--limit", &options.limit, "N", "At most so many; 0 = all (default 50)").NotNegative();

  Verb& show =
      ledger.Add("show", "Show one effect", {"yard ledger show 17", "yard ledger show c-0123456789abcdef --json"});
  show.Argument("EFFECT", &show.Runs(Show), kEffectHelp).Required();

  Verb& settle = ledger.Add("settle", "Read an open effect back on its forge now, and wait until it is settled",
                            {"yard ledger settle 17", "yard ledger settle c-0123456789abcdef --timeout 5"});
  SettleOptions& settled = settle.Runs(Settle);
  settle.Argument("EFFECT", &settled.which, kEffectHelp).Required();
  settle.Value("--timeout", &settled.timeout, "SECONDS", "How long to wait (default 30)").NotNegative();

  Verb& abandon = ledger.Add("abandon", "Give an open effect up: it is failed, and neither read nor sent again",
                             {"yard ledger abandon 17 --reason 'the repository is gone'"});
  AbandonOptions& abandoned = abandon.Runs(Abandon);
  abandon.Argument("EFFECT", &abandoned.which, kEffectHelp).Required();
  abandon.Value("--reason", &abandoned.reason, "TEXT", "Why, for the ledger");
}

}  // namespace yardmaster::cli
