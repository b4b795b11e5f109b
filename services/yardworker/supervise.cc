#include "services/yardworker/supervise.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rules/engine/suites/load_suites.h"
#include "services/core/absl_view.h"
#include "services/core/clock.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/packs_dir.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/gpu_faults.h"
#include "services/worker/process/process_limit.h"
#include "services/worker/results/result_files.h"
#include "services/worker/results/run_log.h"
#include "services/worker/results/text.h"
#include "services/worker/run/run.h"
#include "services/worker/verdict/verdict.h"
#include "services/yardworker/build_tree.h"
#include "services/yardworker/contained_starter.h"
#include "services/yardworker/device_check.h"
#include "services/yardworker/device_groups.h"
#include "services/yardworker/disk_room.h"
#include "services/yardworker/gpu_probe.h"
#include "services/yardworker/means.h"
#include "services/yardworker/outcome.h"
#include "services/yardworker/run_budget.h"
#include "services/yardworker/run_cache.h"
#include "services/yardworker/run_folder.h"
#include "services/yardworker/run_log_file.h"
#include "services/yardworker/run_progress.h"
#include "services/yardworker/source_archive.h"
#include "services/yardworker/syscall_filter.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBytesOfMib = 1024 * 1024;
constexpr const char* kDiskFullSignature = "disk-full";
constexpr const char* kGoesOn = "what an earlier run had built is built on";
constexpr int kLockFd = 3;  // see RunFolder::StartSupervisor
constexpr int kOrderUnreadable = 2;
constexpr int kOutcomeNotKept = 4;

// The log of a run: what happens and what the tests print, as people read it.
class LogObserver final : public worker::RunObserver {
 public:
  LogObserver(const RunFolder& folder, RunLogFile& log, BuildTree* tree)
      : folder_(folder), progress_(folder.progress()), log_(log), tree_(tree) {}

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
  void TestsEnd(const std::vector<worker::TestResult>& tests) override { progress_.TestsEnd(tests); }
  void StepEnds(const worker::StepResult& step) override {
    progress_.StepEnds(step);
    Say(worker::StepEndsLine(step));
  }
  void LayerEnds(const worker::LayerResult& layer) override {
    const bool built = layer.id == worker::kBuildLayer && layer.verdict == worker::Verdict::kPassed;
    if (built && tree_ != nullptr) tree_->BuildHasPassed();
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
  void Say(std::string_view text) { log_.AddLine(text); }

  const RunFolder& folder_;
  RunProgressFile progress_;
  RunLogFile& log_;
  BuildTree* const tree_;  // null: nothing of the build is kept
  bool started_ = false;
  std::chrono::steady_clock::time_point progress_said_{};
};

// Only the devices of the lease.
class LeasedProbe final : public worker::DeviceProbe {
 public:
  LeasedProbe(std::unique_ptr<worker::DeviceProbe> all, std::set<std::string> ids)
      : all_(std::move(all)), ids_(std::move(ids)) {}
  // From now on these have to be there: one that goes away is a fault of the machine, not a device that it never had.
  void Expect(const std::vector<worker::Device>& devices) {
    expected_.clear();
    for (const worker::Device& device : devices) {
      if (device.kind == kind()) expected_.insert(device.id);
    }
  }

  rules::DeviceKind kind() const override { return all_->kind(); }
  absl::StatusOr<worker::Discovery> Discover() override {
    ASSIGN_OR_RETURN(worker::Discovery found, all_->Discover());
    std::erase_if(found.devices, [this](const worker::Device& device) { return !ids_.contains(device.id); });
    for (const std::string& id : expected_) {
      const bool there = std::any_of(found.devices.begin(), found.devices.end(),
                                     [&](const worker::Device& device) { return device.id == id; });
      if (!there) return absl::UnavailableError(absl::StrCat("the device ", id, " of this run is gone"));
    }
    return found;
  }

