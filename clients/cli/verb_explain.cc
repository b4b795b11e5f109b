#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "clients/cli/connection.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/plan_text.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verb_rules.h"
#include "clients/cli/verbs.h"
#include "services/triage/decision_id.h"
#include "services/triage/decision_json.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster::cli {
namespace {

ExitCode Explain(const std::string& which, Session& session) {
  std::optional<v1::Subject> subject = ParseSubject(which);
  if (!subject.has_value() && !IsDecisionId(which)) {
    if (const auto rules = FindLocalRule(session, which); rules.has_value()) {
      PrintRules(*rules, session);
      return ExitCode::kDone;
    }
  }
  if (session.options.local) {
    session.output.Error("decisions are kept by the server: 'explain' can't work with --local");
    return ExitCode::kUsage;
  }
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;

  v1::ExplainDecisionRequest request;
  if (subject.has_value()) {
    *request.mutable_subject() = *std::move(subject);
  } else {
    request.set_decision_id(which);
  }
  v1::ExplainDecisionResponse response;
  grpc::ClientContext context;
  connection->Prepare(context, std::chrono::seconds(30));
  const grpc::Status status =
      v1::TriageService::NewStub(connection->channel())->ExplainDecision(&context, request, &response);
  if (status.error_code() == grpc::StatusCode::NOT_FOUND && !request.has_subject()) {
    if (const auto rules = FindLocalRule(session, which); rules.has_value()) {
      PrintRules(*rules, session);
      return ExitCode::kDone;
    }
  }
  if (!status.ok()) return connection->Report(session, status, false);

  if (session.options.json) {
    session.output.Json(DecisionJson(response.plan()));
  } else {
    const PlanTextOptions options{.columns = session.output.columns(), .color = session.output.color()};
    session.output.out() << PlanText(response.plan(), "", options);
  }
  return ExitCode::kDone;
}

}  // namespace

void AddExplainVerb(CLI::App& app, Verb& chosen) {
  auto which = std::make_shared<std::string>();
  CLI::App* verb = AddVerb(app, "explain", "Show a decision of the server again, with its reasons, or a rule",
                           "  yard explain 01hv3k9x2m0g4\n"
                           "  yard explain github:owner/repo#12345\n"
                           "  yard explain some-rule\n"
                           "  yard explain 01hv3k9x2m0g4 --json");
  verb->add_option("DECISION", *which,
                   "Id of the decision, FORGE:OWNER/REPO#N for the newest about that issue, or id of a rule")
      ->required()
      ->type_name("");
  verb->callback([&chosen, which] { chosen = [which](Session& session) { return Explain(*which, session); }; });
}

}  // namespace yardmaster::cli
