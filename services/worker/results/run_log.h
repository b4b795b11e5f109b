// The log of a run on another machine: what happens and what the tests print, as people read it. What happens stands in
// lines of their own, which can be read back, so that whoever follows the log sees how far the run is:
//
//     == correctness (2 of 5)                                a layer begins
//     -- all_reduce[dtype=float32]                           a step begins
//     .. 34 of 120 tests, 1 failed                           how far the step is
//     -> failed in 4.2 s: all_reduce[dtype=float32]          a step has ended
//     => failed in 9.1 s: correctness, 120 tests, 1 failed   a layer has ended
//
// A test may print the same: who reads it takes it for what is shown, never for a result.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_RUN_LOG_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_RUN_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

std::string LayerBeginsLine(std::string_view layer, size_t number, size_t layers);
std::string StepBeginsLine(std::string_view step);
std::string ProgressLine(size_t done, size_t failed, size_t expected);  // `expected` 0: unknown
std::string StepEndsLine(const StepResult& step);
std::string LayerEndsLine(const LayerResult& layer);

struct RunLogLine {
  enum class Kind : uint8_t { kText, kLayerBegins, kStepBegins, kProgress, kStepEnds, kLayerEnds };
  Kind kind = Kind::kText;
  std::string name;     // of the layer or step
  size_t number = 0;    // kLayerBegins: which layer, from 1
  size_t of = 0;        // kLayerBegins: of how many; kProgress: tests that are expected, 0: unknown
  size_t tests = 0;     // kProgress, kLayerEnds
  size_t failed = 0;    // kProgress, kLayerEnds
  std::string verdict;  // kStepEnds, kLayerEnds
  double seconds = 0;   // kStepEnds, kLayerEnds
};
// Any text: what is none of the lines above is kText.
RunLogLine ReadRunLogLine(std::string_view line);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_RUN_LOG_H_
