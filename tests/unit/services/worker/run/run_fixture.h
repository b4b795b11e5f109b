// A run of a small suite with real processes, in folders of the test's own.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RUN_RUN_FIXTURE_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RUN_RUN_FIXTURE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/clock.h"
#include "services/worker/run/run.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {

// Notes what happens.
class RecordingObserver : public RunObserver {
 public:
  void LayerBegins(std::string_view layer, size_t number, size_t layers) override {
    events.push_back("layer " + std::string(layer) + " " + std::to_string(number) + "/" + std::to_string(layers));
  }
  void StepBegins(std::string_view layer, std::string_view step) override {
    events.push_back("begin " + std::string(layer) + " " + std::string(step));
  }
  void Progress(std::string_view, size_t done, size_t failed, size_t) override {
    last_done = done;
    last_failed = failed;
  }
  void Output(std::string_view, const LogLine& line) override {
    lines.push_back(std::to_string(line.rank) + ":" + line.text);
    if (on_line) on_line(line);
  }
  void StepEnds(const StepResult& step) override {
    events.push_back("end " + step.name + " " + std::string(VerdictName(step.verdict)));
  }
  void LayerEnds(const LayerResult& layer) override {
    events.push_back("layer " + layer.id + " " + std::string(VerdictName(layer.verdict)));
  }
  void Note(std::string_view text) override { notes.emplace_back(text); }

  std::vector<std::string> events;
  std::vector<std::string> lines;
  std::vector<std::string> notes;
  size_t last_done = 0;
  size_t last_failed = 0;
  std::function<void(const LogLine&)> on_line;
};

class RunFixture : public ::testing::Test {
 protected:
  RunFixture() : processes_(MakeProcessStarter()), cpu_(MakeCpuProbe(8)) {
    suite_.pack = "test";
    suite_.id = "small";
    suite_.title = "Small";
    suite_.limits.disk_mb = 1;
    suite_.limits.grace = std::chrono::seconds(1);
    suite_.limits.step = std::chrono::seconds(30);
    options_.out = dir_.path() / "out";
    options_.source = dir_.path() / "source";
    std::filesystem::create_directories(options_.source);
    dependencies_.processes = processes_.get();
    dependencies_.probes = {cpu_.get()};
    dependencies_.clock = &clock_;
  }

  static rules::SuiteStep Shell(std::string id, std::string line) {
    rules::SuiteStep step;
    step.id = std::move(id);
    step.command.shell = std::move(line);
    return step;
  }
  static rules::SuiteStep Ranks(std::string id, std::string line, std::string_view kind, int ranks) {
    rules::SuiteStep step = Shell(std::move(id), std::move(line));
    step.launcher.kind = std::string(kind);
    step.launcher.world_size = std::to_string(ranks);
    step.launcher.oversubscribe = true;
    return step;
  }
  rules::SuiteLayer& Layer(std::string id, std::vector<rules::SuiteStep> steps, std::vector<std::string> after = {}) {
    rules::SuiteLayer layer;
    layer.id = std::move(id);
    layer.steps = std::move(steps);
    layer.after = std::move(after);
    suite_.layers.push_back(std::move(layer));
    return suite_.layers.back();
  }
  // A program that the steps find before all others.
  void PutInPath(const std::string& name, std::string_view text) {
    const std::filesystem::path file = dir_.Write("bin/" + name, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    options_.variables["PATH"] = file.parent_path().native() + ":" + std::getenv("PATH");
  }
  RunResult Run() {
    set_.suites = {suite_};
    absl::StatusOr<RunResult> result = RunSuite(set_, suite_, options_, dependencies_, observer_, cancel_);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : RunResult();
  }
  // The one step of this name.
  static const StepResult& StepOf(const RunResult& run, std::string_view name) {
    static const StepResult kNone;
    for (const StepResult& step : run.steps) {
      if (step.name == name) return step;
    }
    ADD_FAILURE() << "no step " << name;
    return kNone;
  }
  static Verdict LayerVerdict(const RunResult& run, std::string_view id) {
    for (const LayerResult& layer : run.layers) {
      if (layer.id == id) return layer.verdict;
    }
    ADD_FAILURE() << "no layer " << id;
    return Verdict::kError;
  }

  ::yardmaster::testing::TempDir dir_;
  std::unique_ptr<ProcessStarter> processes_;
  std::unique_ptr<DeviceProbe> cpu_;
  SystemClock clock_;
  rules::SuiteSet set_;
  rules::SuiteModel suite_;
  RunOptions options_;
  RunDependencies dependencies_;
  RecordingObserver observer_;
  std::atomic<bool> cancel_{false};
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RUN_RUN_FIXTURE_H_
