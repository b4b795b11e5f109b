// `yard ledger list|show`.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "clients/cli/intake_call.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

using Stub = v1::IntakeService::Stub;

struct ListOptions {
  std::string subject;
  std::string state;
  std::string kind;
  std::string decision;
  int64_t limit = 50;
};

ExitCode List(const ListOptions& options, Session& session) {
  v1::ListEffectsRequest request;
  request.set_kind(options.kind);
  request.set_decision(options.decision);
  if (!options.state.empty()) {
    const std::optional<v1::EffectState> state = EffectStateFromWord(options.state);
    if (!state.has_value()) {
      session.output.Error("--state: expected intent, unknown, confirmed, refused or failed");
      return ExitCode::kUsage;
    }
    request.set_state(*state);
  }
  if (!SetSubject(options.subject, session, request)) return ExitCode::kUsage;
  IntakeClient client = IntakeClient::Open(session, "ledger list");
  if (client.stub == nullptr) return client.code;
  google::protobuf::RepeatedPtrField<v1::Effect> rows;
  const grpc::Status status =
      ReadPages(client, options.limit, request, &Stub::ListEffects, &v1::ListEffectsResponse::effects, rows);
  if (!status.ok()) return client.connection->Report(session, status, false);
  PrintRows("effects", rows, &EffectJson, &EffectTable, session);
  return ExitCode::kDone;
}

ExitCode Show(const std::string& which, Session& session) {
  IntakeClient client = IntakeClient::Open(session, "ledger show");
  if (client.stub == nullptr) return client.code;
  v1::ShowEffectRequest request;
  if (const std::optional<int64_t> row = RowNumber(which); row.has_value()) {
    request.set_id(*row);
  } else {
    request.set_key(which);
  }
  v1::ShowEffectResponse response;
  const grpc::Status status = client.Do(
      [&](Stub& stub, grpc::ClientContext& context) { return stub.ShowEffect(&context, request, &response); });
  if (!status.ok()) return client.connection->Report(session, status, false);
  if (session.options.json) {
    session.output.Json(EffectJson(response.effect()));
  } else {
    session.output.out() << EffectText(response.effect(), session.output);
  }
  return ExitCode::kDone;
}

}  // namespace

void AddLedgerVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* ledger = AddVerb(app, "ledger", "What the bot wrote, where, when and why",
                             "  yard ledger list --subject github:octo/repo#12\n  yard ledger show 17");
  ledger->require_subcommand(1);

  auto options = std::make_shared<ListOptions>();
  CLI::App* list = AddVerb(*ledger, "list", "List effects, newest first",
                           "  yard ledger list\n"
                           "  yard ledger list --subject github:octo/repo#12 --json\n"
                           "  yard ledger list --state unknown --limit 0");
  list->add_option("--subject", options->subject, "Only on this subject")->type_name("SUBJECT");
  list->add_option("--state", options->state, "Only in this state")->type_name("STATE");
  list->add_option("--kind", options->kind, "Only of this kind")->type_name("KIND");
  list->add_option("--decision", options->decision, "Only of this decision")->type_name("ID");
  list->add_option("--limit", options->limit, "At most so many; 0 = all (default 50)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  list->callback([&chosen, options] { chosen = [options](Session& s) { return List(*options, s); }; });

  auto which = std::make_shared<std::string>();
  CLI::App* show = AddVerb(*ledger, "show", "Show one effect",
                           "  yard ledger show 17\n  yard ledger show c-0123456789abcdef --json");
  show->add_option("EFFECT", *which, "The effect's key, or its row")->required()->type_name("");
  show->callback([&chosen, which] { chosen = [which](Session& s) { return Show(*which, s); }; });
}

}  // namespace yardmaster::cli
