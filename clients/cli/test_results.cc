#include "clients/cli/test_results.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "clients/cli/answer.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/json_members.h"
#include "rules/suites/suite_names.h"
#include "services/core/files.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool HasResult(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "result.json", ignored);
}

worker::Verdict VerdictIn(const Json& object) {
  return worker::VerdictNamed(TextMember(object, "verdict")).value_or(worker::Verdict::kNotRun);
}

worker::Cause CauseIn(const Json& object) {
  rules::FailureClass cls = rules::FailureClass::kCode;
  for (const auto& entry : rules::kFailureClasses) {
    if (entry.word == TextMember(object, "class")) cls = entry.value;
  }
  worker::Cause cause = worker::CauseOf(cls, TextMember(object, "signature"), TextMember(object, "message"),
                                        TextMember(object, "advice"));
  cause.step = TextMember(object, "step");
  cause.test = TextMember(object, "test");
  cause.log = TextMember(object, "log");
  cause.line = CountMember(object, "line");
  const Json& rank = Member(object, "rank");
  if (rank.is_number_integer()) cause.rank = rank.get<int>();
  return cause;
}

// Whether a test is run again with what failed, as the server chooses them, too.
bool IsFailure(const Json& one) {
  const std::string verdict = TextMember(one, "verdict");
  return verdict == "failed" || verdict == "timed_out" || verdict == "flaky" || verdict == "error";
}

}  // namespace

nlohmann::ordered_json RequestJson(const RunRequest& request) {
  return {{"suite", request.suite},
          {"source", request.source},
          {"select", request.select},
          {"layers", request.layers},
          {"set", request.assignments},
          {"keep_going", request.keep_going},
          {"cpu_devices", request.cpu_devices},
          {"steps", JsonList(request.steps,
                             [](const ChosenTests& chosen) {
                               return Json{{"step", chosen.step}, {"tests", chosen.tests}};
                             })},
          {"rerun_of", request.rerun_of}};
}

std::optional<RunRequest> ReadRequest(const fs::path& directory) {
  const absl::StatusOr<std::string> bytes = ReadSmallFile(directory / "request.json", kMaxResultBytes);
  if (!bytes.ok()) return std::nullopt;
  const Json json = Json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
  RunRequest request;
  request.suite = TextMember(json, "suite");
  request.source = TextMember(json, "source");
  request.select = TextsMember(json, "select");
  request.layers = TextsMember(json, "layers");
  request.assignments = TextsMember(json, "set");
  request.keep_going = Member(json, "keep_going") == true;
  request.cpu_devices = CountMember(json, "cpu_devices");
  for (const Json& one : ListMember(json, "steps")) {
    request.steps.push_back({TextMember(one, "step"), TextsMember(one, "tests")});
  }
  request.rerun_of = TextMember(json, "rerun_of");
  if (request.suite.empty()) return std::nullopt;
  return request;
}

absl::StatusOr<nlohmann::ordered_json> ReadResult(const fs::path& directory) {
  const fs::path file = directory / "result.json";
  const absl::StatusOr<std::string> bytes = ReadSmallFile(file, kMaxResultBytes);
  if (!bytes.ok()) return NegativeError(bytes.status().message());
  Json json = Json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  return NegativeError(absl::StrCat(Quoted(file.string(), 400), " is not the result of a run"));
}

worker::EarlierRun EarlierRunOf(const ListedResult& before, const fs::path& out) {
  const Json& result = before.result;
  std::error_code ignored;
  worker::EarlierRun run;
  run.job = TextMember(result, "job");
  run.directory = fs::relative(before.directory, out, ignored).string();
  run.suite_digest = TextMember(result, "suite_digest");
  run.commit = TextMember(result, "commit");
  absl::Time started;
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, TextMember(result, "started_at"), &started, &error)) {
    // Its start is told in whole seconds. The file was written when it ended, unless it was copied.
    run.ended = absl::ToChronoTime(started + absl::Seconds(NumberMember(result, "seconds") + 1));
    struct stat about {};
    if (::stat((before.directory / "result.json").c_str(), &about) == 0) {
      run.ended = std::min(run.ended, absl::ToChronoTime(absl::TimeFromTimespec(about.st_mtim)));
    }
  }
  for (const Json& one : ListMember(result, "steps")) {
    worker::StepResult step;
    step.name = TextMember(one, "name");
    step.verdict = VerdictIn(one);
    step.reason = TextMember(one, "reason");
    step.log = TextMember(one, "log");
    if (const Json& cause = Member(one, "cause"); cause.is_object()) step.cause = CauseIn(cause);
    if (step.verdict != worker::Verdict::kPassed) run.steps.push_back(std::move(step));
  }
  for (const Json& one : ListMember(result, "tests")) {
    worker::TestResult test;
    test.id = TextMember(one, "id");
    test.step = TextMember(one, "step");
    const Json& rank = Member(one, "rank");
    if (rank.is_number_integer()) test.rank = rank.get<int>();
    test.verdict = VerdictIn(one);
    test.message = TextMember(one, "message");
    if (test.verdict != worker::Verdict::kPassed) run.tests.push_back(std::move(test));
  }
  return run;
}

