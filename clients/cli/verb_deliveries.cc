// `yard deliveries list|show|replay|drain` and `yard deadletters list|requeue`.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clients/cli/answer.h"
#include "clients/cli/intake_client.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using IntakeStub = v1::IntakeService::Stub;

// Between looks of `drain`.
constexpr std::chrono::milliseconds kDrainLook{100};

struct DeliveryListOptions {
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
  if (const std::optional<int64_t> row = ParseNumber(text); row.has_value()) {
    key.set_id(*row);
  } else {
    key.set_delivery_id(text);
  }
  return key;
}

using Deliveries = google::protobuf::RepeatedPtrField<v1::Delivery>;

void PrintDeliveries(const Deliveries& deliveries, Session& session) {
  PrintRows("deliveries", deliveries, DeliveryJson, DeliveryTable, session);
}

// --- deliveries ---

absl::StatusOr<ExitCode> ListDeliveries(const DeliveryListOptions& options, Session& session) {
  v1::ListDeliveriesRequest request;
  request.set_forge(options.forge);
  request.set_event(options.event);
  request.set_delivery_id(options.delivery);
  if (!options.state.empty()) {
    const std::optional<v1::DeliveryState> state = DeliveryStateFromName(options.state);
    if (!state.has_value()) return UsageError("--state: expected received, ignored, done, failed or dead");
    request.set_state(*state);
  }
  RETURN_IF_ERROR(SetSubject(options.subject, request));
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "deliveries list"));
  ASSIGN_OR_RETURN(const Deliveries rows, ReadPages(server, options.limit, request, &IntakeStub::ListDeliveries,
                                                    &v1::ListDeliveriesResponse::deliveries));
  PrintDeliveries(rows, session);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> ShowDelivery(const std::string& which, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "deliveries show"));
  v1::ShowDeliveryRequest request;
  *request.mutable_delivery() = KeyOf(which);
  ASSIGN_OR_RETURN(const v1::ShowDeliveryResponse response, server.Call(&IntakeStub::ShowDelivery, request));
  if (session.options.json) {
    Json out = DeliveryJson(response.delivery());
    out["headers"] = response.headers();
    out["effects"] = JsonList(response.effects(), EffectJson);
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

absl::StatusOr<ExitCode> Replay(const std::vector<std::string>& which, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "deliveries replay"));
  Deliveries rows;
  for (const std::string& one : which) {
    v1::ReplayDeliveryRequest request;
    *request.mutable_delivery() = KeyOf(one);
    ASSIGN_OR_RETURN(v1::ReplayDeliveryResponse response, server.Call(&IntakeStub::ReplayDelivery, request));
    *rows.Add() = std::move(*response.mutable_delivery());
  }
  PrintDeliveries(rows, session);
  return ExitCode::kDone;
}

struct DrainOptions {
  int64_t timeout = 300;  // in seconds
};

absl::StatusOr<ExitCode> Drain(const DrainOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "deliveries drain"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout);
  v1::GetPendingResponse pending;
  bool drained = false;
  while (true) {
    ASSIGN_OR_RETURN(pending, server.Call(&IntakeStub::GetPending, v1::GetPendingRequest()));
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
    session.output.Note(absl::StrCat(pending.dead_letters(), " dead letters: see 'yard deadletters list'"));
  }
  return drained ? ExitCode::kDone : ExitCode::kNegative;
}

// --- deadletters ---

struct DeadLetterOptions {
  std::string state;
  int64_t limit = 50;
};

absl::StatusOr<ExitCode> ListDead(const DeadLetterOptions& options, Session& session) {
  v1::ListDeadLettersRequest request;
  if (!options.state.empty()) {
    const v1::DeliveryState state = DeliveryStateFromName(options.state).value_or(v1::DELIVERY_STATE_UNSPECIFIED);
    if (state != v1::DELIVERY_STATE_FAILED && state != v1::DELIVERY_STATE_DEAD) {
      return UsageError("--state: expected failed or dead");
    }
    request.set_state(state);
  }
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "deadletters list"));
  ASSIGN_OR_RETURN(const Deliveries rows, ReadPages(server, options.limit, request, &IntakeStub::ListDeadLetters,
                                                    &v1::ListDeadLettersResponse::deliveries));
  PrintDeliveries(rows, session);
  return ExitCode::kDone;
}

struct RequeueOptions {
  std::vector<std::string> which;
  bool all = false;
};

