#include "services/worker/results/result_files.h"

#include <memory>
#include <string>
#include <string_view>

#include "services/core/files.h"
#include "services/worker/logs/log.h"
#include "services/worker/results/log_text.h"

namespace yardmaster::worker {
namespace {

std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

absl::Status WriteResultFiles(const std::filesystem::path& directory, const RunResult& run) {
  absl::Status first;
  const auto write = [&](std::string_view name, const std::string& content) {
    const absl::Status status = WriteFileAtomically(directory / name, content);
    if (first.ok()) first = status;
  };
  // The one that programs read comes first: on a full disk it is the smallest that says everything.
  write("result.json", Dump(ResultJson(run)));
  write("junit.xml", ResultJunit(run));
  write("report.html", ResultHtml(run));
  for (const StepResult& step : run.steps) {
    if (step.log.empty()) continue;
    const absl::StatusOr<std::unique_ptr<LogReader>> log = OpenLog(directory / step.log);
    if (log.ok()) write(LogTextPath(step.log), LogText(**log));
  }
  if (!run.tensors.empty()) write("tensors.json", Dump(TensorsJson(run)));
  return first;
}

}  // namespace yardmaster::worker
