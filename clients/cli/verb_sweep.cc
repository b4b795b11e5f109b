// `yard sweep FORGE:OWNER/REPO`.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "clients/cli/intake_call.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

struct SweepOptions {
  std::string target;
  std::string pack;
  int32_t limit = 0;
};

std::string Counts(const v1::SweepResponse& progress) {
  return std::to_string(progress.found()) + " found, " + std::to_string(progress.done()) + " done, " +
         std::to_string(progress.ignored()) + " ignored, " + std::to_string(progress.failed()) + " failed";
}

ExitCode Sweep(const SweepOptions& options, Session& session) {
  const size_t colon = options.target.find(':');
  if (colon == std::string::npos || options.target.find('/', colon) == std::string::npos) {
    session.output.Error("expected a repository: FORGE:OWNER/REPO");
    return ExitCode::kUsage;
  }
  IntakeClient client = IntakeClient::Open(session, "sweep");
  if (client.stub == nullptr) return client.code;
  v1::SweepRequest request;
  request.set_forge(options.target.substr(0, colon));
  request.set_repository(options.target.substr(colon + 1));
  request.set_pack(options.pack);
  request.set_limit(options.limit);
  grpc::ClientContext context;
  client.connection->PrepareEndless(context);
  const auto stream = client.stub->Sweep(&context, request);
  v1::SweepResponse progress;
  std::string last;
  while (stream->Read(&progress)) {
    if (!progress.has_subject()) continue;
    const std::string subject = SubjectReference(progress.subject());
    if (subject != last) session.output.Note(Printable(subject) + " · " + Counts(progress));
    last = subject;
  }
  const grpc::Status status = stream->Finish();
  if (!status.ok()) return client.connection->Report(session, status, false);
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
    session.output.Error("the sweep ended early: " + Printable(progress.error()));
    return ExitCode::kSystem;
  }
  return progress.failed() > 0 ? ExitCode::kNegative : ExitCode::kDone;
}

}  // namespace

void AddSweepVerb(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* sweep = AddVerb(app, "sweep", "Work through a repository's queue: what has no marker yet, oldest first",
                            "  yard sweep github:octo/repo\n  yard sweep github:octo/repo --limit 20 --json");
  sweep->add_option("REPOSITORY", options->target, "FORGE:OWNER/REPO")->required()->type_name("");
  sweep->add_option("--pack", options->pack, "Pack to decide under (default: the repository's first)")
      ->type_name("PACK");
  sweep->add_option("--limit", options->limit, "At most so many subjects; the next sweep goes on there")
      ->check(CLI::Range(0, std::numeric_limits<int32_t>::max()))
      ->type_name("N");
  sweep->callback([&chosen, options] { chosen = [options](Session& s) { return Sweep(*options, s); }; });
}

}  // namespace yardmaster::cli
