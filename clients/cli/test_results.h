// Result directories of runs on this machine.
#ifndef YARDMASTER_CLIENTS_CLI_TEST_RESULTS_H_
#define YARDMASTER_CLIENTS_CLI_TEST_RESULTS_H_

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/test_text.h"
#include "services/worker/verdict/earlier_run.h"

namespace yardmaster::cli {

// Where runs leave their results unless they are told otherwise, below the working directory.
inline constexpr const char* kResultsFolder = "yard-results";
inline constexpr size_t kMaxResultBytes = size_t{512} << 20;

// A step by name with its cell, and which of its tests; none: all.
struct ChosenTests {
  std::string step;
  std::vector<std::string> tests;
};

// What a run was asked for, in request.json of its result directory, so that it can be run again.
struct RunRequest {
  std::string suite;                     // "pack/id"
  std::string source;                    // absolute, or empty
  std::vector<std::string> select;       // "axis=value,value"
  std::vector<std::string> layers;       // only these
  std::vector<std::string> assignments;  // "VARIABLE=value"
  bool keep_going = false;
  size_t cpu_devices = 0;
  std::vector<ChosenTests> steps;  // of `layers`: only these
  std::string rerun_of;            // job of the run that this one did again; empty: it was the first
};
nlohmann::ordered_json RequestJson(const RunRequest& request);
std::optional<RunRequest> ReadRequest(const std::filesystem::path& directory);

// The result of a directory.
absl::StatusOr<nlohmann::ordered_json> ReadResult(const std::filesystem::path& directory);

// What a run with its result in `out` must know of the one that it does again.
worker::EarlierRun EarlierRunOf(const ListedResult& before, const std::filesystem::path& out);

// All results in a folder of them, newest first; what is no result is passed over.
std::vector<ListedResult> ListResults(const std::filesystem::path& folder);

// Steps of these layers that did not pass, with their tests that failed; none where they are not known of each layer.
std::vector<ChosenTests> FailedSteps(const nlohmann::ordered_json& result, const std::vector<std::string>& layers);

// Steps that were flaky, with their tests that were; `layers` becomes theirs. None: `layers` stays as it is.
std::vector<ChosenTests> FlakySteps(const nlohmann::ordered_json& result, std::vector<std::string>& layers);

// The one that `name` means: a directory, a job in kResultsFolder, or where it is empty the newest there. All errors
// are negative answers.
absl::StatusOr<ListedResult> FindResult(const std::string& name);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TEST_RESULTS_H_