 private:
  const std::unique_ptr<worker::DeviceProbe> all_;
  const std::set<std::string> ids_;
  std::set<std::string> expected_;
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
  options.memory_mb = order.limits().memory_mb();
  return options;
}

// What the order leaves open is as runner.proto says.
v1::RunLimits LimitsOf(const v1::RunOrder& order) {
  constexpr uint32_t kProcesses = 4'096;
  constexpr uint32_t kDiskMb = 15 * 1024;
  constexpr uint32_t kLogMb = 1'024;
  constexpr uint32_t kCoreMb = 64;
  constexpr uint32_t kFiles = 1'048'576;
  v1::RunLimits limits = order.limits();
  if (limits.processes() == 0) limits.set_processes(kProcesses);
  if (limits.disk_mb() == 0) limits.set_disk_mb(kDiskMb);
  if (limits.log_mb() == 0) limits.set_log_mb(kLogMb);
  if (limits.core_mb() == 0) limits.set_core_mb(kCoreMb);
  if (limits.files() == 0) limits.set_files(kFiles);
  return limits;
}

// What keeps a run within itself, while it runs.
struct Containment {
  std::unique_ptr<worker::ProcessLimit> processes;  // null: not limited, or by the sandbox
  std::unique_ptr<ContainedStarter> starter;        // null: not contained
  std::vector<std::string> notes;
};

// UNAVAILABLE: the pool asks for more than there is.
absl::StatusOr<Containment> Contain(const RunFolder& folder, const v1::RunOrder& order, bool network,
                                    std::vector<fs::path> readable, const std::vector<worker::Device>& devices,
                                    const RunCache& cache, const BuildTree* tree, worker::ProcessStarter& starter) {
  const std::vector<Mean> means = FindMeans();
  const bool untrusted = order.spec().pool() == "untrusted";
  Containment containment;
  for (const Mean& mean : means) {
    if (mean.missing.empty()) continue;
    const std::string what = absl::StrCat("not contained by ", mean.name, ": ", mean.missing);
    if (untrusted) return absl::UnavailableError(what);
    containment.notes.push_back(what);
  }
  const v1::RunLimits limits = LimitsOf(order);
  std::string reason;
  if (worker::ProcessLimit::Possible(reason)) {
    containment.processes = worker::ProcessLimit::Enter(folder.Mark(), limits.processes(), reason);
    if (containment.processes == nullptr) {
      if (untrusted && ::geteuid() == 0) return absl::UnavailableError(reason);
      containment.notes.push_back(reason);
    }
  }
  std::unique_ptr<worker::MemoryGroup> memory;
  if (limits.memory_mb() > 0) {
    memory = starter.MakeMemoryGroup(folder.Mark(), limits.memory_mb() * kBytesOfMib, reason);
    if (memory == nullptr && untrusted) {
      return absl::UnavailableError(absl::StrCat("its memory can't be limited: ", reason));
    }
  }
  if (!IsThere(means, "namespaces")) return containment;
  SandboxPolicy policy;
  policy.readable = std::move(readable);
  policy.readable.push_back(folder.temp());
  policy.readable.push_back(folder.result());
  policy.writable = {folder.source(), folder.result() / "build", folder.result() / "sources"};
  if (tree != nullptr) policy.writable.insert(policy.writable.end(), {tree->source(), tree->build()});
  if (cache.enabled()) {
    policy.writable.push_back(cache.ccache());
    policy.fetched_into.push_back(cache.objects());
  }
  policy.temp = folder.temp() / "tmp";
  if (IsThere(means, "seccomp")) {
    policy.filter = folder.path() / "syscalls";
    RETURN_IF_ERROR(WriteFileAtomically(policy.filter, SyscallFilter()));
  }
  policy.device_nodes = DeviceNodesOf(devices, NvidiaMinorOf);
  JoinGroupsOf(policy.device_nodes);
  policy.network = network && order.network();
  policy.processes = containment.processes == nullptr && ::geteuid() != 0 ? limits.processes() : 0;
  policy.file_bytes = limits.disk_mb() * kBytesOfMib;
  policy.core_bytes = limits.core_mb() * kBytesOfMib;
  containment.starter = std::make_unique<ContainedStarter>(starter, std::move(policy), std::move(memory));
  return containment;
}

// What an order is about.
struct OrderedSuite {
  std::shared_ptr<const rules::SuiteSet> set;
  rules::SuiteModel suite;
};
absl::StatusOr<OrderedSuite> SuiteOf(const v1::RunOrder& order) {
  rules::PackFiles files;
  for (const v1::SuiteFile& file : order.files()) files[file.path()] = file.content();
  const std::pair<std::string, std::string> name = absl::StrSplit(order.spec().suite(), absl::MaxSplits('/', 1));
  Problems problems;
  OrderedSuite ordered;
  ordered.set = rules::LoadSuites(files, name.first, problems);
  if (ordered.set == nullptr) {
    return errors::FieldInvalid("files", problems.empty() ? "valid suites" : problems.front().ToString());
  }
  const auto suite = std::find_if(ordered.set->suites.begin(), ordered.set->suites.end(),
                                  [&](const rules::SuiteModel& one) { return one.id == name.second; });
  if (suite == ordered.set->suites.end()) return errors::FieldInvalid("suite", "a suite of the pack");
  ordered.suite = *suite;
  return ordered;
}

// Where an uploaded tree is built; null: where nothing of it is kept.
std::unique_ptr<BuildTree> TakeBuildTree(const RunCache& cache, const v1::RunOrder& order,
                                         const rules::SuiteModel& suite, const std::string& toolchain) {
  if (!cache.enabled() || suite.build.empty() || order.spec().source_digest().empty()) return nullptr;
  // The build counts as the run's files, which are limited.
  const uint64_t most = LimitsOf(order).disk_mb() * kBytesOfMib / 2;
  return BuildTree::Take(cache.trees(), BuildTreeKey(order, suite, toolchain), most);
}

// The devices of one lease, as this machine has them.
class LeasedDevices {
 public:
  LeasedDevices(const v1::RunOrder& order, uint64_t kernel_log_since, const std::atomic<bool>& cancel)
      : ids_(order.devices().begin(), order.devices().end()),
        processors_(std::count_if(ids_.begin(), ids_.end(),
                                  [](const std::string& id) { return absl::StartsWith(id, "cpu:"); })),
        cancel_(cancel),
        tools_(worker::MakeToolRunner()),
        faults_(worker::MakeKernelLog(tools_), kernel_log_since),
        cpu_(worker::MakeCpuProbe(std::max<size_t>(processors_, 1))),
        nvidia_(worker::WithFaults(worker::MakeNvidiaProbe(tools_), faults_), ids_),
        ascend_(worker::MakeAscendProbe(tools_), ids_) {}

