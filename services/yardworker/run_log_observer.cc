#include "services/yardworker/run_log_observer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/worker/results/run_log.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::yardworker {

void RunLogObserver::LayerBegins(std::string_view layer, size_t number, size_t layers) {
  Started();
  progress_.LayerBegins(layer, layers);
  Say(worker::LayerBeginsLine(layer, number, layers));
}

void RunLogObserver::StepBegins(std::string_view /*layer*/, std::string_view step) {
  Started();
  progress_.StepBegins(step);
  Say(worker::StepBeginsLine(step));
}

void RunLogObserver::Progress(std::string_view /*step*/, size_t done, size_t failed, size_t expected) {
  progress_.Progress(done, failed, expected);
  // Once a second is enough for people.
  const auto now = std::chrono::steady_clock::now();
  if (now - progress_said_ < std::chrono::seconds(1)) return;
  progress_said_ = now;
  Say(worker::ProgressLine(done, failed, expected));
}

void RunLogObserver::StepEnds(const worker::StepResult& step) {
  progress_.StepEnds(step);
  Say(worker::StepEndsLine(step));
}

void RunLogObserver::LayerEnds(const worker::LayerResult& layer) {
  const bool built = layer.id == worker::kBuildLayer && layer.verdict == worker::Verdict::kPassed;
  if (built && tree_ != nullptr) tree_->BuildHasPassed();
  progress_.LayerEnds(layer);
  Say(worker::LayerEndsLine(layer));
}

void RunLogObserver::Note(std::string_view text) { Say(absl::StrCat("note: ", Abs(text))); }

void RunLogObserver::Started() {
  // Without it the run only looks younger than it is.
  if (!std::exchange(started_, true)) folder_.SetStarted().IgnoreError();
}

}  // namespace yardmaster::yardworker
