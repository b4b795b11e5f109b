#include "services/yardworker/supervise.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
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
#include "services/worker/process/process_limit.h"
#include "services/worker/results/result_files.h"
#include "services/worker/results/run_log.h"
#include "services/worker/results/text.h"
#include "services/worker/run/run.h"
#include "services/yardworker/contained_starter.h"
#include "services/yardworker/means.h"
#include "services/yardworker/run_budget.h"
#include "services/yardworker/run_folder.h"
#include "services/yardworker/run_progress.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBytesOfMib = 1024 * 1024;
constexpr size_t kMaxCauseBytes = 4'000;
constexpr size_t kMaxNotes = 32;
constexpr size_t kMaxNoteBytes = 1'000;
constexpr int kLockFd = 3;  // see RunFolder::StartSupervisor

// The log of a run: what happens and what the tests print, as people read it.
class LogObserver final : public worker::RunObserver {
 public:
  LogObserver(const RunFolder& folder, uint64_t most_bytes)
      : folder_(folder), progress_(folder.progress()), out_(folder.log(), std::ios::app), left_(most_bytes) {}

  void LayerBegins(std::string_view layer, size_t number, size_t layers) override {
    Started();
    progress_.LayerBegins(layer, layers);
    Say(worker::LayerBeginsLine(layer, number, layers));
  }
  void StepBegins(std::string_view, std::string_view step) override {
    Started();
    progress_.StepBegins(step);
    Say(worker::StepBeginsLine(step));
  }
  void Progress(std::string_view, size_t done, size_t failed, size_t expected) override {
    progress_.Progress(done, failed, expected);
    // Once a second is enough for people.
    const auto now = std::chrono::steady_clock::now();
    if (now - progress_said_ < std::chrono::seconds(1)) return;
    progress_said_ = now;
    Say(worker::ProgressLine(done, failed, expected));
  }
  void StepEnds(const worker::StepResult& step) override {
    progress_.StepEnds(step);
    Say(worker::StepEndsLine(step));
  }
  void LayerEnds(const worker::LayerResult& layer) override {
    progress_.LayerEnds(layer);
    Say(worker::LayerEndsLine(layer));
  }
  void Output(std::string_view, const worker::LogLine& line) override { Say(line.text); }
  void Note(std::string_view text) override { Say(absl::StrCat("note: ", Abs(text))); }

 private:
  void Started() {
    // Without it the run only looks younger than it is.
    if (!std::exchange(started_, true)) folder_.SetStarted().IgnoreError();
  }
  void Say(std::string_view text) {
    // The run is ended by its budget, which looks at the file.
    if (left_ == 0) return;
    const size_t bytes = std::min<uint64_t>(left_, text.size() + 1);
    left_ -= bytes;
    out_ << text.substr(0, bytes) << std::endl;
  }

