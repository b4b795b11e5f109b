// `yard test list|show|logs|explain`: what runs on this machine left behind.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/test_results.h"
#include "clients/cli/test_text.h"
#include "clients/cli/verb_test.h"
#include "clients/cli/verbs.h"
#include "services/core/readable.h"
#include "services/worker/logs/log.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// --- list ---

ExitCode List(const std::string& folder, Session& session) {
  const std::vector<ListedResult> results = ListResults(folder);
  if (session.options.json) {
    Json runs = Json::array();
    for (const ListedResult& listed : results) {
      Json run = {{"directory", listed.directory.string()}};
      for (const char* key : {"job", "suite", "commit", "verdict", "layers", "seconds", "started_at"}) {
        if (const auto it = listed.result.find(key); it != listed.result.end()) run[key] = *it;
      }
      runs.push_back(run);
    }
    session.output.Json({{"runs", runs}});
  } else if (results.empty()) {
    session.output.Note("There are no results in " + folder + ".");
  } else {
    session.output.out() << ResultTable(results, session.output);
  }
  return ExitCode::kDone;
}

// --- show, explain ---

ExitCode Show(const std::string& name, Session& session) {
  const std::optional<ListedResult> found = FindResult(session, name);
  if (!found.has_value()) return ExitCode::kNegative;
  if (session.options.json) {
    session.output.Json(found->result);
  } else {
    session.output.out() << ResultText(found->result, found->directory, session.output);
  }
  return ExitCode::kDone;
}

ExitCode Explain(const std::string& name, Session& session) {
  const std::optional<ListedResult> found = FindResult(session, name);
  if (!found.has_value()) return ExitCode::kNegative;
  if (!session.options.json) {
    session.output.out() << ExplainText(found->result, session.output);
    return ExitCode::kDone;
  }
  const Json& result = found->result;
  const auto at = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? object[key] : Json();
  };
  Json steps = Json::array();
  for (const Json& step : at(result, "steps")) {
    if (at(step, "verdict") == "passed") continue;
    steps.push_back({{"name", at(step, "name")},
                     {"verdict", at(step, "verdict")},
                     {"reason", at(step, "reason")},
                     {"cause", at(step, "cause")}});
  }
  session.output.Json({{"job", at(result, "job")},
                       {"suite", at(result, "suite")},
                       {"verdict", at(result, "verdict")},
                       {"reason", at(result, "reason")},
                       {"cause", at(result, "cause")},
                       {"steps", steps}});
  return ExitCode::kDone;
}

// --- logs ---

struct LogsArguments {
  std::string directory;
  std::string step;
  std::optional<int> rank;
  size_t tail = 0;
  std::string pattern;
};

// Most lines that one call shows of a search; a log may have millions that match.
constexpr size_t kMaxFound = 100'000;

// The log of a step, by its name with cell or, where only one has it, by its id. Empty after saying why.
fs::path LogOf(Session& session, const ListedResult& found, const std::string& wanted) {
  std::vector<std::string> logs;
  std::string names;
  const auto steps = found.result.find("steps");
  if (steps != found.result.end() && steps->is_array()) {
    for (const Json& step : *steps) {
      const auto text = [&](const char* key) {
        return step.is_object() && step.contains(key) && step[key].is_string() ? step[key].get<std::string>() : "";
      };
      if (text("log").empty()) continue;
      if (text("name") == wanted) return found.directory / text("log");
      if (text("id") == wanted) logs.push_back(text("log"));
      names += "\n  " + Readable(text("name"), 200);
    }
  }
  if (logs.size() == 1) return found.directory / logs.front();
  session.output.Error((logs.empty() ? "that run has no log of a step " : "several steps have the id ") +
                       Quoted(wanted, 200) + (names.empty() ? "" : "; those with a log are:" + names));
  return {};
}

