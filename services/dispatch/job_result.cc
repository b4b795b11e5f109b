#include "services/dispatch/job_result.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "services/dispatch/errors.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/queue/states.h"
#include "services/dispatch/result_json.h"

namespace yardmaster::dispatch {
namespace {

using nlohmann::json;

constexpr size_t kMaxResultBytes = size_t{4} * 1024 * 1024;

bool HasFailed(const json& one) {
  const std::string verdict = TextAt(one, "verdict");
  return verdict == "failed" || verdict == "timed_out" || verdict == "error" || verdict == "flaky";
}

// By name, with those of their tests that are chosen.
using Steps = std::map<std::string, std::set<std::string>>;

void Choose(const std::set<std::string>& layers, const Steps& steps, v1::JobSpec& spec) {
  spec.clear_layers();
  spec.clear_steps();
  for (const std::string& layer : layers) spec.add_layers(layer);
  for (const auto& [step, tests] : steps) {
    v1::StepChoice& choice = *spec.add_steps();
    choice.set_step(step);
    for (const std::string& test : tests) choice.add_tests(test);
  }
}

}  // namespace

std::string ResultTextOf(PartFiles& files, const Job& job) {
  for (const v1::Artifact& artifact : ArtifactsOf(job)) {
    if (artifact.path() != "result.json" || artifact.size() > kMaxResultBytes) continue;
    std::string text;
    while (text.size() < artifact.size()) {
      uint64_t size = 0;
      const absl::StatusOr<std::string> part = files.Read(artifact.digest(), text.size(), size);
      if (!part.ok() || part->empty()) return {};
      text += *part;
    }
    return text;
  }
  return {};
}

std::string FailureBefore(const Job& job) {
  const bool failed = job.verdict == Verdict::kFailed || job.verdict == Verdict::kTimedOut;
  if (failed && !IsOfMachine(job.cause.class_name)) return job.id;
  // A rerun that a machine failed, or that was flaky, stands between.
  return job.failed_before;
}

absl::Status SelectFailed(PartFiles& files, const Job& job, v1::JobSpec& spec) {
  if (job.state != JobState::kEnded || job.verdict == Verdict::kPassed) return NothingFailed(job.id);
  const json result = json::parse(ResultTextOf(files, job), nullptr, /*allow_exceptions=*/false);
  if (!result.is_object()) return ResultNotThere(job.id);
  // A layer that was held up by one that failed did not pass, either.
  std::set<std::string> layers;
  for (const json* layer : ObjectsAt(result, "layers")) {
    if (TextAt(*layer, "verdict") != "passed") layers.insert(TextAt(*layer, "id"));
  }
  if (layers.empty()) return NothingFailed(job.id);
  // A step that names no test that failed is run as a whole.
  std::set<std::string> with_steps;
  Steps steps;
  for (const json* step : ObjectsAt(result, "steps")) {
    const std::string layer = TextAt(*step, "layer");
    if (TextAt(*step, "verdict") == "passed" || !layers.contains(layer)) continue;
    with_steps.insert(layer);
    steps[TextAt(*step, "name")];
  }
  size_t chosen = steps.size();
  for (const json* test : ObjectsAt(result, "tests")) {
    const auto step = steps.find(TextAt(*test, "step"));
    if (step == steps.end() || !HasFailed(*test)) continue;
    if (step->second.insert(TextAt(*test, "id")).second) ++chosen;
  }
  // Of one that was not begun the steps are not known: if the job had some of them only, it has them again.
  const bool known = with_steps.size() == layers.size() && chosen <= kMaxSpecTests;
  if (known || spec.steps().empty()) Choose(layers, known ? steps : Steps(), spec);
  return absl::OkStatus();
}

absl::Status SelectFlaky(PartFiles& files, const Job& job, v1::JobSpec& spec) {
  if (job.state != JobState::kEnded || job.verdict == Verdict::kPassed) return NothingFlaky(job.id);
  const json result = json::parse(ResultTextOf(files, job), nullptr, /*allow_exceptions=*/false);
  if (!result.is_object()) return ResultNotThere(job.id);
  std::set<std::string> layers;
  Steps steps;
  for (const json* step : ObjectsAt(result, "steps")) {
    if (TextAt(*step, "verdict") != "flaky") continue;
    layers.insert(TextAt(*step, "layer"));
    steps[TextAt(*step, "name")];
  }
  if (steps.empty()) return job.verdict == Verdict::kFlaky ? absl::OkStatus() : NothingFlaky(job.id);
  size_t chosen = steps.size();
  for (const json* test : ObjectsAt(result, "tests")) {
    const auto step = steps.find(TextAt(*test, "step"));
    if (step == steps.end() || TextAt(*test, "verdict") != "flaky") continue;
    if (step->second.insert(TextAt(*test, "id")).second) ++chosen;
  }
  Choose(layers, chosen > kMaxSpecTests ? Steps() : steps, spec);
  return absl::OkStatus();
}

}  // namespace yardmaster::dispatch
