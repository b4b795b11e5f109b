// `yard test list|show|logs|explain`: what runs on this machine left behind.
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/json_members.h"
#include "clients/cli/test_results.h"
#include "clients/cli/test_text.h"
#include "clients/cli/verbs.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/logs/log.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// --- list ---

struct ResultListOptions {
  std::string folder = kResultsFolder;
};

Json ListedJson(const ListedResult& listed) {
  Json run = {{"directory", listed.directory.string()}};
  for (const char* key : {"job", "suite", "commit", "verdict", "layers", "seconds", "started_at"}) {
    if (listed.result.contains(key)) run[key] = listed.result[key];
  }
  return run;
}

absl::StatusOr<ExitCode> PrintResultList(const ResultListOptions& options, Session& session) {
  const std::string none = absl::StrCat("There are no results in ", options.folder, ".");
  PrintRows("runs", ListResults(options.folder), ListedJson, ResultTable, session, none.c_str());
  return ExitCode::kDone;
}

// --- show, explain ---

absl::StatusOr<ExitCode> ShowResult(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const ListedResult found, FindResult(name));
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

absl::StatusOr<ExitCode> ExplainResult(const std::string& name, Session& session) {
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

absl::StatusOr<ExitCode> Logs(const LogsOptions& options, Session& session) {
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

constexpr const char* kResultHelp = "Result directory, or job in ./yard-results (default: the newest)";

}  // namespace

void AddTestResultVerbs(Verb& test) {
  Verb& list = test.Add("list", "List the runs whose results lie here, newest first",
                        {"yard test list", "yard test list --results /srv/results --json"});
  list.Value("--results", &list.Runs(PrintResultList).folder, "DIR",
             "Folder of result directories (default ./yard-results)");

  Verb& show = test.Add("show", "Show the result of a run",
                        {"yard test show", "yard test show yard-results/20260102-030405-9f3c --json"});
  show.Argument("DIR", &show.Runs(ShowResult), kResultHelp);

  Verb& explain = test.Add("explain", "Say of everything in a run that did not pass what is to blame for it",
                           {"yard test explain", "yard test explain 20260102-030405-9f3c"});
  explain.Argument("DIR", &explain.Runs(ExplainResult), kResultHelp);

  Verb& logs = test.Add("logs", "Show what a step printed, with line, time and rank",
                        {"yard test logs yard-results/20260102-030405-9f3c all_reduce --rank 2 --tail 50",
                         "yard test logs 20260102-030405-9f3c build --grep '(?i)error:'"});
  LogsOptions& options = logs.Runs(Logs);
  logs.Argument("DIR", &options.directory, "Result directory, or job in ./yard-results").Required();
  logs.Argument("STEP", &options.step, "Name of the step, with its cell; or its id").Required();
  logs.Value("--rank", &options.rank, "R", "Only this rank's lines");
  logs.Value("--tail", &options.tail, "N", "Only the last N lines");
  logs.Value("--grep", &options.pattern, "RE2", "Only lines that match; exit code 1 if there are none");
}

}  // namespace yardmaster::cli