  std::vector<worker::DeviceProbe*> probes() { return {cpu_.get(), &nvidia_, &ascend_}; }
  void Expect(const std::vector<worker::Device>& devices) {
    nvidia_.Expect(devices);
    ascend_.Expect(devices);
  }
  // Without a device of a kind its probe need not answer.
  DeviceCheck Check(const DevicePatience& patience) {
    if (processors_ == ids_.size()) return {};
    return CheckDevices({&nvidia_, &ascend_}, ids_, patience, [this](std::chrono::milliseconds pause) {
      std::this_thread::sleep_for(pause);
      return !cancel_.load();
    });
  }

 private:
  const std::set<std::string> ids_;
  const size_t processors_;
  const std::atomic<bool>& cancel_;
  const std::shared_ptr<worker::ToolRunner> tools_;
  worker::GpuFaults faults_;
  const std::unique_ptr<worker::DeviceProbe> cpu_;
  LeasedProbe nvidia_;
  LeasedProbe ascend_;
};

// `tree`: the folder of the run's source and build.
void UseCache(const RunCache& cache, const fs::path& tree, const rules::SuiteModel& suite,
              worker::RunOptions& options) {
  if (!cache.enabled()) return;
  cache.Prepare();
  options.objects = cache.objects();
  const auto& given = suite.environment.variables;
  for (const auto& [name, value] : cache.VariablesFor(tree)) {
    const bool by_suite =
        std::any_of(given.begin(), given.end(), [&name = name](const auto& one) { return one.first == name; });
    if (!by_suite) options.variables.emplace(name, value);
  }
}

// Whether a run is to end now, and why: told by one thread, read by others.
struct RunEnd {
  std::atomic<bool> now{false};
  // What of its budget it passed, in a text that stays; null: nothing, its people end it.
  std::atomic<const std::string*> passed{nullptr};