  const RunFolder& folder_;
  RunProgressFile progress_;
  std::ofstream out_;
  uint64_t left_;
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
  for (const v1::StepChoice& choice : order.spec().steps()) {
    options.steps.push_back({choice.step(), {choice.tests().begin(), choice.tests().end()}});
  }
  const v1::DeviceDemand& devices = order.spec().devices();
  if (devices.kind() == "cpu") options.devices.kind = rules::DeviceKind::kCpu;
  if (devices.kind() == "gpu") options.devices.kind = rules::DeviceKind::kGpu;
  if (devices.kind() == "npu") options.devices.kind = rules::DeviceKind::kNpu;
  options.devices.models = {devices.models().begin(), devices.models().end()};
  options.devices.capability = {devices.capability().begin(), devices.capability().end()};
  options.devices.memory_mb = devices.memory_mib();
  options.devices.count = devices.count();
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

// What the order leaves open is as runner.proto says.
v1::RunLimits LimitsOf(const v1::RunOrder& order) {
  constexpr uint32_t kProcesses = 4'096;
  constexpr uint32_t kDiskMb = 15 * 1024;
  constexpr uint32_t kLogMb = 1'024;
  constexpr uint32_t kCoreMb = 64;
  v1::RunLimits limits = order.limits();
  if (limits.processes() == 0) limits.set_processes(kProcesses);
  if (limits.disk_mb() == 0) limits.set_disk_mb(kDiskMb);
  if (limits.log_mb() == 0) limits.set_log_mb(kLogMb);
  if (limits.core_mb() == 0) limits.set_core_mb(kCoreMb);
  return limits;
}

// What keeps a run within itself, while it runs.
struct Containment {
  std::unique_ptr<worker::ProcessLimit> processes;  // null: not limited, or by the sandbox
  std::unique_ptr<ContainedStarter> starter;        // null: not contained
  std::vector<std::string> notes;
};

// FAILED_PRECONDITION: the pool asks for more than there is.
absl::StatusOr<Containment> Contain(const RunFolder& folder, const v1::RunOrder& order, bool network,
                                    std::vector<fs::path> readable, const std::vector<worker::Device>& devices,
                                    worker::ProcessStarter& starter) {
  const std::vector<Mean> means = FindMeans();
  const bool untrusted = order.spec().pool() == "untrusted";
  Containment containment;
  for (const Mean& mean : means) {
    if (mean.missing.empty()) continue;
    const std::string what = absl::StrCat("not contained by ", mean.name, ": ", mean.missing);
    if (untrusted) return absl::FailedPreconditionError(what);
    containment.notes.push_back(what);
  }
  const v1::RunLimits limits = LimitsOf(order);
  const bool root = ::geteuid() == 0;
  if (root && IsThere(means, "processes")) {
    std::string reason;
    containment.processes = worker::ProcessLimit::Enter(folder.Mark(), limits.processes(), reason);
    if (containment.processes == nullptr) {
      if (untrusted) return absl::FailedPreconditionError(reason);
      containment.notes.push_back(reason);
    }
  }
  if (!IsThere(means, "namespaces")) return containment;
  SandboxPolicy policy;
  policy.readable = std::move(readable);
  policy.readable.push_back(folder.temp());
  policy.readable.push_back(folder.result());
  policy.writable = {folder.source(), folder.result() / "build", folder.result() / "sources"};
  policy.temp = folder.temp() / "tmp";
  policy.device_nodes = DeviceNodesOf(devices, NvidiaMinorOf);
  policy.network = network && order.network();
  policy.processes = root ? 0 : limits.processes();
  policy.file_bytes = limits.disk_mb() * kBytesOfMib;
  policy.core_bytes = limits.core_mb() * kBytesOfMib;
  containment.starter = std::make_unique<ContainedStarter>(starter, std::move(policy));
  return containment;
}

// Found anew: an id says neither node nor address.
absl::StatusOr<std::vector<worker::Device>> DevicesOf(const std::vector<worker::DeviceProbe*>& probes) {
  std::vector<worker::Device> devices;
  for (worker::DeviceProbe* probe : probes) {
    ASSIGN_OR_RETURN(const worker::Discovery found, probe->Discover());
    devices.insert(devices.end(), found.devices.begin(), found.devices.end());
  }
  return devices;
}

absl::StatusOr<v1::FinishRunRequest> RunOrderOf(const RunFolder& folder, const v1::RunOrder& order,
                                                std::vector<fs::path> readable, const fs::path& executable,
                                                const std::atomic<bool>& cancel) {
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
  dependencies.probes = {cpu.get(), &nvidia, &ascend};
  dependencies.clock = &clock;
  // Those of the lease only; without one of its kind its probe need not answer.
  std::vector<worker::Device> devices;
  if (processors < ids.size()) {
    ASSIGN_OR_RETURN(devices, DevicesOf({&nvidia, &ascend}));
  }
  if (!options.own_suites.empty()) readable.push_back(options.own_suites);
  ASSIGN_OR_RETURN(Containment containment,
                   Contain(folder, order, suite->network, std::move(readable), devices, *processes));
  dependencies.processes = containment.starter != nullptr ? containment.starter.get() : processes.get();
  LogObserver observer(folder, LimitsOf(order).log_mb() * kBytesOfMib);
  for (const std::string& note : containment.notes) observer.Note(note);
  ASSIGN_OR_RETURN(worker::RunResult run, worker::RunSuite(*set, *suite, options, dependencies, observer, cancel));
  // An uploaded tree has no git that says so.
  if (run.commit.empty() && !order.spec().source_digest().empty()) run.commit = order.spec().ref();
  v1::FinishRunRequest outcome = OutcomeOfResult(run);
  for (const std::string& note : containment.notes) outcome.add_notes(note.substr(0, kMaxNoteBytes));
  if (containment.processes != nullptr && containment.processes->refusals() > 0) {
    outcome.add_notes(absl::StrCat("the limit of ", LimitsOf(order).processes(), " processes was met ",
                                   containment.processes->refusals(), " times"));
    if (outcome.verdict() == "error") outcome.mutable_cause()->set_class_name("code");
  }
  if (const absl::Status written = worker::WriteResultFiles(folder.result(), run); !written.ok()) {
    outcome.add_notes(absl::StrCat("the result directory is not complete: ", std::string(written.message())));
  }
  return outcome;
}

}  // namespace

int Supervise(const fs::path& path, const std::vector<fs::path>& readable, const fs::path& executable) {
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
  const RunFolder folder(path);
  const absl::StatusOr<v1::RunOrder> order = folder.Order();
  const v1::RunLimits limits = order.ok() ? LimitsOf(*order) : v1::RunLimits();
  // The run's temporary files are in its own folder of the system's, which goes with the run.
  std::error_code error;
  fs::create_directories(folder.temp() / "tmp", error);
  fs::permissions(folder.temp(), fs::perms::owner_all, error);
  ::setenv("TMPDIR", folder.temp().c_str(), 1);
  RunBudget budget({folder.path(), folder.temp()}, folder.log(), limits.disk_mb() * kBytesOfMib,
                   limits.log_mb() * kBytesOfMib);
  std::thread waits([&] {
    while (!over) {
      constexpr timespec kTick{0, 100'000'000};
      if (::sigtimedwait(&signals, nullptr, &kTick) > 0) cancel = true;
      if (!budget.Look(std::chrono::steady_clock::now()).empty()) cancel = true;
    }
  });

  int code = 0;
  if (order.ok()) {
    absl::StatusOr<v1::FinishRunRequest> outcome = RunOrderOf(folder, *order, readable, executable, cancel);
    over = true;
    waits.join();
    if (!outcome.ok()) {
      const std::string why(outcome.status().message());
      outcome = v1::FinishRunRequest();
      outcome->set_verdict("error");
      outcome->mutable_cause()->set_class_name("environment");
      outcome->mutable_cause()->set_text(why.substr(0, kMaxCauseBytes));
    }
    if (const std::string& passed = budget.passed(); !passed.empty()) {
      // It was ended by us, not by its people.
      outcome->set_verdict("failed");
      outcome->mutable_cause()->set_class_name("code");
      outcome->mutable_cause()->set_text(absl::StrCat("the run was ended: ", passed));
      outcome->add_notes(absl::StrCat("the run was ended: ", passed));
    }
    outcome->set_job(order->job());
    outcome->set_fence(order->fence());
    // Without it the worker takes the run for one whose supervisor died.
    if (!folder.SetOutcome(*outcome).ok()) code = 4;
  } else {
    code = 2;
    over = true;
    waits.join();
  }
  return code;
}

}  // namespace yardmaster::yardworker
