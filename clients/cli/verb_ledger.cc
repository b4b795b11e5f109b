// `yard ledger list|show`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "clients/cli/intake_call.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
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
  if (!options.subject.empty()) {
    std::optional<v1::Subject> subject = ParseSubject(options.subject);
    if (!subject.has_value()) {
      session.output.Error("--subject: expected FORGE:OWNER/REPO#N");
      return ExitCode::kUsage;
    }
    subject->set_kind(v1::SUBJECT_KIND_UNSPECIFIED);
    *request.mutable_subject() = *std::move(subject);
  }
  IntakeClient client = IntakeClient::Open(session, "ledger list");
  if (client.stub == nullptr) return client.code;
  google::protobuf::RepeatedPtrField<v1::Effect> rows;
  const grpc::Status status = ReadPages(
      client, options.limit, rows, [&](Stub& stub, grpc::ClientContext& context, v1::PageRequest& page, auto& out) {
        *request.mutable_page() = page;
        v1::ListEffectsResponse response;
        grpc::Status listed = stub.ListEffects(&context, request, &response);
        for (v1::Effect& effect : *response.mutable_effects()) *out.Add() = std::move(effect);
        page.set_before(response.next());
        return listed;
      });
  if (!status.ok()) return client.connection->Report(session, status, false);
  if (session.options.json) {
    Json effects = Json::array();
    for (const v1::Effect& effect : rows) effects.push_back(EffectJson(effect));
    session.output.Json({{"effects", effects}});
  } else if (rows.empty()) {
    session.output.Note("none");
  } else {
    session.output.out() << EffectTable(rows, session.output);
  }
  return ExitCode::kDone;
}

ExitCode Show(const std::string& which, Session& session) {
  IntakeClient client = IntakeClient::Open(session, "ledger show");
  if (client.stub == nullptr) return client.code;
  v1::ShowEffectRequest request;
  int64_t row = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), row);
  if (error == std::errc() && end == which.data() + which.size() && row > 0) {
    request.set_id(row);
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
