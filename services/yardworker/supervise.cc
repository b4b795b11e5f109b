#include "services/yardworker/supervise.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/clock.h"
#include "services/core/status_macros.h"
#include "services/worker/results/result_files.h"
#include "services/worker/run/run.h"
#include "services/worker/verdict/verdict.h"
#include "services/yardworker/build_tree.h"
#include "services/yardworker/code_origin.h"
#include "services/yardworker/containment.h"
#include "services/yardworker/device_check.h"
#include "services/yardworker/disk_room.h"
#include "services/yardworker/gpu_probe.h"
#include "services/yardworker/leased_devices.h"
#include "services/yardworker/outcome.h"
#include "services/yardworker/run_budget.h"
#include "services/yardworker/run_cache.h"
#include "services/yardworker/run_folder.h"
#include "services/yardworker/run_log_file.h"
#include "services/yardworker/run_log_observer.h"
#include "services/yardworker/run_order.h"
#include "services/yardworker/source_archive.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDiskFullSignature = "disk-full";
constexpr const char* kGoesOn = "what an earlier run had built is built on";
constexpr int kLockFd = 3;  // see RunFolder::StartSupervisor
constexpr int kOrderUnreadable = 2;
constexpr int kOutcomeNotKept = 4;

// Where an uploaded tree is built; null: where nothing of it is kept.
std::unique_ptr<BuildTree> TakeBuildTree(const RunCache& cache, const v1::RunOrder& order,
                                         const rules::SuiteModel& suite, const std::string& toolchain) {
  if (!cache.enabled() || suite.build.empty() || order.spec().source_digest().empty()) return nullptr;
  // The build counts as the run's files, which are limited.
  const uint64_t most = LimitsOf(order).disk_mb() * kBytesOfMib / 2;
  return BuildTree::Take(cache.trees(), BuildTreeKey(order, suite, toolchain), most);
}

// `tree`: the folder of the run's source and build.
void UseCache(const RunCache& cache, const fs::path& tree, const rules::SuiteModel& suite,
              worker::RunOptions& options) {
  if (!cache.enabled()) return;
  cache.Prepare();
  options.objects = cache.objects();
  const auto& given = suite.environment.variables;
  for (const auto& [name, value] : cache.VariablesFor(tree)) {
    const bool by_suite = absl::c_any_of(given, [&name = name](const auto& one) { return one.first == name; });
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
  const rules::SuiteModel& suite = *ordered.suite;
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

  LeasedDevices leased({order.devices().begin(), order.devices().end()}, command.kernel_log_since, cancel);
  const DeviceCheck before = leased.Check({});
  if (!before.faults.empty()) return RefuseDevices(folder, before.faults);
  std::vector<fs::path> readable = command.readable;
  if (!options.own_suites.empty()) readable.push_back(options.own_suites);
  readable.push_back(executable);
  ASSIGN_OR_RETURN(Containment containment, Contain(folder, order,
                                                    {.network = suite.network,
                                                     .readable = std::move(readable),
                                                     .devices = before.devices,
                                                     .cache = cache,
                                                     .tree = tree},
                                                    *processes));
  const SystemClock clock;
  worker::RunDependencies dependencies;
  dependencies.probes = leased.probes();
  dependencies.clock = &clock;
  dependencies.processes = containment.starter != nullptr ? containment.starter.get() : processes.get();
  // What looks at a hang must see the processes from outside.
  if (containment.starter != nullptr) dependencies.tools = processes.get();
  dependencies.debuggers = !IsUntrusted(order);
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
  RunLogObserver observer(folder, log, tree);
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
  const absl::StatusOr<OrderedSuite> ordered = SuiteOf(*order);
  const bool untrusted = IsUntrusted(*order);
  const RunCache cache(folder.cache(untrusted ? "untrusted" : "trusted"),
                       untrusted ? 0 : command.cache_mb * kBytesOfMib,
                       ordered.ok() ? CodeOrigin(order->spec(), *ordered->suite) : std::string());
  std::unique_ptr<BuildTree> tree =
      ordered.ok() ? TakeBuildTree(cache, *order, *ordered->suite, command.toolchain) : nullptr;
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
