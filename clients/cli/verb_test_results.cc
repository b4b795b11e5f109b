// `yard test list|show|logs|explain|cancel|fetch`: jobs of the server, and what runs on this machine left behind.
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/cli/answer.h"
#include "clients/cli/dispatch_client.h"
#include "clients/cli/files.h"
#include "clients/cli/job_follower.h"
#include "clients/cli/job_text.h"
#include "clients/cli/json_members.h"
#include "clients/cli/terminal.h"
#include "clients/cli/test_results.h"
#include "clients/cli/test_text.h"
#include "clients/cli/verbs.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/logs/log.h"
#include "services/worker/results/run_log.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// --- list ---

// Jobs of one answer.
constexpr int kJobsPage = 200;

struct ResultListOptions {
  std::string folder;
  bool live = false;
  std::string repository;
  int limit = 50;
};

Json ListedJson(const ListedResult& listed) {
  Json run = {{"directory", listed.directory.string()}};
  for (const char* key : {"job", "suite", "commit", "verdict", "layers", "seconds", "started_at"}) {
    if (listed.result.contains(key)) run[key] = listed.result[key];
  }
  return run;
}

absl::StatusOr<ExitCode> PrintJobs(const ResultListOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  v1::ListJobsRequest request;
  request.set_live_only(options.live);
  request.set_repository(options.repository);
  JobRows rows;
  do {
    request.set_limit(std::min(kJobsPage, options.limit - rows.size()));
    ASSIGN_OR_RETURN(const v1::ListJobsResponse page, server.Call(&v1::DispatchService::Stub::ListJobs, request));
    rows.MergeFrom(page.jobs());
    request.set_before(page.next());
  } while (request.before() != 0 && rows.size() < options.limit);
  PrintRows("jobs", rows, JobJson, JobTable, session, "The server knows no such jobs.");
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> PrintResultList(const ResultListOptions& given, Session& session) {
  ResultListOptions options = given;
  if (options.folder.empty()) {
    options.folder = kResultsFolder;
    if (!session.options.local) {
      absl::StatusOr<ExitCode> answer = PrintJobs(options, session);
      std::error_code error;
      const bool named = session.options.server_given || !session.env.variable("YARD_SERVER").empty();
      // Whoever has only runs on this machine needs no server for them.
      if (named || !absl::IsUnavailable(answer.status()) || !fs::is_directory(options.folder, error)) return answer;
      session.output.Note("There is no server; these are the runs on this machine.");
    }
  }
  const std::string none = absl::StrCat("There are no results in ", options.folder, ".");
  PrintRows("runs", ListResults(options.folder), ListedJson, ResultTable, session, none.c_str());
  return ExitCode::kDone;
}

// --- show, explain ---

struct ShowJobOptions {
  std::string of;
  std::string junit;
};

absl::StatusOr<ExitCode> ShowJob(const ShowJobOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "test show"));
  ASSIGN_OR_RETURN(const v1::SuiteJob job, FindJobOnServer(server, options.of));
  if (!options.junit.empty()) {
    ASSIGN_OR_RETURN(const std::optional<std::string> junit, ReadArtifactOf(server, job, "junit.xml"));
    if (!junit.has_value()) return NegativeError(absl::StrCat(job.job(), " has no junit.xml"));
    ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(options.junit, session.env));
    file->stream() << *junit;
    RETURN_IF_ERROR(file->Commit());
  }
  Json whole = JobJson(job);
  if (job.verdict().empty()) {
    PrintAnswer(job, JobJson, JobText, session);
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const Json result, ResultOf(server, job));
  if (session.options.json) {
    whole["result"] = result;
    session.output.Json(whole);
  } else {
    session.output.out() << JobText(job, session.output) << "\n" << ResultText(result, {}, session.output);
  }
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> ShowResult(const ShowJobOptions& options, Session& session) {
  if (MeansServer(session, options.of)) return ShowJob(options, session);
  const std::string& name = options.of;
  ASSIGN_OR_RETURN(const ListedResult found, FindResult(name));
  if (!options.junit.empty()) {
    ASSIGN_OR_RETURN(const std::string junit,
                     ReadInputFile(found.directory / "junit.xml", session.env, kMaxResultBytes));
    ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(options.junit, session.env));
    file->stream() << junit;
    RETURN_IF_ERROR(file->Commit());
  }
  if (session.options.json) {
    session.output.Json(found.result);
  } else {
    session.output.out() << ResultText(found.result, found.directory, session.output);
  }
  return ExitCode::kDone;
}

