#include "clients/cli/test_results.h"

#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/json_members.h"
#include "services/core/files.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool HasResult(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "result.json", ignored);
}

// A failure of what was tested: an error says nothing about it.
bool IsFailure(const Json& one) {
  const std::string verdict = TextMember(one, "verdict");
  return verdict == "failed" || verdict == "timed_out" || verdict == "flaky";
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

void MarkFlakyAfter(const fs::path& before, worker::RunResult& run) {
  const absl::StatusOr<Json> result = ReadResult(before);
  const std::string cause = result.ok() ? TextMember(Member(*result, "cause"), "class") : "";
  if (!result.ok() || !IsFailure(*result) || cause == "environment" || cause == "infrastructure") return;
  std::vector<worker::TestResult> failed;
  for (const Json& test : ListMember(*result, "tests")) {
    if (!IsFailure(test)) continue;
    worker::TestResult one;
    one.id = TextMember(test, "id");
    one.rank = Member(test, "rank").is_number_integer() ? Member(test, "rank").get<int>() : worker::kNoRank;
    one.verdict = worker::Verdict::kFailed;
    one.message = TextMember(test, "message");
    failed.push_back(std::move(one));
  }
  worker::MarkFlaky(failed, run.tests);
  const std::string where = absl::StrCat("passed after the failure in ", before.string());
  for (worker::LayerResult& layer : run.layers) {
    const bool failed_before = absl::c_any_of(ListMember(*result, "layers"), [&](const Json& one) {
      return TextMember(one, "id") == layer.id && IsFailure(one);
    });
    if (!failed_before || layer.verdict != worker::Verdict::kPassed) continue;
    layer.verdict = worker::Verdict::kFlaky;
    layer.reason = where;
  }
  if (run.verdict != worker::Verdict::kPassed) return;
  run.verdict = worker::Verdict::kFlaky;
  run.reason = absl::StrCat(where, ": ", TextMember(*result, "reason"));
  run.notes.push_back(where);
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