  void Pass(const std::string& what) {
    passed = &what;
    now = true;
  }
};

std::string TextOfPassed(const std::string& what) { return absl::StrCat("the run was ended: ", what); }

// It was ended by us, not by its people: it used up what it may.
void EndByBudget(const std::string& what, worker::RunResult& run) {
  run.verdict = worker::Verdict::kFailed;
  run.reason = TextOfPassed(what);
  run.cause = worker::CauseOf(rules::FailureClass::kCode, "budget", run.reason,
                              "Raise the suite's limits if it needs that much.");
}

// UNAVAILABLE, and the faults are in the folder: it is not to begin on these devices.
absl::Status RefuseDevices(const RunFolder& folder, const DeviceFaults& faults) {
  RETURN_IF_ERROR(folder.SetFaults(faults));
  return absl::UnavailableError(absl::StrCat("its devices can't be used now: ", TextOf(faults)));
}

// UNAVAILABLE, RESOURCE_EXHAUSTED: it can't begin here and now.
absl::StatusOr<v1::FinishRunRequest> RunOrderOf(const RunFolder& folder, const v1::RunOrder& order,
                                                const OrderedSuite& ordered, const RunCache& cache, BuildTree* tree,
                                                const SupervisorCommand& command, RunLogFile& log, const RunEnd& end) {
  const std::atomic<bool>& cancel = end.now;
  const fs::path& executable = command.program;
  const rules::SuiteModel& suite = ordered.suite;
  const std::unique_ptr<worker::ProcessStarter> processes = worker::MakeProcessStarter();
  const bool uploaded = !order.spec().source_digest().empty();
  const fs::path source = tree != nullptr ? tree->source() : folder.source();
  if (uploaded) RETURN_IF_ERROR(UnpackSource(*processes, folder.archive(), source, cancel));
  cache.MakeRoom(suite.limits.disk_mb * kBytesOfMib);
  if (tree != nullptr && !CheckRoom(folder.path(), suite.limits.disk_mb * kBytesOfMib, "the suite").ok()) {
    tree->EmptyBuild();
  }
  RETURN_IF_ERROR(CheckRoom(folder.path(), suite.limits.disk_mb * kBytesOfMib, "the suite"));
  ASSIGN_OR_RETURN(worker::RunOptions options, OptionsOf(folder, order, executable));
  if (tree != nullptr) {
    options.source = source;
    options.build = tree->build();
  }
  UseCache(cache, tree != nullptr ? tree->root() : folder.path(), suite, options);

  LeasedDevices leased(order, command.kernel_log_since, cancel);
  const DeviceCheck before = leased.Check({});
  if (!before.faults.empty()) return RefuseDevices(folder, before.faults);
  std::vector<fs::path> readable = command.readable;
  if (!options.own_suites.empty()) readable.push_back(options.own_suites);
  readable.push_back(executable);
  ASSIGN_OR_RETURN(Containment containment,
                   Contain(folder, order, suite.network, std::move(readable), before.devices, cache, tree, *processes));
  const SystemClock clock;
  worker::RunDependencies dependencies;
  dependencies.probes = leased.probes();
  dependencies.clock = &clock;
  dependencies.processes = containment.starter != nullptr ? containment.starter.get() : processes.get();
  // What looks at a hang must see the processes from outside.
  if (containment.starter != nullptr) dependencies.tools = processes.get();
  dependencies.debuggers = order.spec().pool() != "untrusted";
  if (const absl::Status tried = TryGpus(*dependencies.processes, executable, before.devices); !tried.ok()) {
    DeviceFaults faults;
    for (const worker::Device& device : before.devices) {
      if (device.kind == rules::DeviceKind::kGpu) faults[device.id] = std::string(tried.message());
    }
    return RefuseDevices(folder, faults);
  }
  leased.Expect(before.devices);
  bool goes_on = false;
  if (tree != nullptr) {
    ASSIGN_OR_RETURN(goes_on, tree->Settle());
  }
  LogObserver observer(folder, log, tree);
  for (const std::string& note : containment.notes) observer.Note(note);
  if (goes_on) observer.Note(kGoesOn);
  ASSIGN_OR_RETURN(worker::RunResult run,
                   worker::RunSuite(*ordered.set, suite, options, dependencies, observer, cancel));
  if (const std::string* passed = end.passed; passed != nullptr) EndByBudget(*passed, run);
  // What a tree says of itself is its author's word. The daemon's is that it fetched this commit.
  if (uploaded) run.commit = order.spec().ref();
  v1::FinishRunRequest outcome = OutcomeOfResult(run);
  if (run.cause.has_value() && run.cause->signature == kDiskFullSignature) folder.SetDiskWasFull().IgnoreError();
  for (const std::string& note : containment.notes) AddNote(note, outcome);
  if (goes_on) AddNote(kGoesOn, outcome);
  if (containment.processes != nullptr && containment.processes->refusals() > 0) {
    AddNote(absl::StrCat("the limit of ", LimitsOf(order).processes(), " processes was met ",
                         containment.processes->refusals(), " times"),
            outcome);
    if (outcome.verdict() == "error") outcome.mutable_cause()->set_class_name("code");
  }
  if (const absl::Status written = worker::WriteResultFiles(folder.result(), run); !written.ok()) {
    AddNote(absl::StrCat("the result directory is not complete: ", written.message()), outcome);
  }
  // All that it started has ended.
  containment = {};
  if (tree != nullptr && end.passed.load() == nullptr) tree->Keep();
  leased.Expect({});
  if (const DeviceFaults after = leased.Check({}).faults; !after.empty()) {
    AddNote(absl::StrCat("after the run: ", TextOf(after)), outcome);
    folder.SetFaults(after).IgnoreError();
    // It had them when it began.
    if (outcome.verdict() == "not_run") {
      outcome.set_verdict("error");
      outcome.mutable_cause()->set_class_name("infrastructure");
    }
  }
  return outcome;
}

// How the run is told to have ended; nullopt: it is declined.
std::optional<v1::FinishRunRequest> EndOf(const RunFolder& folder, absl::StatusOr<v1::FinishRunRequest> outcome,
                                          const RunEnd& end) {
  if (outcome.ok()) return *std::move(outcome);
  if (const std::string* passed = end.passed; passed != nullptr) {
    return OutcomeOfFailure("failed", "code", TextOfPassed(*passed));
  }
  const absl::Status& status = outcome.status();
  if (end.now || absl::IsCancelled(status)) return OutcomeOfFailure("cancelled", "", "");
  const bool elsewhere = absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
  if (elsewhere && folder.SetDeclined(std::string(status.message())).ok()) return std::nullopt;
  return OutcomeOfFailure("error", elsewhere ? "infrastructure" : "environment", std::string(status.message()));
}

}  // namespace

