// Hands on what happens one call at a time.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SERIAL_OBSERVER_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SERIAL_OBSERVER_H_

#include <mutex>
#include <string_view>

#include "services/worker/run/run.h"

namespace yardmaster::worker {

class SerialObserver final : public RunObserver {
 public:
  explicit SerialObserver(RunObserver& observer) : observer_(observer) {}

  void LayerBegins(std::string_view layer, size_t number, size_t layers) override {
    const std::lock_guard lock(mutex_);
    observer_.LayerBegins(layer, number, layers);
  }
  void StepBegins(std::string_view layer, std::string_view step) override {
    const std::lock_guard lock(mutex_);
    observer_.StepBegins(layer, step);
  }
  void Progress(std::string_view step, size_t done, size_t failed, size_t expected) override {
    const std::lock_guard lock(mutex_);
    observer_.Progress(step, done, failed, expected);
  }
  void Output(std::string_view step, const LogLine& line) override {
    const std::lock_guard lock(mutex_);
    observer_.Output(step, line);
  }
  void StepEnds(const StepResult& step) override {
    const std::lock_guard lock(mutex_);
    observer_.StepEnds(step);
  }
  void LayerEnds(const LayerResult& layer) override {
    const std::lock_guard lock(mutex_);
    observer_.LayerEnds(layer);
  }
  void Note(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    observer_.Note(text);
  }

 private:
  std::mutex mutex_;
  RunObserver& observer_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SERIAL_OBSERVER_H_