// Those members of an object; null for what it lacks.
template <size_t kSize>
Json Members(const Json& object, const std::array<const char*, kSize>& keys) {
  Json out = Json::object();
  for (const char* key : keys) out[key] = Member(object, key);
  return out;
}

Json ExplainJson(const Json& result) {
  Json out = Members<5>(result, {"job", "suite", "verdict", "reason", "cause"});
  out["steps"] = Json::array();
  for (const Json& step : ListMember(result, "steps")) {
    if (Member(step, "verdict") == "passed") continue;
    out["steps"].push_back(Members<4>(step, {"name", "verdict", "reason", "cause"}));
  }
  return out;
}

absl::StatusOr<ExitCode> ExplainJob(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "test explain"));
  ASSIGN_OR_RETURN(const v1::SuiteJob job, FindJobOnServer(server, name));
  if (job.state() == "queued") {
    v1::ExplainPendingRequest request;
    request.set_job(job.job());
    ASSIGN_OR_RETURN(const v1::ExplainPendingResponse waiting,
                     server.Call(&v1::DispatchService::Stub::ExplainPending, request));
    PrintAnswer(waiting, WaitingJson, WaitingText, session);
  } else if (job.verdict().empty()) {
    PrintAnswer(job, JobJson, JobText, session);
  } else {
    ASSIGN_OR_RETURN(const Json result, ResultOf(server, job));
    PrintAnswer(result, ExplainJson, ExplainText, session);
  }
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> ExplainResult(const std::string& name, Session& session) {
  if (MeansServer(session, name)) return ExplainJob(name, session);
  ASSIGN_OR_RETURN(const ListedResult found, FindResult(name));
  PrintAnswer(found.result, ExplainJson, ExplainText, session);
  return ExitCode::kDone;
}

// --- logs ---

struct LogsOptions {
  std::string directory;
  std::string step;
  std::optional<int> rank;
  size_t tail = 0;
  std::string pattern;
  // Of a job of the server.
  bool follow = false;
  std::string from;  // "RUN:OFFSET"
};

// Most lines that one call shows of a search; a log may have millions that match.
constexpr size_t kMaxFound = 100'000;

// The log of a step, by its name with cell or, where only one has it, by its id.
absl::StatusOr<fs::path> LogOf(const ListedResult& found, const std::string& wanted) {
  std::vector<std::string> logs;
  std::string names;
  for (const Json& step : ListMember(found.result, "steps")) {
    const std::string log = TextMember(step, "log");
    const std::string name = TextMember(step, "name");
    if (log.empty()) continue;
    if (name == wanted) return found.directory / log;
    if (TextMember(step, "id") == wanted) logs.push_back(log);
    absl::StrAppend(&names, "\n  ", Readable(name, 200));
  }
  if (logs.size() == 1) return found.directory / logs.front();
  return NegativeError(absl::StrCat(logs.empty() ? "that run has no log of a step " : "several steps have the id ",
                                    Quoted(wanted, 200), names.empty() ? "" : "; those with a log are:", names));
}

// The lines that are asked for, in order.
absl::Status ReadLogLines(worker::LogReader& log, const LogsOptions& options,
                          const std::function<void(const worker::LogLine&)>& show) {
  const int rank = options.rank.value_or(worker::kAllRanks);
  if (options.pattern.empty() && options.tail == 0) {
    return log.Read(1, log.lines(), [&](const worker::LogLine& line) {
      if (!options.rank.has_value() || line.rank == *options.rank) show(line);
      return true;
    });
  }
  ASSIGN_OR_RETURN(const std::vector<worker::LogLine> lines, options.pattern.empty()
                                                                 ? log.Tail(options.tail, rank)
                                                                 : log.Search(options.pattern, kMaxFound, rank));
  const size_t begin = options.tail > 0 && lines.size() > options.tail ? lines.size() - options.tail : 0;
  for (size_t i = begin; i < lines.size(); ++i) show(lines[i]);
  return absl::OkStatus();
}

Json LineJson(const worker::LogLine& line) {
  return {{"line", line.number},
          {"seconds", static_cast<double>(line.micros) / 1e6},
          {"rank", line.rank == worker::kNoRank ? Json(nullptr) : Json(line.rank)},
          {"stream", line.stream == worker::Stream::kStderr ? "stderr" : "stdout"},
          {"text", worker::ValidUtf8(line.text)}};
}