int Supervise(const fs::path& path, const SupervisorCommand& command) {
  // What the run starts must not keep the lock.
  ::fcntl(kLockFd, F_SETFD, FD_CLOEXEC);
  const RunFolder folder(path);
  folder.SetSupervisor().IgnoreError();  // without it the run can't be told to end: it is killed then
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  RunEnd run_end;
  std::atomic<bool> over{false};
  const absl::StatusOr<v1::RunOrder> order = folder.Order();
  if (!order.ok()) return kOrderUnreadable;
  const v1::RunLimits limits = LimitsOf(*order);
  // The run's temporary files are in a folder of its own, which goes with the run.
  std::error_code error;
  fs::create_directories(folder.temp() / "tmp", error);
  fs::permissions(folder.temp(), fs::perms::owner_all, error);
  ::setenv("TMPDIR", folder.temp().c_str(), 1);
  RunLogFile log(folder.log(), limits.log_mb() * kBytesOfMib);
  const std::string pool = order->spec().pool() == "untrusted" ? "untrusted" : "trusted";
  const RunCache cache(folder.cache(pool), pool == "trusted" ? command.cache_mb * kBytesOfMib : 0);
  const absl::StatusOr<OrderedSuite> ordered = SuiteOf(*order);
  std::unique_ptr<BuildTree> tree =
      ordered.ok() ? TakeBuildTree(cache, *order, ordered->suite, command.toolchain) : nullptr;
  std::vector<fs::path> folders = {folder.path(), folder.temp()};
  if (tree != nullptr) folders.push_back(tree->root());
  RunBudget budget(std::move(folders), folder.log(),
                   {limits.disk_mb() * kBytesOfMib, limits.files(), limits.log_mb() * kBytesOfMib});
  std::thread waits([&] {
    while (!over) {
      constexpr timespec kTick{0, 50'000'000};
      if (::sigtimedwait(&signals, nullptr, &kTick) > 0) run_end.now = true;
      log.Flush();
      const std::string& passed = budget.Look(std::chrono::steady_clock::now());
      if (!passed.empty()) run_end.Pass(passed);
    }
  });
  absl::StatusOr<v1::FinishRunRequest> outcome =
      ordered.ok() ? RunOrderOf(folder, *order, *ordered, cache, tree.get(), command, log, run_end)
                   : absl::StatusOr<v1::FinishRunRequest>(ordered.status());
  tree.reset();
  if (cache.enabled()) cache.Trim();
  over = true;
  waits.join();
  log.Flush();
  std::optional<v1::FinishRunRequest> end = EndOf(folder, std::move(outcome), run_end);
  if (!end.has_value()) return 0;
  if (log.lost_lines()) AddNote("the log is not complete: the disk was full", *end);
  end->set_job(order->job());
  end->set_fence(order->fence());
  // Without it the worker takes the run for one whose supervisor died.
  return folder.SetOutcome(*end).ok() ? 0 : kOutcomeNotKept;
}

}  // namespace yardmaster::yardworker
