// `yard ledger list|show`.
#include <cstdint>
#include <optional>
#include <string>

#include "clients/cli/answer.h"
#include "clients/cli/intake_client.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

using IntakeStub = v1::IntakeService::Stub;

struct EffectListOptions {
  std::string subject;
  std::string state;
  std::string kind;
  std::string decision;
  int64_t limit = 50;
};

absl::StatusOr<ExitCode> ListEffects(const EffectListOptions& options, Session& session) {
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
  ASSIGN_OR_RETURN(const auto rows, ReadPages(server, options.limit, request, &IntakeStub::ListEffects,
                                              &v1::ListEffectsResponse::effects));
  PrintRows("effects", rows, EffectJson, EffectTable, session);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> ShowEffect(const std::string& which, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "ledger show"));
  v1::ShowEffectRequest request;
  if (const std::optional<int64_t> row = ParseNumber(which); row.has_value()) {
    request.set_id(*row);
  } else {
    request.set_key(which);
  }
  ASSIGN_OR_RETURN(const v1::ShowEffectResponse response, server.Call(&IntakeStub::ShowEffect, request));
  PrintAnswer(response.effect(), EffectJson, EffectText, session);
  return ExitCode::kDone;
}

}  // namespace

void AddLedgerVerbs(Verb& yard) {
  Verb& ledger = yard.Add("ledger", "What the bot wrote, where, when and why",
                          {"yard ledger list --subject github:octo/repo#12", "yard ledger show 17"});

  Verb& list = ledger.Add("list", "List effects, newest first",
                          {"yard ledger list", "yard ledger list --subject github:octo/repo#12 --json",
                           "yard ledger list --state unknown --limit 0"});
  EffectListOptions& options = list.Runs(ListEffects);
  list.Value("--subject", &options.subject, "SUBJECT", "Only on this subject");
  list.Value("--state", &options.state, "STATE", "Only in this state");
  list.Value("--kind", &options.kind, "KIND", "Only of this kind");
  list.Value("--decision", &options.decision, "ID", "Only of this decision");
  list.Value("--limit", &options.limit, "N", "At most so many; 0 = all (default 50)").NotNegative();

  Verb& show =
      ledger.Add("show", "Show one effect", {"yard ledger show 17", "yard ledger show c-0123456789abcdef --json"});
  show.Argument("EFFECT", &show.Runs(ShowEffect), "The effect's key, or its row").Required();
}

}  // namespace yardmaster::cli