// The log of a job of the server: all of it, what there is of one step, or from an offset on.
absl::StatusOr<ExitCode> JobLog(const LogsOptions& options, Session& session) {
  if (options.rank.has_value() || options.tail > 0 || !options.pattern.empty()) {
    return UsageError("--rank, --tail and --grep read result directories",
                      {absl::StrCat("bring it here: yard test fetch ", options.directory, " --out DIR")});
  }
  FollowOptions follow;
  if (!options.from.empty()) {
    const std::pair<std::string, std::string> words = absl::StrSplit(options.from, absl::MaxSplits(':', 1));
    if (!absl::SimpleAtoi(words.first, &follow.fence) || !absl::SimpleAtoi(words.second, &follow.offset)) {
      return UsageError(absl::StrCat("--from ", Quoted(options.from), ": expected RUN:OFFSET, as --json gives them"));
    }
  }
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "test logs"));
  follow.job = options.directory;
  follow.once = !options.follow;
  std::ostream& out = session.output.out();
  // Of a step: the lines from where it begins to where the next thing does.
  bool inside = false;
  bool found = false;
  LineSplitter lines([&](std::string_view line) {
    using Kind = worker::RunLogLine::Kind;
    const worker::RunLogLine read = worker::ReadRunLogLine(line);
    if (read.kind == Kind::kStepBegins) {
      const bool same_id = absl::StartsWith(read.name, absl::StrCat(options.step, "["));
      inside = read.name == options.step || same_id;
      found = found || inside;
    } else if (read.kind == Kind::kText && inside) {
      out << PrintableLines(line) << '\n' << std::flush;
    } else if (read.kind == Kind::kLayerBegins) {
      inside = false;
    }
  });
  Json pieces = Json::array();
  FollowCallbacks callbacks;
  callbacks.log = [&](const v1::LogPiece& piece) {
    if (session.options.json) {
      Json one = {{"run", piece.fence()}, {"offset", piece.offset()}, {"text", worker::ValidUtf8(piece.text())}};
      one["next"] = absl::StrCat(piece.fence(), ":", piece.offset() + piece.text().size());
      if (options.follow) {
        session.output.Json(one);
        out << std::flush;
      } else {
        pieces.push_back(std::move(one));
      }
    } else if (options.step.empty()) {
      out << PrintableLines(piece.text()) << std::flush;
    } else {
      lines.Add(piece);
    }
  };
  callbacks.note = [&](std::string_view text) { session.output.Note(text); };
  ASSIGN_OR_RETURN(const v1::SuiteJob job, FollowJob(server, follow, callbacks));
  lines.Finish();
  if (session.options.json && !options.follow) session.output.Json({{"job", job.job()}, {"pieces", pieces}});
  if (!options.step.empty() && !session.options.json && !found) {
    return NegativeError(absl::StrCat("the log of ", job.job(), " has no step ", Quoted(options.step, 200)));
  }
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> Logs(const LogsOptions& options, Session& session) {
  if (MeansServer(session, options.directory)) return JobLog(options, session);
  if (options.follow || !options.from.empty()) {
    return UsageError("-f and --from follow jobs of the server: name one (j-…), or leave them out");
  }
  if (options.step.empty()) return UsageError("the step is missing: yard test logs DIR STEP");
  ASSIGN_OR_RETURN(const ListedResult found, FindResult(options.directory));
  ASSIGN_OR_RETURN(const fs::path path, LogOf(found, options.step));
  const absl::StatusOr<std::unique_ptr<worker::LogReader>> log = worker::OpenLog(path);
  if (!log.ok()) return SystemError(log.status().message());
  Json lines = Json::array();
  size_t count = 0;
  const absl::Status status = ReadLogLines(**log, options, [&](const worker::LogLine& line) {
    ++count;
    if (session.options.json) {
      lines.push_back(LineJson(line));
    } else {
      session.output.out() << LogLineText(line, session.output.color());
    }
  });
  if (session.options.json) session.output.Json({{"step", options.step}, {"lines", lines}});
  if (!status.ok()) return absl::IsInvalidArgument(status) ? status : SystemError(status.message());
  // As grep does.
  return !options.pattern.empty() && count == 0 ? ExitCode::kNegative : ExitCode::kDone;
}

// --- cancel, fetch ---

absl::StatusOr<ExitCode> CancelJob(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "test cancel"));
  v1::CancelJobRequest request;
  request.set_job(name);
  const absl::StatusOr<v1::CancelJobResponse> response = server.Call(&v1::DispatchService::Stub::CancelJob, request);
  if (absl::IsFailedPrecondition(response.status())) return NegativeError(response.status().message());
  RETURN_IF_ERROR(response.status());
  PrintAnswer(response->job(), JobJson, JobText, session);
  return ExitCode::kDone;
}

struct FetchOptions {
  std::string job;
  std::string out;
};

