#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/plan_text.h"
#include "clients/cli/progress.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/clock.h"
#include "services/core/rpc/status.h"
#include "services/triage/decision_json.h"
#include "services/triage/eval_lines.h"
#include "services/triage/planner.h"
#include "services/worker/results/text.h"
#include "yardmaster/v1/rules.grpc.pb.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace yardmaster::cli {
namespace {

struct IssueOptions {
  std::string file;
  std::string pack;
  bool apply = false;
};

struct EvalOptions {
  std::string pack;
  std::string issues;
  std::string predictions;
};

// What a failed decision without a server means.
ExitCode ReportLocal(Session& session, const absl::Status& status) {
  session.output.Error(std::string(status.message()));
  return ExitCodeOf(ToGrpcStatus(status));
}

// --- triage issue ---

std::optional<v1::IssueSnapshot> ReadIssue(const std::string& path, Session& session) {
  std::string error;
  const EvalLimits limits;
  const std::unique_ptr<InputFile> input = InputFile::Open(path, session.env, error);
  std::optional<std::string> text;
  if (input != nullptr) text = input->ReadAll(limits.max_line_bytes, error);
  if (!text.has_value()) {
    session.output.Error(error);
    return std::nullopt;
  }
  std::optional<v1::IssueSnapshot> issue = ParseIssue(*text, limits, error);
  if (!issue.has_value()) session.output.Error(input->name() + ": " + error);
  return issue;
}

// The subject that the argument names; nullopt if it is a file.
std::optional<v1::Subject> SubjectOf(const IssueOptions& options) {
  std::error_code ignored;
  if (std::filesystem::exists(options.file, ignored)) return std::nullopt;
  return ParseSubject(options.file);
}

// Prints a decision; `effects` only after --apply.
void PrintPlan(const v1::Plan& plan, std::string_view title,
               const google::protobuf::RepeatedPtrField<v1::Effect>* effects, Session& session) {
  if (session.options.json) {
    nlohmann::ordered_json decision = DecisionJson(plan);
    if (effects != nullptr) {
      decision["effects"] = nlohmann::ordered_json::array();
      for (const v1::Effect& effect : *effects) decision["effects"].push_back(EffectJson(effect));
    }
    session.output.Json(decision);
    return;
  }
  const PlanTextOptions text{.columns = session.output.columns(), .color = session.output.color()};
  session.output.out() << PlanText(plan, title, text);
  if (effects == nullptr) return;
  if (effects->empty()) {
    session.output.out() << "\nNothing was written.\n";
  } else {
    session.output.out() << "\nWritten:\n" << EffectTable(*effects, session.output);
  }
}

// An issue of a forge: read and decided by the server.
ExitCode TriageSubject(const IssueOptions& options, const v1::Subject& subject, Session& session) {
  if (session.options.local) {
    session.output.Error("an issue of a forge is read by the server: it can't be decided with --local");
    session.output.Hint("Expected a FILE with one JSON object {\"number\", \"title\", \"body\"}, or - for stdin.");
    return ExitCode::kUsage;
  }
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  v1::TriageIssueRequest request;
  request.set_pack(options.pack);
  *request.mutable_subject() = subject;
  request.set_apply(options.apply);
  v1::TriageIssueResponse response;
  grpc::ClientContext context;
  // What is written is read back, and a lost answer takes its time to settle.
  connection->Prepare(context, std::chrono::seconds(options.apply ? 300 : 60));
  const grpc::Status status =
      v1::TriageService::NewStub(connection->channel())->TriageIssue(&context, request, &response);
  if (!status.ok()) return connection->Report(session, status, false);
  PrintPlan(response.plan(), "", options.apply ? &response.effects() : nullptr, session);
  return ExitCode::kDone;
}

ExitCode DecideLocally(const std::string& pack_name, const v1::IssueSnapshot& issue, Session& session, v1::Plan& plan) {
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return ExitCode::kUsage;
  std::string name = pack_name;
  if (name.empty()) {
    // A pack that can't be loaded is no choice; asking for it by name says what is wrong with it.
    std::vector<PackChoice> choices;
    for (const std::string& candidate : rules::PackNames(folder->files)) {
      Problems ignored;
      const std::optional<rules::PackModel> model = rules::LoadPack(folder->files, candidate, ignored);
      if (model.has_value()) choices.push_back({candidate, model->extends, model->has_rubric});
    }
    std::optional<std::string> choice = DefaultPack(session, choices);
    if (!choice.has_value()) return ExitCode::kUsage;
    name = *std::move(choice);
  }
  ExitCode code = ExitCode::kDone;
  const std::shared_ptr<const rules::CompiledPack> pack = CompileLocalPack(session, *folder, name, code);
  if (pack == nullptr) return code;
  const absl::Status status = PlanTriage(*pack, issue, PlanOptions(), plan);
  return status.ok() ? ExitCode::kDone : ReportLocal(session, status);
}

ExitCode DecideByServer(const std::string& pack_name, const v1::IssueSnapshot& issue, Session& session,
                        v1::Plan& plan) {
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;

  v1::TriageIssueRequest request;
  *request.mutable_issue() = issue;
  request.set_pack(pack_name);
  if (pack_name.empty()) {
    v1::ListPacksResponse packs;
    grpc::ClientContext context;
    connection->Prepare(context, std::chrono::seconds(30));
    const grpc::Status status = v1::RulesService::NewStub(connection->channel())->ListPacks(&context, {}, &packs);
    if (!status.ok()) return connection->Report(session, status, true);
    std::vector<PackChoice> choices;
    for (const v1::PackInfo& pack : packs.packs()) choices.push_back({pack.name(), pack.extends(), pack.has_rubric()});
    std::optional<std::string> choice = DefaultPack(session, choices);
    if (!choice.has_value()) return ExitCode::kUsage;
    request.set_pack(*std::move(choice));
  }
  v1::TriageIssueResponse response;
  grpc::ClientContext context;
  connection->Prepare(context, std::chrono::seconds(60));
  const grpc::Status status =
      v1::TriageService::NewStub(connection->channel())->TriageIssue(&context, request, &response);
  if (!status.ok()) return connection->Report(session, status, true);
  plan = std::move(*response.mutable_plan());
  return ExitCode::kDone;
}

ExitCode TriageIssue(const IssueOptions& options, Session& session) {
  if (const std::optional<v1::Subject> subject = SubjectOf(options); subject.has_value()) {
    return TriageSubject(options, *subject, session);
  }
  if (options.apply) {
    session.output.Error("--apply writes to a forge: expected FORGE:OWNER/REPO#N instead of a file");
    return ExitCode::kUsage;
  }
  const std::optional<v1::IssueSnapshot> issue = ReadIssue(options.file, session);
  if (!issue.has_value()) return ExitCode::kUsage;
  v1::Plan plan;
  const ExitCode code = session.options.local ? DecideLocally(options.pack, *issue, session, plan)
                                              : DecideByServer(options.pack, *issue, session, plan);
  if (code != ExitCode::kDone) return code;
  PrintPlan(plan, issue->title(), nullptr, session);
  return ExitCode::kDone;
}

// --- triage eval ---

// Takes plans in the order of the cases; false if writing failed.
using PlanSink = std::function<bool(const v1::Plan&)>;

ExitCode EvaluateLocally(const EvalOptions& options, const std::vector<EvalCase>& cases, Session& session,
                         const PlanSink& sink) {
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return ExitCode::kUsage;
  ExitCode code = ExitCode::kDone;
  const std::shared_ptr<const rules::CompiledPack> pack = CompileLocalPack(session, *folder, options.pack, code);
  if (pack == nullptr) return code;
  v1::Plan plan;
  for (const EvalCase& eval_case : cases) {
    plan.Clear();
    const absl::Status status = PlanTriage(*pack, eval_case.issue, PlanOptions(), plan);
    if (!status.ok()) return ReportLocal(session, status);
    if (!sink(plan)) return ExitCode::kSystem;
  }
  return ExitCode::kDone;
}

ExitCode EvaluateByServer(const EvalOptions& options, const std::vector<EvalCase>& cases, Session& session,
                          const PlanSink& sink) {
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;

  grpc::ClientContext context;
  connection->PrepareEndless(context);
  const std::unique_ptr<v1::TriageService::Stub> stub = v1::TriageService::NewStub(connection->channel());
  const auto stream = stub->EvaluateCases(&context);
  // Cases go out while answers come in: the server holds few of them back.
  std::thread writer([&] {
    v1::EvaluateCasesRequest request;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (i == 0) {
        request.set_pack(options.pack);
      } else {
        request.clear_pack();
      }
      *request.mutable_issue() = cases[i].issue;
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
  });
  v1::EvaluateCasesResponse response;
  size_t answers = 0;
  bool written = true;
  while (stream->Read(&response)) {
    ++answers;
    if (!sink(response.plan())) {
      written = false;
      context.TryCancel();
      break;
    }
  }
  writer.join();
  const grpc::Status status = stream->Finish();
  if (!written) return ExitCode::kSystem;
  if (!status.ok()) return connection->Report(session, status, true);
  if (answers != cases.size()) {
    session.output.Error("the server answered " + std::to_string(answers) + " of " + std::to_string(cases.size()) +
                         " cases");
    return ExitCode::kSystem;
  }
  return ExitCode::kDone;
}

ExitCode Evaluate(const EvalOptions& options, Session& session) {
  Output& output = session.output;
  std::string error;
  const std::unique_ptr<InputFile> input = InputFile::Open(options.issues, session.env, error);
  if (input == nullptr) {
    output.Error(error);
    return ExitCode::kUsage;
  }
  // All lines first: one that is bad leaves nothing written.
  Problems problems;
  const std::optional<std::vector<EvalCase>> cases =
      ReadEvalLines(input->stream(), input->name(), EvalLimits(), problems);
  if (!cases.has_value()) {
    output.Error("the issues can't be read; nothing was decided or written:");
    ReportProblems(session, problems);
    return ExitCode::kUsage;
  }

  const bool to_file = !options.predictions.empty() && options.predictions != "-";
  std::unique_ptr<OutputFile> file;
  if (to_file) {
    file = OutputFile::Create(options.predictions, session.env, error);
    if (file == nullptr) {
      output.Error(error);
      return ExitCode::kUsage;
    }
  }
  std::ostream& lines = to_file ? file->stream() : output.out();
  const SystemClock clock;
  const bool show = session.env.err_is_terminal && !output.quiet();
  double seconds = 0;
  ExitCode code = ExitCode::kDone;
  {
    Progress progress(show ? session.env.err : nullptr, clock, "cases", cases->size());
    const PlanSink sink = [&](const v1::Plan& plan) {
      lines << DumpLine(EvalLineJson(plan)) << '\n';
      progress.Done();
      return lines.good();
    };
    // A stream without a case would have nothing to name the pack in; the answer is the same everywhere: nothing.
    if (!cases->empty()) {
      code = session.options.local ? EvaluateLocally(options, *cases, session, sink)
                                   : EvaluateByServer(options, *cases, session, sink);
    }
    seconds = progress.seconds();
  }
  if (code == ExitCode::kSystem && !lines.good()) output.Error("the predictions can't be written");
  if (code != ExitCode::kDone) return code;
  if (to_file) {
    if (!file->Commit(error)) {
      output.Error(error);
      return ExitCode::kSystem;
    }
    if (session.options.json) {
      output.Json({{"cases", cases->size()}, {"seconds", seconds}, {"predictions", options.predictions}});
    }
  }
  const double rate = seconds > 0 ? static_cast<double>(cases->size()) / seconds : 0;
  output.Note(worker::CountText(cases->size()) + " cases · " + worker::CountText(static_cast<size_t>(rate)) + "/s" +
              (to_file ? " → " + options.predictions : ""));
  return ExitCode::kDone;
}

}  // namespace

void AddTriageVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* triage = AddVerb(app, "triage", "Decide issues under a rule pack",
                             "  yard triage issue issue.json\n"
                             "  yard triage eval --pack my-pack --issues issues.jsonl");
  triage->require_subcommand(1);

  auto issue_options = std::make_shared<IssueOptions>();
  CLI::App* issue =
      AddVerb(*triage, "issue", "Decide one issue and say why",
              "  yard triage issue issue.json\n"
              "  yard triage issue issue.json --pack my-pack --local\n"
              "  yard triage issue github:octo/repo#12\n"
              "  yard triage issue github:octo/repo#12 --apply\n"
              "  echo '{\"number\": 1, \"title\": \"It hangs\", \"body\": \"\"}' | yard triage issue - --json");
  issue
      ->add_option("FILE", issue_options->file,
                   "File with one JSON object {number, title, body, labels_before?, comments?}; - is stdin; or "
                   "FORGE:OWNER/REPO#N, read by the server")
      ->required()
      ->type_name("");
  issue->add_option("--pack", issue_options->pack, "Pack to decide under (default: the only one that fits)")
      ->type_name("PACK");
  issue->add_flag("--apply", issue_options->apply, "Carry the decision out on the forge");
  issue->callback([&chosen, issue_options] {
    chosen = [issue_options](Session& session) { return TriageIssue(*issue_options, session); };
  });

  auto eval_options = std::make_shared<EvalOptions>();
  CLI::App* eval = AddVerb(*triage, "eval", "Decide many issues: JSON lines in, JSON lines out, same order",
                           "  yard triage eval --pack my-pack --issues issues.jsonl --predictions out.jsonl\n"
                           "  yard triage eval --local --pack my-pack --issues - < issues.jsonl");
  eval->add_option("--pack", eval_options->pack, "Pack to decide under")->required()->type_name("PACK");
  eval->add_option("--issues", eval_options->issues, "File with one issue a line; - is stdin")
      ->required()
      ->type_name("FILE");
  eval->add_option("--predictions", eval_options->predictions, "File to write, whole or not at all (default: stdout)")
      ->type_name("FILE");
  eval->callback([&chosen, eval_options] {
    chosen = [eval_options](Session& session) { return Evaluate(*eval_options, session); };
  });
}

}  // namespace yardmaster::cli
