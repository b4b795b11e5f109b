#include "services/dispatch/step_times.h"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "absl/algorithm/container.h"
#include "services/dispatch/job_result.h"
#include "services/dispatch/result_json.h"

namespace yardmaster::dispatch {
namespace {

// Of all results together.
constexpr size_t kMaxBytesRead = size_t{32} * 1024 * 1024;
// Longer than that is no step: whoever wrote the result made it up.
constexpr double kMaxStepSeconds = 7 * 24 * 3'600;

}  // namespace

void AddStepTimes(std::string_view result, StepTimes& times) {
  const nlohmann::json parsed = nlohmann::json::parse(result, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return;
  for (const nlohmann::json* step : ObjectsAt(parsed, "steps")) {
    const std::string verdict = TextAt(*step, "verdict");
    const double seconds = NumberAt(*step, "end") - NumberAt(*step, "begin");
    const bool counts = verdict == "passed" || verdict == "flaky";
    if (counts && seconds >= 0 && seconds <= kMaxStepSeconds) times.try_emplace(TextAt(*step, "name"), seconds);
  }
}

StepTimes TimesOfSteps(Dispatch& dispatch, std::string_view suite, const Demand& demand,
                       const std::set<std::string>& wanted) {
  StepTimes times;
  size_t bytes = 0;
  for (const std::string& id : dispatch.dispatcher().past_runs().RunsOf(suite, demand)) {
    const bool all_known = absl::c_all_of(wanted, [&](const std::string& step) { return times.contains(step); });
    if (all_known || bytes > kMaxBytesRead) break;
    const absl::StatusOr<Job> job = dispatch.dispatcher().FindJob(id);
    if (!job.ok()) continue;
    const std::string result = ResultTextOf(dispatch.files(), *job);
    bytes += result.size();
    AddStepTimes(result, times);
  }
  return times;
}

}  // namespace yardmaster::dispatch
