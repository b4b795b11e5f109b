#include <optional>
#include <string>
#include <utility>

#include "clients/cli/connection.h"
#include "clients/cli/plan_text.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster::cli {
namespace {

absl::StatusOr<ExitCode> Explain(const std::string& which, Session& session) {
  if (session.options.local) {
    return UsageError("decisions are kept by the server: 'explain' can't work with --local");
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  v1::ExplainDecisionRequest request;
  if (std::optional<v1::Subject> subject = ParseSubject(which); subject.has_value()) {
    *request.mutable_subject() = *std::move(subject);
  } else {
    request.set_decision_id(which);
  }
  ASSIGN_OR_RETURN(const v1::ExplainDecisionResponse response,
                   server.Call(&v1::TriageService::Stub::ExplainDecision, request));
  PrintPlan(response.plan(), "", nullptr, session);
  return ExitCode::kDone;
}

}  // namespace

void AddExplainVerb(Verb& yard) {
  Verb& explain = yard.Add(
      "explain", "Show a decision of the server again, with its reasons",
      {"yard explain 01hv3k9x2m0g4", "yard explain github:owner/repo#12345", "yard explain 01hv3k9x2m0g4 --json"});
  std::string& which = explain.Runs(Explain);
  explain.Argument("DECISION", &which, "Id of the decision, or FORGE:OWNER/REPO#N for the newest about that issue")
      .Required();
}

}  // namespace yardmaster::cli
