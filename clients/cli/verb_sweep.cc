// `yard sweep FORGE:OWNER/REPO`.
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/cli/intake_client.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

struct SweepOptions {
  std::string target;
  std::string pack;
  int limit = 0;
};

std::string Counts(const v1::SweepResponse& progress) {
  return absl::StrCat(progress.found(), " found, ", progress.done(), " done, ", progress.ignored(), " ignored, ",
                      progress.failed(), " failed");
}

absl::StatusOr<ExitCode> Sweep(const SweepOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const RepositoryArgument target, ParseRepository(options.target));
  ASSIGN_OR_RETURN(const ServerConnection server, OpenIntake(session, "sweep"));
  v1::SweepRequest request;
  request.set_forge(target.forge);
  request.set_repository(target.repository);
  request.set_pack(options.pack);
  request.set_limit(options.limit);
  grpc::ClientContext context;
  server.PrepareEndless(context);
  v1::IntakeService::Stub stub(server.channel());
  const auto stream = stub.Sweep(&context, request);
  v1::SweepResponse progress;
  std::string last;
  while (stream->Read(&progress)) {
    if (!progress.has_subject()) continue;
    const std::string subject = SubjectReference(progress.subject());
    if (subject != last) session.output.Note(absl::StrCat(Printable(subject), " · ", Counts(progress)));
    last = subject;
  }
  if (const grpc::Status status = stream->Finish(); !status.ok()) return server.Explain(status);
  if (session.options.json) {
    session.output.Json({{"found", progress.found()},
                         {"done", progress.done()},
                         {"ignored", progress.ignored()},
                         {"failed", progress.failed()},
                         {"finished", progress.finished() && progress.error().empty()},
                         {"error", progress.error()}});
  } else {
    session.output.out() << Counts(progress) << "\n";
  }
  if (!progress.error().empty()) {
    return SystemError(absl::StrCat("the sweep ended early: ", Printable(progress.error())));
  }
  return progress.failed() > 0 ? ExitCode::kNegative : ExitCode::kDone;
}

}  // namespace

void AddSweepVerb(Verb& yard) {
  Verb& sweep = yard.Add("sweep", "Work through a repository's queue: what has no marker yet, oldest first",
                         {"yard sweep github:octo/repo", "yard sweep github:octo/repo --limit 20 --json"});
  SweepOptions& options = sweep.Runs(Sweep);
  sweep.Argument("REPOSITORY", &options.target, "FORGE:OWNER/REPO").Required();
  sweep.Value("--pack", &options.pack, "PACK", "Pack to decide under (default: the repository's first)");
  sweep.Value("--limit", &options.limit, "N", "At most so many subjects; the next sweep goes on there")
      .Between(0, std::numeric_limits<int>::max());
}

}  // namespace yardmaster::cli
