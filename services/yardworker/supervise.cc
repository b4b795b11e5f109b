#include "services/yardworker/supervise.h"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rules/engine/suites/load_suites.h"
#include "services/core/absl_view.h"
#include "services/core/clock.h"
#include "services/core/errors.h"
#include "services/core/packs_dir.h"
#include "services/core/status_macros.h"
#include "services/worker/results/result_files.h"
#include "services/worker/results/run_log.h"
#include "services/worker/results/text.h"
#include "services/worker/run/run.h"
#include "services/yardworker/run_folder.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxCauseBytes = 4'000;
constexpr size_t kMaxNotes = 32;
constexpr size_t kMaxNoteBytes = 1'000;
constexpr int kLockFd = 3;  // see RunFolder::StartSupervisor

// The log of a run: what happens and what the tests print, as people read it.
class LogObserver final : public worker::RunObserver {
 public:
  explicit LogObserver(const RunFolder& folder) : folder_(folder), out_(folder.log(), std::ios::app) {}

  void LayerBegins(std::string_view layer, size_t number, size_t layers) override {
    Started();
    Say(worker::LayerBeginsLine(layer, number, layers));
  }
  void StepBegins(std::string_view, std::string_view step) override {
    Started();
    Say(worker::StepBeginsLine(step));
  }
  void Progress(std::string_view, size_t done, size_t failed, size_t expected) override {
    // Once a second is enough for people.
    const auto now = std::chrono::steady_clock::now();
    if (now - progress_said_ < std::chrono::seconds(1)) return;
    progress_said_ = now;
    Say(worker::ProgressLine(done, failed, expected));
  }
  void StepEnds(const worker::StepResult& step) override { Say(worker::StepEndsLine(step)); }
  void LayerEnds(const worker::LayerResult& layer) override { Say(worker::LayerEndsLine(layer)); }
  void Output(std::string_view, const worker::LogLine& line) override { Say(line.text); }
  void Note(std::string_view text) override { Say(absl::StrCat("note: ", Abs(text))); }

 private:
  void Started() {
    // Without it the run only looks younger than it is.
    if (!std::exchange(started_, true)) folder_.SetStarted().IgnoreError();
  }
  void Say(std::string_view text) { out_ << text << std::endl; }

  const RunFolder& folder_;
  std::ofstream out_;
  bool started_ = false;
  std::chrono::steady_clock::time_point progress_said_{};
};

// Only the devices of the lease.
class LeasedProbe final : public worker::DeviceProbe {
 public:
  LeasedProbe(std::unique_ptr<worker::DeviceProbe> all, std::set<std::string> ids)
      : all_(std::move(all)), ids_(std::move(ids)) {}
  rules::DeviceKind kind() const override { return all_->kind(); }
  absl::StatusOr<worker::Discovery> Discover() override {
    ASSIGN_OR_RETURN(worker::Discovery found, all_->Discover());
    std::erase_if(found.devices, [this](const worker::Device& device) { return !ids_.contains(device.id); });
    return found;
  }

 private:
  const std::unique_ptr<worker::DeviceProbe> all_;
  const std::set<std::string> ids_;
};

absl::StatusOr<std::map<std::string, std::vector<std::string>>> SelectionOf(const v1::JobSpec& spec) {
  std::map<std::string, std::vector<std::string>> select;
  for (const std::string& text : spec.select()) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.second.empty()) return errors::FieldInvalid("select", "AXIS=VALUE,…");
    for (absl::string_view value : absl::StrSplit(parts.second, ',')) select[parts.first].emplace_back(value);
  }
  return select;
}

absl::StatusOr<worker::RunOptions> OptionsOf(const RunFolder& folder, const v1::RunOrder& order,
                                             const fs::path& executable) {
  worker::RunOptions options;
  options.out = folder.result();
  options.job = order.job();
  std::error_code error;
  if (fs::is_directory(folder.source(), error)) options.source = folder.source();
  if (const absl::StatusOr<fs::path> own = LocateSuitesDir(executable); own.ok()) options.own_suites = *own;
  ASSIGN_OR_RETURN(options.select, SelectionOf(order.spec()));
  for (const std::string& variable : order.spec().variables()) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(variable, absl::MaxSplits('=', 1));
    options.variables[parts.first] = parts.second;
  }
  options.layers = {order.spec().layers().begin(), order.spec().layers().end()};
  options.keep_going = order.spec().keep_going();
  return options;
}