ExitCode Logs(const LogsArguments& arguments, Session& session) {
  const std::optional<ListedResult> found = FindResult(session, arguments.directory);
  if (!found.has_value()) return ExitCode::kNegative;
  const fs::path path = LogOf(session, *found, arguments.step);
  if (path.empty()) return ExitCode::kNegative;
  const absl::StatusOr<std::unique_ptr<worker::LogReader>> log = worker::OpenLog(path);
  if (!log.ok()) {
    session.output.Error(std::string(log.status().message()));
    return ExitCode::kSystem;
  }
  Json lines = Json::array();
  size_t count = 0;
  const auto show = [&](const worker::LogLine& line) {
    ++count;
    if (session.options.json) {
      lines.push_back({{"line", line.number},
                       {"seconds", static_cast<double>(line.micros) / 1e6},
                       {"rank", line.rank == worker::kNoRank ? Json(nullptr) : Json(line.rank)},
                       {"stream", line.stream == worker::Stream::kStderr ? "stderr" : "stdout"},
                       {"text", worker::ValidUtf8(line.text)}});
    } else {
      session.output.out() << LogLineText(line, session.output.color());
    }
  };
  const int rank = arguments.rank.value_or(worker::kAllRanks);
  absl::Status status;
  if (!arguments.pattern.empty()) {
    absl::StatusOr<std::vector<worker::LogLine>> hits = (*log)->Search(arguments.pattern, kMaxFound, rank);
    if (hits.ok()) {
      const size_t begin = arguments.tail > 0 && hits->size() > arguments.tail ? hits->size() - arguments.tail : 0;
      for (size_t i = begin; i < hits->size(); ++i) show((*hits)[i]);
    }
    status = hits.status();
  } else if (arguments.tail > 0) {
    absl::StatusOr<std::vector<worker::LogLine>> last = (*log)->Tail(arguments.tail, rank);
    if (last.ok()) {
      for (const worker::LogLine& line : *last) show(line);
    }
    status = last.status();
  } else {
    status = (*log)->Read(1, (*log)->lines(), [&](const worker::LogLine& line) {
      if (!arguments.rank.has_value() || line.rank == *arguments.rank) show(line);
      return true;
    });
  }
  if (session.options.json) session.output.Json({{"step", arguments.step}, {"lines", lines}});
  if (!status.ok()) {
    session.output.Error(std::string(status.message()));
    return absl::IsInvalidArgument(status) ? ExitCode::kUsage : ExitCode::kSystem;
  }
  // As grep does.
  return !arguments.pattern.empty() && count == 0 ? ExitCode::kNegative : ExitCode::kDone;
}

constexpr const char* kResultHelp = "Result directory, or job in ./yard-results (default: the newest)";

}  // namespace

void AddTestResultVerbs(CLI::App& test, Verb& chosen) {
  auto folder = std::make_shared<std::string>(kResultsFolder);
  CLI::App* list = AddVerb(test, "list", "List the runs whose results lie here, newest first",
                           "  yard test list\n  yard test list --results /srv/results --json");
  list->add_option("--results", *folder, "Folder of result directories (default ./yard-results)")->type_name("DIR");
  list->callback([&chosen, folder] { chosen = [folder](Session& session) { return List(*folder, session); }; });

  auto shown = std::make_shared<std::string>();
  CLI::App* show = AddVerb(test, "show", "Show the result of a run",
                           "  yard test show\n  yard test show yard-results/20260102-030405-9f3c --json");
  show->add_option("DIR", *shown, kResultHelp)->type_name("");
  show->callback([&chosen, shown] { chosen = [shown](Session& session) { return Show(*shown, session); }; });

  auto explained = std::make_shared<std::string>();
  CLI::App* explain = AddVerb(test, "explain", "Say of everything in a run that did not pass what is to blame for it",
                              "  yard test explain\n  yard test explain 20260102-030405-9f3c");
  explain->add_option("DIR", *explained, kResultHelp)->type_name("");
  explain->callback(
      [&chosen, explained] { chosen = [explained](Session& session) { return Explain(*explained, session); }; });

  auto arguments = std::make_shared<LogsArguments>();
  CLI::App* logs = AddVerb(test, "logs", "Show what a step printed, with line, time and rank",
                           "  yard test logs yard-results/20260102-030405-9f3c all_reduce --rank 2 --tail 50\n"
                           "  yard test logs 20260102-030405-9f3c build --grep '(?i)error:'");
  logs->add_option("DIR", arguments->directory, "Result directory, or job in ./yard-results")
      ->required()
      ->type_name("");
  logs->add_option("STEP", arguments->step, "Name of the step, with its cell; or its id")->required()->type_name("");
  logs->add_option("--rank", arguments->rank, "Only this rank's lines")->type_name("R");
  logs->add_option("--tail", arguments->tail, "Only the last N lines")->type_name("N");
  logs->add_option("--grep", arguments->pattern, "Only lines that match; exit code 1 if there are none")
      ->type_name("RE2");
  logs->callback(
      [&chosen, arguments] { chosen = [arguments](Session& session) { return Logs(*arguments, session); }; });
}

}  // namespace yardmaster::cli
