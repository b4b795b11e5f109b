#include <optional>
#include <string>
#include <utility>

#include "clients/cli/connection.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/plan_text.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"
#include "services/triage/decision_id.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster::cli {
namespace {

struct ExplainOptions {
  std::string which;
  bool all = false;
};

absl::StatusOr<ExitCode> ExplainDecision(const ExplainOptions& options, Session& session) {
  const std::string& which = options.which;
  std::optional<v1::Subject> subject = ParseSubject(which);
  if (!subject.has_value() && !IsDecisionId(which)) {
    if (const auto rules = FindLocalRule(session, which); rules.has_value()) {
      PrintRules(*rules, session);
      return ExitCode::kDone;
    }
  }
  if (session.options.local) {
    return UsageError("decisions are kept by the server: 'explain' can't work with --local");
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  v1::ExplainDecisionRequest request;
  if (subject.has_value()) {
    *request.mutable_subject() = *std::move(subject);
  } else {
    request.set_decision_id(which);
  }
  const absl::StatusOr<v1::ExplainDecisionResponse> response =
      server.Call(&v1::TriageService::Stub::ExplainDecision, request);
  if (absl::IsNotFound(response.status()) && !request.has_subject()) {
    if (const auto rules = FindLocalRule(session, which); rules.has_value()) {
      PrintRules(*rules, session);
      return ExitCode::kDone;
    }
  }
  RETURN_IF_ERROR(response.status());
  PrintPlan(response->plan(), "", nullptr, options.all, session);
  return ExitCode::kDone;
}

}  // namespace

void AddExplainVerb(Verb& yard) {
  Verb& explain = yard.Add("explain", "Show a decision of the server again, with its reasons, or a rule",
                           {"yard explain 01hv3k9x2m0g4", "yard explain github:owner/repo#12345",
                            "yard explain some-rule", "yard explain 01hv3k9x2m0g4 --json"});
  ExplainOptions& options = explain.Runs(ExplainDecision);
  explain
      .Argument("DECISION", &options.which,
                "Id of the decision, FORGE:OWNER/REPO#N for the newest about that issue, or id of a rule")
      .Required();
  explain.Flag("--long", &options.all, "Also skipped steps, labels that were not chosen, and more evidence");
}

}  // namespace yardmaster::cli