absl::StatusOr<ExitCode> FetchJob(const FetchOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "test fetch"));
  ASSIGN_OR_RETURN(const v1::SuiteJob job, FindJobOnServer(server, options.job));
  if (job.artifacts().empty()) {
    return NegativeError(absl::StrCat(job.job(), job.verdict().empty() ? " has not ended yet" : " left no files"));
  }
  const fs::path out = options.out.empty() ? fs::path(kResultsFolder) / job.job() : fs::path(options.out);
  RETURN_IF_ERROR(FetchArtifacts(server, job, out));
  ASSIGN_OR_RETURN(const std::optional<v1::SignedResult> signed_result, SignedResultOf(server, job.job()));
  if (signed_result.has_value()) RETURN_IF_ERROR(WriteSignature(*signed_result, out));
  if (session.options.json) {
    session.output.Json({{"job", job.job()}, {"directory", out.string()}, {"files", job.artifacts_size()}});
  } else {
    session.output.out() << Printable(out.string()) << "\n";
  }
  return ExitCode::kDone;
}

constexpr const char* kResultHelp =
    "Job of the server (j-…), or result directory, or job in ./yard-results (default: the newest)";

}  // namespace

void AddTestResultVerbs(Verb& test) {
  Verb& list = test.Add("list", "List the jobs of the server, or with --local the runs whose results lie here",
                        {"yard test list", "yard test list --live --json", "yard test list --results /srv/results"});
  ResultListOptions& listed = list.Runs(PrintResultList);
  list.Value("--results", &listed.folder, "DIR", "Folder of result directories (with --local: ./yard-results)");
  list.Flag("--live", &listed.live, "Only jobs that have not ended");
  list.Value("--repository", &listed.repository, "FORGE:OWNER/REPO", "Only jobs of this repository");
  list.Value("--limit", &listed.limit, "N", "At most so many jobs (default 50)").Between(1, 100'000);

  Verb& show = test.Add("show", "Show a job, or the result of a run",
                        {"yard test show j-1f2e3d4c5b6a7980 --junit junit.xml",
                         "yard test show yard-results/20260102-030405-9f3c --json"});
  ShowJobOptions& shown = show.Runs(ShowResult);
  show.Argument("JOB", &shown.of, kResultHelp);
  show.Value("--junit", &shown.junit, "FILE", "Also write its JUnit report there");

  Verb& explain = test.Add("explain", "Say why a job waits, or the cause of everything that did not pass",
                           {"yard test explain j-1f2e3d4c5b6a7980", "yard test explain 20260102-030405-9f3c"});
  explain.Argument("JOB", &explain.Runs(ExplainResult), kResultHelp);

  Verb& logs = test.Add("logs", "Show what a run or one step of it printed",
                        {"yard test logs -f j-1f2e3d4c5b6a7980",
                         "yard test logs yard-results/20260102-030405-9f3c all_reduce --rank 2 --tail 50",
                         "yard test logs 20260102-030405-9f3c build --grep '(?i)error:'"},
                        "With --json, -f gives a line for each piece; 'next' of the last one is where --from goes on.");
  LogsOptions& options = logs.Runs(Logs);
  logs.Argument("JOB", &options.directory, "Job of the server (j-…), result directory, or job in ./yard-results")
      .Required();
  logs.Argument("STEP", &options.step, "Name of the step, with its cell; or its id. Without it, of a job: all");
  logs.Flag("-f,--follow", &options.follow, "Of a job: go on as the log grows, to the end of the job");
  logs.Value("--from", &options.from, "RUN:OFFSET", "Of a job: only from there on, as --json names it");
  logs.Value("--rank", &options.rank, "R", "Only this rank's lines");
  logs.Value("--tail", &options.tail, "N", "Only the last N lines");
  logs.Value("--grep", &options.pattern, "RE2", "Only lines that match; exit code 1 if there are none");

  Verb& cancel = test.Add("cancel", "Cancel a job that waits or runs; exit code 1 if it has ended",
                          {"yard test cancel j-1f2e3d4c5b6a7980"});
  cancel.Argument("JOB", &cancel.Runs(CancelJob), "The job").Required();

  Verb& fetch = test.Add("fetch", "Bring the result directory of a job here",
                         {"yard test fetch j-1f2e3d4c5b6a7980 --out results"});
  FetchOptions& fetched = fetch.Runs(FetchJob);
  fetch.Argument("JOB", &fetched.job, "The job").Required();
  fetch.Value("--out", &fetched.out, "DIR", "New or empty folder (default ./yard-results/JOB)");
}

}  // namespace yardmaster::cli
