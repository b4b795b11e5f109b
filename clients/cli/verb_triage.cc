// `yard triage issue|eval`.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/batch.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/plan_text.h"
#include "clients/cli/progress.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/clock.h"
#include "services/core/status_macros.h"
#include "services/triage/decision_json.h"
#include "services/triage/eval_lines.h"
#include "services/triage/triage_planner.h"
#include "services/worker/results/text.h"
#include "yardmaster/v1/rules.grpc.pb.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster::cli {
namespace {

struct IssueOptions {
  std::string file;
  std::string pack;
  bool apply = false;
  bool all = false;
};

struct EvalOptions {
  std::string pack;
  std::string issues;
  std::string predictions;
};

// --- triage issue ---

absl::StatusOr<v1::IssueSnapshot> ReadIssue(const std::string& path, const Environment& env) {
  const EvalLimits limits;
  ASSIGN_OR_RETURN(const auto input, InputFile::Open(path, env));
  ASSIGN_OR_RETURN(const std::string text, input->ReadAll(limits.max_line_bytes));
  std::string error;
  std::optional<v1::IssueSnapshot> issue = ParseIssue(text, limits, error);
  if (!issue.has_value()) return UsageError(absl::StrCat(input->name(), ": ", error));
  return *std::move(issue);
}

// The subject that the argument names; nullopt if it is a file.
std::optional<v1::Subject> SubjectOf(const IssueOptions& options) {
  std::error_code ignored;
  if (std::filesystem::exists(options.file, ignored)) return std::nullopt;
  return ParseSubject(options.file);
}

// An issue of a forge: read and decided by the server.
absl::StatusOr<ExitCode> TriageSubject(const IssueOptions& options, const v1::Subject& subject, Session& session) {
  if (session.options.local) {
    return UsageError("an issue of a forge is read by the server: it can't be decided with --local",
                      {"Expected a FILE with one JSON object {\"number\", \"title\", \"body\"}, or - for stdin."});
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  v1::TriageIssueRequest request;
  request.set_pack(options.pack);
  *request.mutable_subject() = subject;
  request.set_apply(options.apply);
  // What is written is read back, and a lost answer takes its time to settle.
  ASSIGN_OR_RETURN(const v1::TriageIssueResponse response, server.Call(&v1::TriageService::Stub::TriageIssue, request,
                                                                       std::chrono::seconds(options.apply ? 300 : 60)));
  PrintPlan(response.plan(), "", options.apply ? &response.effects() : nullptr, options.all, session);
  return ExitCode::kDone;
}

absl::StatusOr<v1::Plan> DecideLocally(std::string name, const v1::IssueSnapshot& issue, Session& session) {
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  if (name.empty()) {
    // A pack that can't be loaded is no choice; asking for it by name says what is wrong with it.
    std::vector<PackChoice> choices;
    for (const std::string& candidate : rules::PackNames(folder.files)) {
      Problems ignored;
      const std::optional<rules::PackModel> model = rules::LoadPack(folder.files, candidate, ignored);
      if (model.has_value()) choices.push_back({candidate, model->extends, model->has_rubric});
    }
    ASSIGN_OR_RETURN(name, DefaultPack(session, choices));
  }
  ASSIGN_OR_RETURN(const auto pack, CompileLocalPack(folder, name));
  v1::Plan plan;
  RETURN_IF_ERROR(PlanTriage(*pack, issue, PlanOptions(), plan));
  return plan;
}

absl::StatusOr<v1::Plan> DecideByServer(std::string name, const v1::IssueSnapshot& issue, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  if (name.empty()) {
    ASSIGN_OR_RETURN(const v1::ListPacksResponse packs,
                     server.Call(&v1::RulesService::Stub::ListPacks, v1::ListPacksRequest()));
    std::vector<PackChoice> choices;
    for (const v1::PackInfo& pack : packs.packs()) choices.push_back({pack.name(), pack.extends(), pack.has_rubric()});
    ASSIGN_OR_RETURN(name, DefaultPack(session, choices));
  }
  v1::TriageIssueRequest request;
  *request.mutable_issue() = issue;
  request.set_pack(name);
  ASSIGN_OR_RETURN(v1::TriageIssueResponse response,
                   server.Call(&v1::TriageService::Stub::TriageIssue, request, std::chrono::seconds(60)));
  return std::move(*response.mutable_plan());
}

absl::StatusOr<ExitCode> TriageIssue(const IssueOptions& options, Session& session) {
  if (const std::optional<v1::Subject> subject = SubjectOf(options); subject.has_value()) {
    return TriageSubject(options, *subject, session);
  }
  if (options.apply) {
    return UsageError("--apply writes to a forge: expected FORGE:OWNER/REPO#N instead of a file");
  }
  ASSIGN_OR_RETURN(const v1::IssueSnapshot issue, ReadIssue(options.file, session.env));
  ASSIGN_OR_RETURN(const v1::Plan plan, session.options.local ? DecideLocally(options.pack, issue, session)
                                                              : DecideByServer(options.pack, issue, session));
  PrintPlan(plan, issue.title(), nullptr, options.all, session);
  return ExitCode::kDone;
}

// --- triage eval ---

// Takes plans in the order of the cases.
using PlanSink = std::function<absl::Status(const v1::Plan&)>;

absl::Status EvaluateLocally(const std::string& name, const std::vector<EvalCase>& cases, const Session& session,
                             const PlanSink& sink) {
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  ASSIGN_OR_RETURN(const auto pack, CompileLocalPack(folder, name));
  v1::Plan plan;
  for (const EvalCase& eval_case : cases) {
    plan.Clear();
    RETURN_IF_ERROR(PlanTriage(*pack, eval_case.issue, PlanOptions(), plan));
    RETURN_IF_ERROR(sink(plan));
  }
  return absl::OkStatus();
}

absl::Status EvaluateByServer(const std::string& pack, const std::vector<EvalCase>& cases, const Session& session,
                              const PlanSink& sink) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  grpc::ClientContext context;
  server.PrepareEndless(context);
  v1::TriageService::Stub stub(server.channel());
  const auto stream = stub.EvaluateCases(&context);
  // Cases go out while answers come in: the server holds few of them back.
  std::thread writer([&] {
    v1::EvaluateCasesRequest request;
    // The first one names the pack.
    request.set_pack(pack);
    for (const EvalCase& eval_case : cases) {
      *request.mutable_issue() = eval_case.issue;
      if (!stream->Write(request)) break;
      request.clear_pack();
    }
    stream->WritesDone();
  });
  v1::EvaluateCasesResponse response;
  size_t answers = 0;
  absl::Status written;
  while (written.ok() && stream->Read(&response)) {
    ++answers;
    written = sink(response.plan());
  }
  if (!written.ok()) context.TryCancel();
  writer.join();
  const grpc::Status status = stream->Finish();
  RETURN_IF_ERROR(written);
  if (!status.ok()) return server.Explain(status);
  if (answers == cases.size()) return absl::OkStatus();
  return SystemError(absl::StrCat("the server answered ", answers, " of ", cases.size(), " cases"));
}

absl::StatusOr<ExitCode> EvaluateIssues(const EvalOptions& options, Session& session) {
  // All lines first: one that is bad leaves nothing written.
  ASSIGN_OR_RETURN(
      const std::vector<EvalCase> cases,
      ReadIssues(options.issues, session.env, "the issues can't be read; nothing was decided or written:"));
  ASSIGN_OR_RETURN(Predictions predictions, Predictions::Create(options.predictions, session));
  double seconds = 0;
  {
    const SystemClock clock;
    Progress progress(ProgressStream(session), clock, "cases", cases.size());
    const PlanSink sink = [&](const v1::Plan& plan) {
      progress.Done();
      return predictions.Write(EvalLineJson(plan));
    };
    // A stream without a case would have nothing to name the pack in; the answer is the same everywhere: nothing.
    if (!cases.empty()) {
      RETURN_IF_ERROR(session.options.local ? EvaluateLocally(options.pack, cases, session, sink)
                                            : EvaluateByServer(options.pack, cases, session, sink));
    }
    seconds = progress.seconds();
  }
  RETURN_IF_ERROR(predictions.Commit());
  if (predictions.to_file() && session.options.json) {
    session.output.Json({{"cases", cases.size()}, {"seconds", seconds}, {"predictions", options.predictions}});
  }
  const double rate = seconds > 0 ? static_cast<double>(cases.size()) / seconds : 0;
  session.output.Note(absl::StrCat(worker::CountText(cases.size()), " cases · ",
                                   worker::CountText(static_cast<size_t>(rate)), "/s", predictions.Destination()));
  return ExitCode::kDone;
}

}  // namespace