std::vector<ListedResult> ListResults(const fs::path& folder) {
  std::vector<ListedResult> results;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (!HasResult(it->path())) continue;
    absl::StatusOr<Json> result = ReadResult(it->path());
    if (result.ok()) results.push_back({it->path(), *std::move(result)});
  }
  absl::c_sort(results, [](const ListedResult& a, const ListedResult& b) {
    const std::string a_started = TextMember(a.result, "started_at");
    const std::string b_started = TextMember(b.result, "started_at");
    return a_started != b_started ? a_started > b_started : a.directory > b.directory;
  });
  return results;
}

std::vector<ChosenTests> FailedSteps(const nlohmann::ordered_json& result, const std::vector<std::string>& layers) {
  std::vector<ChosenTests> steps;
  std::set<std::string> with_steps;
  for (const Json& step : ListMember(result, "steps")) {
    const std::string layer = TextMember(step, "layer");
    if (TextMember(step, "verdict") == "passed" || !absl::c_linear_search(layers, layer)) continue;
    with_steps.insert(layer);
    steps.push_back({TextMember(step, "name"), {}});
  }
  if (with_steps.size() < layers.size()) return {};
  for (const Json& test : ListMember(result, "tests")) {
    const std::string id = TextMember(test, "id");
    const auto step =
        absl::c_find_if(steps, [&](const ChosenTests& one) { return one.step == TextMember(test, "step"); });
    if (step == steps.end() || !IsFailure(test) || absl::c_linear_search(step->tests, id)) continue;
    step->tests.push_back(id);
  }
  return steps;
}

std::vector<ChosenTests> FlakySteps(const nlohmann::ordered_json& result, std::vector<std::string>& layers) {
  std::vector<ChosenTests> steps;
  std::vector<std::string> of_steps;
  for (const Json& step : ListMember(result, "steps")) {
    if (TextMember(step, "verdict") != "flaky") continue;
    steps.push_back({TextMember(step, "name"), {}});
    const std::string layer = TextMember(step, "layer");
    if (!absl::c_linear_search(of_steps, layer)) of_steps.push_back(layer);
  }
  if (steps.empty()) return steps;
  layers = std::move(of_steps);
  for (const Json& test : ListMember(result, "tests")) {
    if (TextMember(test, "verdict") != "flaky") continue;
    for (ChosenTests& step : steps) {
      const std::string id = TextMember(test, "id");
      if (step.step == TextMember(test, "step") && !absl::c_linear_search(step.tests, id)) step.tests.push_back(id);
    }
  }
  return steps;
}

absl::StatusOr<ListedResult> FindResult(const std::string& name) {
  if (name.empty()) {
    std::vector<ListedResult> all = ListResults(kResultsFolder);
    if (!all.empty()) return std::move(all.front());
    return NegativeError(absl::StrCat("there are no results in ./", kResultsFolder,
                                      "; name a result directory, or run a suite: yard test run SUITE --local"));
  }
  fs::path directory = name;
  if (!HasResult(directory)) directory = fs::path(kResultsFolder) / name;
  if (!HasResult(directory)) {
    return NegativeError(
        absl::StrCat("there is no result in ", Quoted(name, 400), ", nor a job of that name in ./", kResultsFolder),
        {absl::StrCat("'yard test list' shows the runs in ./", kResultsFolder)});
  }
  ASSIGN_OR_RETURN(Json result, ReadResult(directory));
  return ListedResult{directory, std::move(result)};
}

}  // namespace yardmaster::cli
