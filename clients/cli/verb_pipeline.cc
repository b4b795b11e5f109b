// `yard pipeline diagnose|check-pr|retest|watch`: the gate of a pull request, by the server; `diagnose --file` without.
#include <google/protobuf/util/json_util.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/gate_watch.h"
#include "clients/cli/interrupt.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/clock.h"
#include "services/core/json_document.h"
#include "services/core/status_macros.h"
#include "yardmaster/v1/pipeline.grpc.pb.h"

namespace yardmaster::cli {
namespace {

using GateJson = nlohmann::json;

// Reading comments, builds and logs takes a while; a start waits until its comment is seen.
constexpr std::chrono::minutes kGateCallTimeout{5};
constexpr size_t kMaxFailuresShown = 20;

struct GateArguments {
  std::string subject;
  std::string pack;
  std::string file;
  std::string now;
  int64_t interval = 0;
};

absl::StatusOr<v1::Subject> GateSubject(const std::string& text) {
  std::optional<v1::Subject> subject = ParseSubject(text);
  if (!subject.has_value()) return UsageError(absl::StrCat("expected FORGE:OWNER/REPO#N, got '", text, "'"));
  subject->set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return *std::move(subject);
}

// Gates are read and started by the server.
absl::StatusOr<ServerConnection> GateServer(const Session& session) {
  if (session.options.local) return UsageError("a gate is read from its forge: that can't be done with --local");
  return ServerConnection::Open(session, /*local_works=*/false);
}

absl::StatusOr<GateJson> ReportOf(const google::protobuf::Struct& report) {
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(report, &text).ok()) {
    return SystemError("the server's report can't be read");
  }
  std::string error;
  std::optional<GateJson> parsed = ParseJsonLimited(text, JsonLimits(), error);
  if (!parsed.has_value()) return SystemError(absl::StrCat("the server's report can't be read: ", error));
  return *std::move(parsed);
}

std::string MemberText(const GateJson& value) {
  if (value.is_string()) return Printable(value.get<std::string>());
  return value.is_null() ? std::string() : value.dump();
}

void PrintFailure(const GateJson& one, Session& session) {
  const GateJson none;
  const auto member = [&](const char* key) { return MemberText(one.contains(key) ? one[key] : none); };
  std::string place = member("file");
  if (const std::string line = member("line"); !line.empty()) absl::StrAppend(&place, ":", line);
  session.output.out() << "  " << member("stage") << (place.empty() ? "" : "  ") << place;
  for (const char* key : {"test", "rule", "message", "summary"}) {
    if (const std::string text = member(key); !text.empty()) session.output.out() << "  " << text;
  }
  session.output.out() << '\n';
  if (const std::string fix = member("fix"); !fix.empty()) session.output.out() << "      " << fix << '\n';
}

void PrintReport(const GateJson& report, Session& session) {
  if (session.options.json) return session.output.Json(report);
  std::ostream& out = session.output.out();
  out << MemberText(report["phase"]) << "  next: " << MemberText(report["next"]["action"]) << '\n'
      << "  " << MemberText(report["next"]["why"]) << '\n';
  if (!report["pipeline_number"].is_null()) {
    out << "  build #" << MemberText(report["pipeline_number"]) << ' ' << MemberText(report["pipeline_result"]);
    if (!report["pipeline_url"].is_null()) out << "  " << MemberText(report["pipeline_url"]);
    out << (report["is_bypass_build"].get<bool>() ? "  (tested nothing)" : "") << '\n';
  }
  size_t shown = 0;
  for (const char* list : {"failures", "test_failures"}) {
    for (const GateJson& one : report[list]) {
      if (++shown <= kMaxFailuresShown) PrintFailure(one, session);
    }
  }
  if (shown > kMaxFailuresShown) out << "  and " << shown - kMaxFailuresShown << " more; --json has all\n";
  for (const GateJson& one : report["blockers"]) out << "  blocks: " << MemberText(one) << '\n';
  if (const std::string note = MemberText(report["note"]); !note.empty()) out << "  note: " << note << '\n';
}

// From a file, under a pack here: for what somebody else recorded, and for cases of profiles.
absl::StatusOr<GateJson> DiagnoseFile(const GateArguments& arguments, Session& session) {
  if (arguments.pack.empty()) return UsageError("--file needs --pack: the pack whose pipeline.json is meant");
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  Problems problems;
  const auto profile = rules::LoadPipeline(folder.files, arguments.pack, problems);
  if (!problems.empty()) {
    return ProblemsError(absl::StrCat("the profile of '", arguments.pack, "' is not valid"), problems);
  }
  if (profile == nullptr) {
    return NegativeError(absl::StrCat("the pack '", arguments.pack, "' is not there, or has no pipeline.json"));
  }
  ASSIGN_OR_RETURN(const std::string text, ReadInputFile(arguments.file, session.env, rules::kMaxSignalsBytes));
  std::string error;
  JsonLimits limits;
  limits.max_bytes = rules::kMaxSignalsBytes;
  const std::optional<GateJson> parsed = ParseJsonLimited(text, limits, error);
  if (!parsed.has_value()) return UsageError(absl::StrCat(arguments.file, ": ", error));
  const std::optional<rules::PipelineSignals> signals = rules::ReadPipelineSignals(*parsed, error);
  if (!signals.has_value()) return UsageError(absl::StrCat(arguments.file, ": ", error));
  rules::PipelineTime now = SystemClock().Now();
  if (!arguments.now.empty()) {
    const auto given = rules::ParsePipelineTime(arguments.now);
    if (!given.has_value()) return UsageError("--now: expected a time like 2025-01-31T12:00:00Z");
    now = *given;
  }
  return GateJson(rules::PipelineReportJson(rules::Diagnose(*profile, *signals, now)));
}

absl::StatusOr<GateJson> DiagnoseByServer(const GateArguments& arguments, const ServerConnection& server) {
  v1::DiagnosePullRequestRequest request;
  ASSIGN_OR_RETURN(*request.mutable_subject(), GateSubject(arguments.subject));
  request.set_pack(arguments.pack);
  ASSIGN_OR_RETURN(const v1::DiagnosePullRequestResponse response,
                   server.Call(&v1::PipelineService::Stub::DiagnosePullRequest, request, kGateCallTimeout));
  return ReportOf(response.report());
}

// Reading is all that was asked: whatever it says, it is done.
absl::StatusOr<ExitCode> RunDiagnose(const GateArguments& arguments, Session& session) {
  if (arguments.file.empty() == arguments.subject.empty()) return UsageError("expected SUBJECT or --file FILE");
  if (!arguments.file.empty()) {
    ASSIGN_OR_RETURN(const GateJson report, DiagnoseFile(arguments, session));
    PrintReport(report, session);
    return ExitCode::kDone;
  }
  RETURN_IF_ERROR(GateSubject(arguments.subject).status());
  ASSIGN_OR_RETURN(const ServerConnection server, GateServer(session));
  ASSIGN_OR_RETURN(const GateJson report, DiagnoseByServer(arguments, server));
  PrintReport(report, session);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> StartGate(const GateArguments& arguments, v1::StartGateRequest::Gate gate, Session& session) {
  v1::StartGateRequest request;
  ASSIGN_OR_RETURN(*request.mutable_subject(), GateSubject(arguments.subject));
  request.set_pack(arguments.pack);
  request.set_gate(gate);
  ASSIGN_OR_RETURN(const ServerConnection server, GateServer(session));
  ASSIGN_OR_RETURN(const v1::StartGateResponse response,
                   server.Call(&v1::PipelineService::Stub::StartGate, request, kGateCallTimeout));
  ASSIGN_OR_RETURN(GateJson report, ReportOf(response.report()));
  report["started"] = response.started();
  report["start_why"] = response.why();
  session.output.Note(absl::StrCat(response.started() ? "started: " : "not started: ", Printable(response.why())));
  PrintReport(report, session);
  return response.started() ? ExitCode::kDone : ExitCode::kNegative;
}

absl::StatusOr<ExitCode> RunCheckPr(const GateArguments& arguments, Session& session) {
  return StartGate(arguments, v1::StartGateRequest::GATE_DESCRIPTION, session);
}

absl::StatusOr<ExitCode> RunRetest(const GateArguments& arguments, Session& session) {
  return StartGate(arguments, v1::StartGateRequest::GATE_BUILD, session);
}

// Prints what is seen of a gate. A signal prints the end of it and ends the program: the last call may take minutes.
class GatePrinter {
 public:
  GatePrinter(GateWatch& watch, const SystemClock& clock, Session& session)
      : watch_(watch), clock_(clock), session_(session) {
    if (session_.env.interrupts == nullptr) return;
    session_.env.interrupts->CallInstead([this] {
      const std::lock_guard lock(mutex_);
      PrintEnd("user-interrupt", /*again=*/true);
      std::_Exit(static_cast<int>(ExitCode::kInterrupted));
    });
  }
  ~GatePrinter() {
    if (session_.env.interrupts != nullptr) session_.env.interrupts->CallInstead(nullptr);
  }
  GatePrinter(const GatePrinter&) = delete;
  GatePrinter& operator=(const GatePrinter&) = delete;

  GateWatch::Step Print(const absl::StatusOr<GateJson>& report) {
    const std::lock_guard lock(mutex_);
    GateWatch::Step step =
        report.ok() ? watch_.Seen(*report, clock_.Now()) : watch_.Failed(report.status(), clock_.Now());
    if (!step.note.empty()) session_.output.Note(step.note);
    const bool over = step.ended.has_value();
    // The last object of a stream has the end of it, too.
    if (step.shown && !(over && session_.options.json)) PrintReport(*report, session_);
    if (over && report.ok()) {
      PrintEnd((*report)["terminal"].is_string() ? (*report)["terminal"].get<std::string>() : "", step.shown);
    } else if (over) {
      PrintEnd("no-answer", /*again=*/true);
    }
    session_.output.out().flush();
    return step;
  }

 private:
  void PrintEnd(std::string_view status, bool again) {
    if (watch_.last().is_null()) return;
    if (!session_.options.json) {
      session_.output.out() << watch_.FinalText(status, clock_.Now());
    } else if (again) {
      GateJson last = watch_.last();
      last["final"] = watch_.Final(status, clock_.Now());
      session_.output.Json(last);
    }
    session_.output.out().flush();
  }

  GateWatch& watch_;
  const SystemClock& clock_;
  Session& session_;
  std::mutex mutex_;
};

absl::StatusOr<ExitCode> RunWatch(const GateArguments& arguments, Session& session) {
  RETURN_IF_ERROR(GateSubject(arguments.subject).status());
  ASSIGN_OR_RETURN(const ServerConnection server, GateServer(session));
  const SystemClock clock;
  GateWatch watch(arguments.subject, std::chrono::seconds(arguments.interval), clock.Now());
  GatePrinter printer(watch, clock, session);
  while (true) {
    const absl::StatusOr<GateJson> report = DiagnoseByServer(arguments, server);
    const GateWatch::Step step = printer.Print(report);
    if (step.ended.has_value() && !report.ok()) return report.status();
    if (step.ended.has_value()) return *step.ended;
    std::this_thread::sleep_for(step.next);
  }
}

void AddSubject(Verb& verb, GateArguments& arguments) {
  verb.Argument("SUBJECT", &arguments.subject, "FORGE:OWNER/REPO#N").Required();
  verb.Value("--pack", &arguments.pack, "PACK", "Pack whose profile is used (default: that of the repository)");
}

}  // namespace

void AddPipelineVerbs(Verb& yard) {
  Verb& pipeline = yard.Add("pipeline", "Read the gate of a pull request, and start it",
                            {"yard pipeline diagnose gitcode:mindspore/hyper-parallel#12"});

  Verb& diagnose = pipeline.Add("diagnose", "Tell where a pull request stands at its gate, and what is next",
                                {"yard pipeline diagnose gitcode:mindspore/hyper-parallel#12",
                                 "yard pipeline diagnose github:pytorch/pytorch#150000 --json",
                                 "yard pipeline diagnose --file signals.json --pack hyper-parallel"});
  GateArguments& reading = diagnose.Runs(RunDiagnose);
  diagnose.Argument("SUBJECT", &reading.subject, "FORGE:OWNER/REPO#N");
  diagnose.Value("--pack", &reading.pack, "PACK", "Pack whose profile is used (default: that of the repository)");
  diagnose.Value("--file", &reading.file, "FILE", "Signals from a file, without a server; \"-\": standard input");
  diagnose.Value("--now", &reading.now, "TIME", "With --file: the time at which they are looked at (default: now)");

  Verb& check = pipeline.Add("check-pr", "Have the description checked again, if that is due",
                             {"yard pipeline check-pr gitcode:mindspore/hyper-parallel#12"});
  AddSubject(check, check.Runs(RunCheckPr));

  Verb& retest = pipeline.Add("retest", "Start the build again, if that is due",
                              {"yard pipeline retest gitcode:mindspore/hyper-parallel#12"});
  AddSubject(retest, retest.Runs(RunRetest));

  Verb& watch =
      pipeline.Add("watch", "Follow a gate to its end, or until something has to be mended; one report a change",
                   {"yard pipeline watch gitcode:mindspore/hyper-parallel#12 --json"});
  GateArguments& watching = watch.Runs(RunWatch);
  AddSubject(watch, watching);
  watch.Value("--interval", &watching.interval, "SECONDS",
              "Look so often (default: after 60 s, then less and less often)");
}

}  // namespace yardmaster::cli
