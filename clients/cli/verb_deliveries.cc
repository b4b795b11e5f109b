// `yard deliveries list|show|replay|drain` and `yard deadletters list|requeue`.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "clients/cli/intake_call.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using Stub = v1::IntakeService::Stub;

// Between looks of `drain`.
constexpr std::chrono::milliseconds kDrainLook{100};

struct ListOptions {
  std::string forge;
  std::string event;
  std::string state;
  std::string subject;
  std::string delivery;
  int64_t limit = 50;
};

// A row number, or the forge's id.
v1::DeliveryKey KeyOf(const std::string& text) {
  v1::DeliveryKey key;
  if (const std::optional<int64_t> row = RowNumber(text); row.has_value()) {
    key.set_id(*row);
  } else {
    key.set_delivery_id(text);
  }
  return key;
}

using Deliveries = google::protobuf::RepeatedPtrField<v1::Delivery>;

void PrintDeliveries(const Deliveries& deliveries, Session& session) {
  PrintRows("deliveries", deliveries, &DeliveryJson, &DeliveryTable, session);
}

// --- deliveries ---

ExitCode List(const ListOptions& options, Session& session) {
  v1::ListDeliveriesRequest request;
  request.set_forge(options.forge);
  request.set_event(options.event);
  request.set_delivery_id(options.delivery);
  if (!options.state.empty()) {
    const std::optional<v1::DeliveryState> state = DeliveryStateFromWord(options.state);
    if (!state.has_value()) {
      session.output.Error("--state: expected received, ignored, done, failed or dead");
      return ExitCode::kUsage;
    }
    request.set_state(*state);
  }
  if (!SetSubject(options.subject, session, request)) return ExitCode::kUsage;
  IntakeClient client = IntakeClient::Open(session, "deliveries list");
  if (client.stub == nullptr) return client.code;
  Deliveries rows;
  const grpc::Status status =
      ReadPages(client, options.limit, request, &Stub::ListDeliveries, &v1::ListDeliveriesResponse::deliveries, rows);
  if (!status.ok()) return client.connection->Report(session, status, false);
  PrintDeliveries(rows, session);
  return ExitCode::kDone;
}

ExitCode Show(const std::string& which, Session& session) {
  IntakeClient client = IntakeClient::Open(session, "deliveries show");
  if (client.stub == nullptr) return client.code;
  v1::ShowDeliveryRequest request;
  *request.mutable_delivery() = KeyOf(which);
  v1::ShowDeliveryResponse response;
  const grpc::Status status = client.Do(
      [&](Stub& stub, grpc::ClientContext& context) { return stub.ShowDelivery(&context, request, &response); });
  if (!status.ok()) return client.connection->Report(session, status, false);
  if (session.options.json) {
    Json out = DeliveryJson(response.delivery());
    out["headers"] = Json::array();
    for (const std::string& header : response.headers()) out["headers"].push_back(header);
    out["effects"] = Json::array();
    for (const v1::Effect& effect : response.effects()) out["effects"].push_back(EffectJson(effect));
    out["body"] = response.delivery().body_kept() ? Json(response.body()) : Json(nullptr);
    session.output.Json(out);
    return ExitCode::kDone;
  }
  session.output.out() << DeliveryText(response.delivery(), session.output);
  if (!response.effects().empty()) {
    session.output.out() << "\nIt led to:\n" << EffectTable(response.effects(), session.output);
  }
  if (!response.body().empty()) session.output.out() << "\n" << Printable(response.body()) << "\n";
  return ExitCode::kDone;
}

ExitCode Replay(const std::vector<std::string>& which, Session& session) {
  IntakeClient client = IntakeClient::Open(session, "deliveries replay");
  if (client.stub == nullptr) return client.code;
  Deliveries rows;
  for (const std::string& one : which) {
    v1::ReplayDeliveryRequest request;
    *request.mutable_delivery() = KeyOf(one);
    v1::ReplayDeliveryResponse response;
    const grpc::Status status = client.Do(
        [&](Stub& stub, grpc::ClientContext& context) { return stub.ReplayDelivery(&context, request, &response); });
    if (!status.ok()) return client.connection->Report(session, status, false);
    *rows.Add() = std::move(*response.mutable_delivery());
  }
  PrintDeliveries(rows, session);
  return ExitCode::kDone;
}

