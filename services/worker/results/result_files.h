// The result directory of a run:
//
//     result.json          the shape of the contract, with more
//     junit.xml            all tests with their ranks, for CI
//     report.html          one file for people: no script or picture from elsewhere
//     tensors.json         error statistics of all tensors, where there were any
//     steps/<name>/        log (services/worker/logs), ranks/<rank>/ with reports and what the rank wrote to ${OUT}
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_RESULT_FILES_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_RESULT_FILES_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

// {job, suite, commit, suite_digest, verdict, layers, tests, devices, seconds} and, besides: reason, cause, steps,
// notes, versions, started_at. Texts that are not UTF-8 are replaced.
nlohmann::ordered_json ResultJson(const RunResult& run);
std::string ResultJunit(const RunResult& run);
// The page report.html of this folder with the result in it: layers, a timeline with one lane a rank, the first cause
// with its excerpt, tests, error statistics as pictures. Links are relative to the result directory.
std::string ResultHtml(const RunResult& run);
nlohmann::ordered_json TensorsJson(const RunResult& run);

// Writes all of them into `directory`, which must exist; each appears whole or not at all. The first error, after all
// were tried.
absl::Status WriteResultFiles(const std::filesystem::path& directory, const RunResult& run);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_RESULT_FILES_H_