absl::StatusOr<ExitCode> Requeue(const RequeueOptions& options, Session& session) {
  if (options.which.empty() == !options.all) return UsageError("expected dead letters, or --all");
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "deadletters requeue"));
  v1::RequeueDeadLettersRequest request;
  request.set_all(options.all);
  for (const std::string& one : options.which) {
    v1::ShowDeliveryRequest show;
    *show.mutable_delivery() = KeyOf(one);
    show.set_omit_body(true);
    if (show.delivery().key_case() == v1::DeliveryKey::kId) {
      request.add_ids(show.delivery().id());
      continue;
    }
    ASSIGN_OR_RETURN(const v1::ShowDeliveryResponse shown, server.Call(&IntakeStub::ShowDelivery, show));
    request.add_ids(shown.delivery().id());
  }
  ASSIGN_OR_RETURN(const v1::RequeueDeadLettersResponse response,
                   server.Call(&IntakeStub::RequeueDeadLetters, request));
  if (session.options.json) {
    session.output.Json(
        {{"requeued", response.requeued()}, {"refused", JsonList(response.refused(), [](const auto& refused) {
                                               return Json{{"id", refused.id()}, {"reason", refused.reason()}};
                                             })}});
  } else {
    session.output.out() << response.requeued_size() << " back in work\n";
    for (const auto& refused : response.refused()) {
      session.output.out() << "row " << refused.id() << ": " << Printable(refused.reason()) << "\n";
    }
  }
  return response.refused().empty() ? ExitCode::kDone : ExitCode::kNegative;
}

}  // namespace

void AddDeliveryVerbs(Verb& yard) {
  Verb& deliveries =
      yard.Add("deliveries", "Look at webhook deliveries and what became of them",
               {"yard deliveries list --state ignored", "yard deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958",
                "yard deliveries drain --timeout 60"});

  Verb& list = deliveries.Add("list", "List deliveries, newest first",
                              {"yard deliveries list", "yard deliveries list --subject github:octo/repo#12 --json",
                               "yard deliveries list --state received --limit 0"});
  DeliveryListOptions& filter = list.Runs(ListDeliveries);
  list.Value("--forge", &filter.forge, "FORGE", "Only of this forge");
  list.Value("--event", &filter.event, "EVENT", "Only this event, as the forge names it");
  list.Value("--state", &filter.state, "STATE", "Only in this state");
  list.Value("--subject", &filter.subject, "SUBJECT", "Only about this subject");
  list.Value("--delivery", &filter.delivery, "ID", "Only of this delivery id");
  list.Value("--limit", &filter.limit, "N", "At most so many; 0 = all (default 50)").NotNegative();

  Verb& show =
      deliveries.Add("show", "Show one delivery, with its body and what it led to",
                     {"yard deliveries show 17", "yard deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958 --json"});
  show.Argument("DELIVERY", &show.Runs(ShowDelivery), "The delivery's id, or its row").Required();

  Verb& replay = deliveries.Add("replay", "Work on finished deliveries again; nothing is written twice",
                                {"yard deliveries replay 72d3162e-cc78-11e3-81ab-4c9367dc0958"});
  replay.Argument("DELIVERY", &replay.Runs(Replay), "Ids or rows of deliveries").Required();

  Verb& drain = deliveries.Add("drain", "Wait until nothing is pending, effects included; changes nothing",
                               {"yard deliveries drain", "yard deliveries drain --timeout 10 --json"});
  drain.Value("--timeout", &drain.Runs(Drain).timeout, "S", "Seconds to wait (default 300); then exit 1").NotNegative();
}

void AddDeadLetterVerbs(Verb& yard) {
  Verb& dead =
      yard.Add("deadletters", "Deliveries that failed for good, or were set aside because they crashed the daemon",
               {"yard deadletters list", "yard deadletters requeue --all"});

  Verb& list = dead.Add("list", "List dead letters", {"yard deadletters list --state dead --json"});
  DeadLetterOptions& filter = list.Runs(ListDead);
  list.Value("--state", &filter.state, "STATE", "failed or dead (default: both)");
  list.Value("--limit", &filter.limit, "N", "At most so many; 0 = all (default 50)").NotNegative();

  Verb& requeue = dead.Add("requeue", "Put dead letters back to work",
                           {"yard deadletters requeue 17 18", "yard deadletters requeue --all"});
  RequeueOptions& options = requeue.Runs(Requeue);
  requeue.Argument("DELIVERY", &options.which, "Ids or rows of deliveries");
  requeue.Flag("--all", &options.all, "All that failed; dead ones only if named");
}

}  // namespace yardmaster::cli