ExitCode Drain(int64_t timeout, Session& session) {
  IntakeClient client = IntakeClient::Open(session, "deliveries drain");
  if (client.stub == nullptr) return client.code;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout);
  v1::GetPendingResponse pending;
  bool drained = false;
  while (true) {
    const grpc::Status status =
        client.Do([&](Stub& stub, grpc::ClientContext& context) { return stub.GetPending(&context, {}, &pending); });
    if (!status.ok()) return client.connection->Report(session, status, false);
    drained = pending.deliveries() == 0 && pending.effects() == 0;
    if (drained || std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kDrainLook);
  }
  if (session.options.json) {
    session.output.Json({{"drained", drained},
                         {"deliveries", pending.deliveries()},
                         {"effects", pending.effects()},
                         {"dead_letters", pending.dead_letters()}});
  } else if (drained) {
    session.output.out() << "nothing is pending\n";
  } else {
    session.output.out() << "still pending: " << pending.deliveries() << " deliveries, " << pending.effects()
                         << " effects\n";
  }
  if (pending.dead_letters() > 0) {
    session.output.Note(std::to_string(pending.dead_letters()) + " dead letters: see 'yard deadletters list'");
  }
  return drained ? ExitCode::kDone : ExitCode::kNegative;
}

// --- deadletters ---

struct DeadLetterOptions {
  std::string state;
  int64_t limit = 50;
};

ExitCode ListDead(const DeadLetterOptions& options, Session& session) {
  v1::ListDeadLettersRequest request;
  if (!options.state.empty()) {
    const v1::DeliveryState state = DeliveryStateFromWord(options.state).value_or(v1::DELIVERY_STATE_UNSPECIFIED);
    if (state != v1::DELIVERY_STATE_FAILED && state != v1::DELIVERY_STATE_DEAD) {
      session.output.Error("--state: expected failed or dead");
      return ExitCode::kUsage;
    }
    request.set_state(state);
  }
  IntakeClient client = IntakeClient::Open(session, "deadletters list");
  if (client.stub == nullptr) return client.code;
  Deliveries rows;
  const grpc::Status status =
      ReadPages(client, options.limit, request, &Stub::ListDeadLetters, &v1::ListDeadLettersResponse::deliveries, rows);
  if (!status.ok()) return client.connection->Report(session, status, false);
  PrintDeliveries(rows, session);
  return ExitCode::kDone;
}

struct RequeueOptions {
  std::vector<std::string> which;
  bool all = false;
};

ExitCode Requeue(const RequeueOptions& options, Session& session) {
  if (options.which.empty() == !options.all) {
    session.output.Error("expected dead letters, or --all");
    return ExitCode::kUsage;
  }
  IntakeClient client = IntakeClient::Open(session, "deadletters requeue");
  if (client.stub == nullptr) return client.code;
  v1::RequeueDeadLettersRequest request;
  request.set_all(options.all);
  for (const std::string& one : options.which) {
    const v1::DeliveryKey key = KeyOf(one);
    if (key.key_case() == v1::DeliveryKey::kId) {
      request.add_ids(key.id());
      continue;
    }
    v1::ShowDeliveryRequest show;
    *show.mutable_delivery() = key;
    show.set_omit_body(true);
    v1::ShowDeliveryResponse shown;
    const grpc::Status status =
        client.Do([&](Stub& stub, grpc::ClientContext& context) { return stub.ShowDelivery(&context, show, &shown); });
    if (!status.ok()) return client.connection->Report(session, status, false);
    request.add_ids(shown.delivery().id());
  }
  v1::RequeueDeadLettersResponse response;
  const grpc::Status status = client.Do(
      [&](Stub& stub, grpc::ClientContext& context) { return stub.RequeueDeadLetters(&context, request, &response); });
  if (!status.ok()) return client.connection->Report(session, status, false);
  if (session.options.json) {
    Json out{{"requeued", Json::array()}, {"refused", Json::array()}};
    for (const int64_t id : response.requeued()) out["requeued"].push_back(id);
    for (const auto& refused : response.refused()) {
      out["refused"].push_back({{"id", refused.id()}, {"reason", refused.reason()}});
    }
    session.output.Json(out);
  } else {
    session.output.out() << response.requeued_size() << " back in work\n";
    for (const auto& refused : response.refused()) {
      session.output.out() << "row " << refused.id() << ": " << Printable(refused.reason()) << "\n";
    }
  }
  return response.refused().empty() ? ExitCode::kDone : ExitCode::kNegative;
}

}  // namespace

void AddDeliveryVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* deliveries = AddVerb(app, "deliveries", "Look at webhook deliveries and what became of them",
                                 "  yard deliveries list --state ignored\n"
                                 "  yard deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958\n"
                                 "  yard deliveries drain --timeout 60");
  deliveries->require_subcommand(1);

  auto list_options = std::make_shared<ListOptions>();
  CLI::App* list = AddVerb(*deliveries, "list", "List deliveries, newest first",
                           "  yard deliveries list\n"
                           "  yard deliveries list --subject github:octo/repo#12 --json\n"
                           "  yard deliveries list --state received --limit 0");
  list->add_option("--forge", list_options->forge, "Only of this forge")->type_name("FORGE");
  list->add_option("--event", list_options->event, "Only this event, as the forge names it")->type_name("EVENT");
  list->add_option("--state", list_options->state, "Only in this state")->type_name("STATE");
  list->add_option("--subject", list_options->subject, "Only about this subject")->type_name("SUBJECT");
  list->add_option("--delivery", list_options->delivery, "Only of this delivery id")->type_name("ID");
  list->add_option("--limit", list_options->limit, "At most so many; 0 = all (default 50)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  list->callback([&chosen, list_options] { chosen = [list_options](Session& s) { return List(*list_options, s); }; });

  auto shown = std::make_shared<std::string>();
  CLI::App* show =
      AddVerb(*deliveries, "show", "Show one delivery, with its body and what it led to",
              "  yard deliveries show 17\n  yard deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958 --json");
  show->add_option("DELIVERY", *shown, "The delivery's id, or its row")->required()->type_name("");
  show->callback([&chosen, shown] { chosen = [shown](Session& s) { return Show(*shown, s); }; });

  auto replayed = std::make_shared<std::vector<std::string>>();
  CLI::App* replay = AddVerb(*deliveries, "replay", "Work on finished deliveries again; nothing is written twice",
                             "  yard deliveries replay 72d3162e-cc78-11e3-81ab-4c9367dc0958");
  replay->add_option("DELIVERY", *replayed, "Ids or rows of deliveries")->required()->type_name("");
  replay->callback([&chosen, replayed] { chosen = [replayed](Session& s) { return Replay(*replayed, s); }; });

  auto timeout = std::make_shared<int64_t>(300);
  CLI::App* drain = AddVerb(*deliveries, "drain", "Wait until nothing is pending, effects included; changes nothing",
                            "  yard deliveries drain\n  yard deliveries drain --timeout 10 --json");
  drain->add_option("--timeout", *timeout, "Seconds to wait (default 300); then exit 1")
      ->check(CLI::NonNegativeNumber)
      ->type_name("S");
  drain->callback([&chosen, timeout] { chosen = [timeout](Session& s) { return Drain(*timeout, s); }; });
}

void AddDeadLetterVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* dead = AddVerb(app, "deadletters", "Deliveries that were given up, or set aside because they crashed us",
                           "  yard deadletters list\n  yard deadletters requeue --all");
  dead->require_subcommand(1);

  auto list_options = std::make_shared<DeadLetterOptions>();
  CLI::App* list = AddVerb(*dead, "list", "List dead letters", "  yard deadletters list --state dead --json");
  list->add_option("--state", list_options->state, "failed or dead (default: both)")->type_name("STATE");
  list->add_option("--limit", list_options->limit, "At most so many; 0 = all (default 50)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  list->callback(
      [&chosen, list_options] { chosen = [list_options](Session& s) { return ListDead(*list_options, s); }; });

  auto requeue_options = std::make_shared<RequeueOptions>();
  CLI::App* requeue = AddVerb(*dead, "requeue", "Put dead letters back to work",
                              "  yard deadletters requeue 17 18\n  yard deadletters requeue --all");
  requeue->add_option("DELIVERY", requeue_options->which, "Ids or rows of deliveries")->type_name("");
  requeue->add_flag("--all", requeue_options->all, "All that were given up; dead ones only if named");
  requeue->callback(
      [&chosen, requeue_options] { chosen = [requeue_options](Session& s) { return Requeue(*requeue_options, s); }; });
}

}  // namespace yardmaster::cli