void AddTriageVerbs(Verb& yard) {
  Verb& triage = yard.Add("triage", "Decide issues under a rule pack",
                          {"yard triage issue issue.json", "yard triage eval --pack my-pack --issues issues.jsonl"});

  Verb& issue =
      triage.Add("issue", "Decide one issue and say why",
                 {"yard triage issue issue.json", "yard triage issue issue.json --pack my-pack --local",
                  "yard triage issue github:octo/repo#12", "yard triage issue github:octo/repo#12 --apply",
                  "echo '{\"number\": 1, \"title\": \"It hangs\", \"body\": \"\"}' | yard triage issue - --json"});
  IssueOptions& one = issue.Runs(TriageIssue);
  issue
      .Argument("FILE", &one.file,
                "File with one JSON object {number, title, body, labels_before?, comments?}; - is stdin; or "
                "FORGE:OWNER/REPO#N, read by the server")
      .Required();
  issue.Value("--pack", &one.pack, "PACK", "Pack to decide under (default: the only one that fits)");
  issue.Flag("--apply", &one.apply, "Carry the decision out on the forge");
  issue.Flag("--long", &one.all, "Also skipped steps, labels that were not chosen, and more evidence");

  Verb& eval = triage.Add("eval", "Decide many issues: JSON lines in, JSON lines out, same order",
                          {"yard triage eval --pack my-pack --issues issues.jsonl --predictions out.jsonl",
                           "yard triage eval --local --pack my-pack --issues - < issues.jsonl"});
  EvalOptions& many = eval.Runs(EvaluateIssues);
  eval.Value("--pack", &many.pack, "PACK", "Pack to decide under").Required();
  eval.Value("--issues", &many.issues, "FILE", "File with one issue a line; - is stdin").Required();
  eval.Value("--predictions", &many.predictions, "FILE", "File to write, whole or not at all (default: stdout)");
}

}  // namespace yardmaster::cli
