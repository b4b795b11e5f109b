#include "clients/cli/test_results.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "services/core/files.h"
#include "services/core/readable.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool HasResult(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "result.json", ignored);
}

std::string StartedAt(const ListedResult& listed) {
  const auto it = listed.result.find("started_at");
  return it != listed.result.end() && it->is_string() ? it->get<std::string>() : "";
}

std::vector<std::string> Texts(const Json& value) {
  std::vector<std::string> texts;
  if (!value.is_array()) return texts;
  for (const Json& item : value) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace

nlohmann::ordered_json RequestJson(const RunRequest& request) {
  return {{"suite", request.suite},
          {"source", request.source},
          {"select", request.select},
          {"layers", request.layers},
          {"set", request.assignments},
          {"keep_going", request.keep_going},
          {"cpu_devices", request.cpu_devices}};
}

std::optional<RunRequest> ReadRequest(const fs::path& directory) {
  const absl::StatusOr<std::string> bytes = ReadSmallFile(directory / "request.json", kMaxResultBytes);
  if (!bytes.ok()) return std::nullopt;
  const Json json = Json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto at = [&](const char* key) { return json.contains(key) ? json[key] : Json(); };
  RunRequest request;
  if (at("suite").is_string()) request.suite = at("suite").get<std::string>();
  if (at("source").is_string()) request.source = at("source").get<std::string>();
  request.select = Texts(at("select"));
  request.layers = Texts(at("layers"));
  request.assignments = Texts(at("set"));
  if (at("keep_going").is_boolean()) request.keep_going = at("keep_going").get<bool>();
  if (at("cpu_devices").is_number_unsigned()) request.cpu_devices = at("cpu_devices").get<size_t>();
  if (request.suite.empty()) return std::nullopt;
  return request;
}

std::optional<nlohmann::ordered_json> ReadResult(const fs::path& directory, std::string& error) {
  const absl::StatusOr<std::string> bytes = ReadSmallFile(directory / "result.json", kMaxResultBytes);
  if (!bytes.ok()) {
    error = std::string(bytes.status().message());
    return std::nullopt;
  }
  Json json = Json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    error = Quoted((directory / "result.json").string(), 400) + " is not the result of a run";
    return std::nullopt;
  }
  return json;
}

std::vector<ListedResult> ListResults(const fs::path& folder) {
  std::vector<ListedResult> results;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (!HasResult(it->path())) continue;
    std::string error;
    std::optional<Json> result = ReadResult(it->path(), error);
    if (result.has_value()) results.push_back({it->path(), *std::move(result)});
  }
  std::sort(results.begin(), results.end(), [](const ListedResult& a, const ListedResult& b) {
    const std::string a_started = StartedAt(a);
    const std::string b_started = StartedAt(b);
    return a_started != b_started ? a_started > b_started : a.directory > b.directory;
  });
  return results;
}

std::optional<ListedResult> FindResult(Session& session, const std::string& name) {
  if (name.empty()) {
    std::vector<ListedResult> all = ListResults(kResultsFolder);
    if (!all.empty()) return std::move(all.front());
    session.output.Error(std::string("there are no results in ./") + kResultsFolder +
                         "; name a result directory, or run a suite: yard test run SUITE --local");
    return std::nullopt;
  }
  fs::path directory = name;
  if (!HasResult(directory) && HasResult(fs::path(kResultsFolder) / name)) directory = fs::path(kResultsFolder) / name;
  if (!HasResult(directory)) {
    session.output.Error("there is no result in " + Quoted(name, 400) + ", nor a job of that name in ./" +
                         kResultsFolder);
    session.output.Hint("'yard test list' shows the runs in ./" + std::string(kResultsFolder));
    return std::nullopt;
  }
  std::string error;
  std::optional<Json> result = ReadResult(directory, error);
  if (result.has_value()) return ListedResult{directory, *std::move(result)};
  session.output.Error(error);
  return std::nullopt;
}

}  // namespace yardmaster::cli
