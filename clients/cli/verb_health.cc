// `yard health`: whether the server is ready, and what an operator has to fix. For health checks of containers and
// scripts; whether it is ready needs no token.
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/server_health.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

absl::StatusOr<ExitCode> Health(Session& session) {
  if (session.options.local) return UsageError("'yard health' asks a server: --local makes no sense here");
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  ASSIGN_OR_RETURN(const ServerHealth health, AskHealth(server));
  const std::string state = health.serving ? "serving" : "not serving";
  if (session.options.json) {
    nlohmann::ordered_json answer = {{"server", session.options.server}, {"state", state}};
    if (health.notices_hidden.empty()) answer["notices"] = JsonList(health.notices, NoticeJson);
    session.output.Json(answer);
  } else {
    session.output.out() << session.options.server << " is " << state << '\n';
    for (const v1::Notice& notice : health.notices) {
      session.output.out() << "to fix: " << Printable(notice.key()) << ": " << Printable(notice.text()) << '\n';
    }
  }
  if (!health.notices_hidden.empty()) {
    session.output.Note(absl::StrCat("what is to fix is not shown: ", health.notices_hidden));
  }
  return health.serving ? ExitCode::kDone : ExitCode::kNegative;
}

}  // namespace

void AddHealthVerb(Verb& yard) {
  yard.Add("health", "Whether the server is ready, and what is to fix: exit 0 if it is ready, 1 while it drains",
           {"yard health", "yard --server 127.0.0.1:9090 health --quiet"})
      .Runs(Health);
}

}  // namespace yardmaster::cli