v1::FinishRunRequest OutcomeOfResult(const worker::RunResult& run) {
  v1::FinishRunRequest outcome;
  const nlohmann::ordered_json json = worker::ResultJson(run);
  outcome.set_verdict(json.value("verdict", "error"));
  if (const auto cause = json.find("cause"); cause != json.end() && cause->is_object()) {
    outcome.mutable_cause()->set_class_name(cause->value("class", ""));
  }
  outcome.mutable_cause()->set_text(run.reason.substr(0, kMaxCauseBytes));
  for (const std::string& note : run.notes) {
    if (static_cast<size_t>(outcome.notes_size()) == kMaxNotes) break;
    if (!note.empty()) outcome.add_notes(note.substr(0, kMaxNoteBytes));
  }
  return outcome;
}

absl::StatusOr<v1::FinishRunRequest> RunOrderOf(const RunFolder& folder, const v1::RunOrder& order,
                                                const fs::path& executable, const std::atomic<bool>& cancel) {
  rules::PackFiles files;
  for (const v1::SuiteFile& file : order.files()) files[file.path()] = file.content();
  const std::pair<std::string, std::string> name = absl::StrSplit(order.spec().suite(), absl::MaxSplits('/', 1));
  Problems problems;
  const std::shared_ptr<const rules::SuiteSet> set = rules::LoadSuites(files, name.first, problems);
  if (set == nullptr) {
    return errors::FieldInvalid("files", problems.empty() ? "valid suites" : problems.front().ToString());
  }
  const auto suite = std::find_if(set->suites.begin(), set->suites.end(),
                                  [&](const rules::SuiteModel& one) { return one.id == name.second; });
  if (suite == set->suites.end()) return errors::FieldInvalid("suite", "a suite of the pack");
  ASSIGN_OR_RETURN(const worker::RunOptions options, OptionsOf(folder, order, executable));

  const SystemClock clock;
  const std::unique_ptr<worker::ProcessStarter> processes = worker::MakeProcessStarter();
  const std::shared_ptr<worker::ToolRunner> tools = worker::MakeToolRunner();
  const std::set<std::string> ids(order.devices().begin(), order.devices().end());
  const size_t processors = static_cast<size_t>(
      std::count_if(ids.begin(), ids.end(), [](const std::string& id) { return id.compare(0, 4, "cpu:") == 0; }));
  const std::unique_ptr<worker::DeviceProbe> cpu = worker::MakeCpuProbe(std::max<size_t>(processors, 1));
  LeasedProbe nvidia(worker::MakeNvidiaProbe(tools), ids);
  LeasedProbe ascend(worker::MakeAscendProbe(tools), ids);
  worker::RunDependencies dependencies;
  dependencies.processes = processes.get();
  dependencies.probes = {cpu.get(), &nvidia, &ascend};
  dependencies.clock = &clock;
  LogObserver observer(folder);
  ASSIGN_OR_RETURN(worker::RunResult run, worker::RunSuite(*set, *suite, options, dependencies, observer, cancel));
  // An uploaded tree has no git that says so.
  if (run.commit.empty() && !order.spec().source_digest().empty()) run.commit = order.spec().ref();
  v1::FinishRunRequest outcome = OutcomeOfResult(run);
  if (const absl::Status written = worker::WriteResultFiles(folder.result(), run); !written.ok()) {
    outcome.add_notes(absl::StrCat("the result directory is not complete: ", std::string(written.message())));
  }
  return outcome;
}

}  // namespace

int Supervise(const fs::path& path, const fs::path& executable) {
  // What the run starts must not keep the lock.
  ::fcntl(kLockFd, F_SETFD, FD_CLOEXEC);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::atomic<bool> cancel{false};
  std::atomic<bool> over{false};
  std::thread waits([&] {
    while (!over) {
      constexpr timespec kTick{0, 100'000'000};
      if (::sigtimedwait(&signals, nullptr, &kTick) > 0) cancel = true;
    }
  });

  const RunFolder folder(path);
  int code = 0;
  if (const absl::StatusOr<v1::RunOrder> order = folder.Order(); order.ok()) {
    absl::StatusOr<v1::FinishRunRequest> outcome = RunOrderOf(folder, *order, executable, cancel);
    if (!outcome.ok()) {
      const std::string why(outcome.status().message());
      outcome = v1::FinishRunRequest();
      outcome->set_verdict("error");
      outcome->mutable_cause()->set_class_name("environment");
      outcome->mutable_cause()->set_text(why.substr(0, kMaxCauseBytes));
    }
    outcome->set_job(order->job());
    outcome->set_fence(order->fence());
    // Without it the worker takes the run for one whose supervisor died.
    if (!folder.SetOutcome(*outcome).ok()) code = 4;
  } else {
    code = 2;
  }
  over = true;
  waits.join();
  return code;
}

}  // namespace yardmaster::yardworker
