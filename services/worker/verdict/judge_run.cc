#include <algorithm>
#include <set>
#include <string>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/text.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {
namespace {

bool Ran(Verdict verdict) { return verdict != Verdict::kNotRun; }

// Verdicts are declared from the best to the worst; what did not run is no part of it.
Verdict Worst(Verdict a, Verdict b) {
  if (!Ran(a)) return b;
  if (!Ran(b)) return a;
  return std::max(a, b);
}

// Layers whose passing means something about the results of what is tested: those of kind correctness; where a suite
// has none, any that tests more than that it can be built and imported; else all.
std::set<std::string> CorrectnessLayers(const rules::SuiteModel& suite, const RunResult& run) {
  const auto collect = [&](auto&& wanted) {
    std::set<std::string> ids;
    for (const rules::SuiteLayer& layer : suite.layers) {
      if (!wanted(layer.kind)) continue;
      // Layers that were left out by choice are not in the result.
      const bool chosen = absl::c_any_of(run.layers, [&](const LayerResult& result) { return result.id == layer.id; });
      if (chosen) ids.insert(layer.id);
    }
    return ids;
  };
  std::set<std::string> ids = collect([](rules::LayerKind kind) { return kind == rules::LayerKind::kCorrectness; });
  if (ids.empty()) {
    ids = collect([](rules::LayerKind kind) {
      return kind == rules::LayerKind::kSmoke || kind == rules::LayerKind::kModule ||
             kind == rules::LayerKind::kRoundTrip || kind == rules::LayerKind::kBoundary;
    });
  }
  if (ids.empty()) ids = collect([](rules::LayerKind /*kind*/) { return true; });
  return ids;
}

bool IsRequired(const rules::SuiteModel& suite, const std::string& id) {
  return absl::c_any_of(suite.layers, [&](const rules::SuiteLayer& layer) { return layer.id == id && layer.required; });
}

}  // namespace

LayerResult JudgeLayer(const rules::SuiteLayer& layer, const std::vector<const StepResult*>& steps,
                       const std::vector<const TestResult*>& tests, std::string_view not_run_reason) {
  LayerResult result;
  result.id = layer.id;
  result.title = layer.title;
  result.verdict = Verdict::kNotRun;
  result.tests = tests.size();
  for (const TestResult* test : tests) {
    if (test->skipped) {
      ++result.skipped;
    } else if (test->verdict != Verdict::kPassed && test->verdict != Verdict::kFlaky) {
      ++result.failed;
    }
  }

  size_t not_run = 0;
  std::string why_not;
  int64_t begin = 0;
  int64_t end = 0;
  for (const StepResult* step : steps) {
    const bool first = step == steps.front();
    begin = first ? step->begin_micros : std::min(begin, step->begin_micros);
    end = first ? step->end_micros : std::max(end, step->end_micros);
    if (!Ran(step->verdict)) {
      ++not_run;
      if (why_not.empty()) why_not = step->reason;
      continue;
    }
    const Verdict worst = Worst(result.verdict, step->verdict);
    // The first step with the worst verdict says why.
    if (worst != result.verdict) result.reason = step->reason;
    result.verdict = worst;
  }
  result.seconds = static_cast<double>(end - begin) / kMicrosPerSecond;

  if (!not_run_reason.empty() && !Ran(result.verdict)) {
    result.reason = std::string(not_run_reason);
  } else if (not_run > 0 && !Ran(result.verdict)) {
    result.reason = why_not;
  } else if (not_run > 0 && result.reason.empty()) {
    result.reason = Concat(not_run, " of ", Count(steps.size(), "step"), " not run: ", why_not);
  } else if (steps.empty()) {
    result.reason = "nothing to run";
  }
  return result;
}

void JudgeRun(const rules::SuiteModel& suite, RunResult& run) {
  Verdict verdict = Verdict::kNotRun;
  for (const LayerResult& layer : run.layers) verdict = Worst(verdict, layer.verdict);
  // Steps of the build and of fetching may have no layer in the result.
  for (const StepResult& step : run.steps) {
    if (step.layer == kBuildLayer || step.layer == kFetchLayer) verdict = Worst(verdict, step.verdict);
  }

  std::string missing;
  if (verdict == Verdict::kPassed || verdict == Verdict::kFlaky || !Ran(verdict)) {
    const std::set<std::string> correctness = CorrectnessLayers(suite, run);
    bool any = false;
    for (const LayerResult& layer : run.layers) {
      if (correctness.count(layer.id) > 0 && Ran(layer.verdict)) any = true;
    }
    for (const LayerResult& layer : run.layers) {
      if (Ran(layer.verdict) || !missing.empty()) continue;
      if (IsRequired(suite, layer.id) || (!any && correctness.count(layer.id) > 0)) {
        missing = Concat("layer '", layer.id, "' was not run", layer.reason.empty() ? "" : ": ", layer.reason);
      }
    }
    if (!any && missing.empty()) missing = "no layer was run";
  }
  run.verdict = missing.empty() ? verdict : Verdict::kNotRun;

  run.cause.reset();
  run.reason = missing;
  for (const StepResult& step : run.steps) {
    if (step.verdict != run.verdict || !missing.empty()) continue;
    if (step.verdict == Verdict::kPassed) continue;
    if (run.reason.empty()) run.reason = step.reason;
    if (!run.cause.has_value()) run.cause = step.cause;
  }
  if (!run.reason.empty()) return;
  for (const LayerResult& layer : run.layers) {
    if (layer.verdict == run.verdict && run.verdict != Verdict::kPassed && run.reason.empty())
      run.reason = layer.reason;
  }
}

}  // namespace yardmaster::worker
