#include "services/yardworker/work.h"

#include <grpcpp/grpcpp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/data_dir_lock.h"
#include "services/core/files.h"
#include "services/core/ids.h"
#include "services/core/messages/signed_answer.h"
#include "services/core/signing_key.h"
#include "services/core/status_macros.h"
#include "services/worker/errors.h"
#include "services/worker/process/children.h"
#include "services/worker/run/host_info.h"
#include "services/yardworker/control_plane.h"
#include "services/yardworker/device_quarantine.h"
#include "services/yardworker/device_watch.h"
#include "services/yardworker/local_run.h"
#include "services/yardworker/means.h"
#include "services/yardworker/memory_share.h"
#include "services/yardworker/run_thread.h"
#include "services/yardworker/toolchain.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kDone = 0;
constexpr int kUsage = 2;
constexpr int kUnreachable = 3;
constexpr int kSystem = 4;
constexpr size_t kMaxTokenBytes = 4096;
constexpr int kMaxAnswerBytes = 64 * 1024 * 1024;
constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::seconds kReconnectAfter{1};
constexpr std::chrono::seconds kLookAtDevicesEvery{60};
constexpr std::chrono::seconds kReapEvery{1};
// A connection that is dead without a word (behind a NAT, say) is noticed within their sum, well before the lease ends.
constexpr int kKeepaliveMs = 10'000;
constexpr int kKeepalivePatienceMs = 5'000;

// At the start a kind that is named and can't be looked at is an error.
struct DevicesAtStart {
  std::vector<v1::WorkerDevice> devices;
  std::string drivers;
};
absl::StatusOr<DevicesAtStart> FindDevices(const std::string& text) {
  ASSIGN_OR_RETURN(const KindsFound found, LookAtDevices(text, /*groups=*/true, nullptr));
  for (const auto& [kind, devices] : found) RETURN_IF_ERROR(devices.status());
  return DevicesAtStart{Merge({}, found), DriversOf(found)};
}

// The stream, and the newest orders that came by it.
class OrderStream {
 public:
  explicit OrderStream(ControlPlane& control) {
    control.Prepare(context_);
    stream_ = control.stub().Work(&context_);
    reader_ = std::thread([this] {
      v1::WorkResponse orders;
      while (stream_->Read(&orders)) {
        const std::lock_guard<std::mutex> lock(mutex_);
        orders_ = std::move(orders);
        orders.Clear();
        changed_.notify_all();
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      broken_ = true;
      changed_.notify_all();
    });
  }
  ~OrderStream() { Close(); }
  OrderStream(const OrderStream&) = delete;
  OrderStream& operator=(const OrderStream&) = delete;

  bool Report(const v1::WorkRequest& report) { return stream_->Write(report); }
  // What came since the last call; waits a moment for it.
  std::optional<v1::WorkResponse> Take(std::chrono::milliseconds wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return orders_.has_value() || broken_; });
    return std::exchange(orders_, std::nullopt);
  }
  bool broken() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return broken_;
  }
  // How it ended.
  grpc::Status Close() {
    if (closed_) return status_;
    closed_ = true;
    if (!broken()) context_.TryCancel();
    reader_.join();
    status_ = stream_->Finish();
    return status_;
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::WorkRequest, v1::WorkResponse>> stream_;
  std::thread reader_;
  bool closed_ = false;
  grpc::Status status_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<v1::WorkResponse> orders_;
  bool broken_ = false;
};

class Worker {
 public:
  Worker(const WorkOptions& options, SupervisorCommand supervisor, const std::vector<Mean>& means, DevicesAtStart found,
         std::string daemon_key, ControlPlane& control)
      : options_(options), supervisor_(std::move(supervisor)), daemon_key_(std::move(daemon_key)), control_(control) {
    report_.set_name(options.name);
    report_.set_wants_signature(!daemon_key_.empty());
    report_.set_session(NewId("s-"));
    report_.set_pool(options.pool);
    for (const std::string& label : std::vector<std::string>(absl::StrSplit(options.labels, ',', absl::SkipEmpty()))) {
      report_.add_labels(label);
    }
    for (const Mean& mean : means) {
      if (mean.missing.empty()) report_.add_labels(absl::StrCat("contained:", mean.name));
    }
    if (AllThere(means)) report_.add_labels("contained");
    if (const std::string arch = worker::ThisHost().architecture; !arch.empty()) {
      report_.add_labels(absl::StrCat("arch:", arch));
    }
    std::unique_ptr<worker::GpuFaults> faults = WatchGpus(found.devices);
    if (faults != nullptr) supervisor_.kernel_log_since = faults->since();
    watch_ = std::make_unique<DeviceWatch>(options.devices, std::move(found.devices), std::move(found.drivers),
                                           kLookAtDevicesEvery, std::move(faults));
    toolchain_ = ToolchainOfHost();
    supervisor_.toolchain = toolchain_;
    // What an earlier worker left: its supervisors go on, or are found to be dead.
    for (RunFolder& folder : RunFolder::All(RunsDir())) {
      absl::StatusOr<v1::RunOrder> order = folder.Order();
      if (!order.ok()) continue;
      Begin(LocalRun(std::move(folder), *std::move(order)));
    }
  }

  int Run(const sigset_t& signals) {
    bool ready = false;
    while (true) {
      constexpr timespec kNow{0, 0};
      if (::sigtimedwait(&signals, nullptr, &kNow) > 0) Stop();
      ReapNowAndThen();
      if (const int code = KeepStream(); code >= 0) return code;
      std::optional<v1::WorkResponse> orders;
      if (stream_ != nullptr) {
        orders = stream_->Take(kTick);
      } else {
        std::this_thread::sleep_for(kTick);
      }
      if (orders.has_value()) {
        if (!IsOfOurDaemon(*orders)) {
          Say("an answer is not signed with the key of --daemon-key: it is of another daemon, or its key has changed");
          return kUnreachable;
        }
        if (!std::exchange(ready, true)) WriteReady();
        report_after_ = std::chrono::milliseconds(std::max(orders->report_after_ms(), 100U));
        Follow(*orders);
      }
      LookAtRuns();
      if (stops_ > 0 && runs_.empty()) return kDone;
      if (options_.once && ended_ > 0 && runs_.empty()) return kDone;
    }
  }

 private:
  using Key = std::pair<std::string, uint64_t>;

  fs::path RunsDir() const { return options_.work_dir / "runs"; }

  // From now on; null: there are none.
  std::unique_ptr<worker::GpuFaults> WatchGpus(const std::vector<v1::WorkerDevice>& devices) {
    const bool gpus = std::any_of(devices.begin(), devices.end(),
                                  [](const v1::WorkerDevice& device) { return device.kind() == "gpu"; });
    if (!gpus) return nullptr;
    auto faults = std::make_unique<worker::GpuFaults>(worker::MakeKernelLog(worker::MakeToolRunner()), std::nullopt);
    if (faults->since() == worker::GpuFaults::kNever) {
      Say(absl::StrCat("Xid errors of GPUs are not seen: ", worker::worker_errors::KernelLogUnreadable().message()));
    }
    return faults;
  }

  void Begin(LocalRun run) {
    const Key key(run.order().job(), run.order().fence());
    runs_.emplace(key, std::make_unique<RunThread>(std::move(run), control_, supervisor_,
                                                   [this](std::string_view text) { Say(Abs(text)); }));
  }

  // Supervisors that have ended, and what those that were killed left to us.
  void ReapNowAndThen() {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < reap_at_) return;
    reap_at_ = now + kReapEvery;
    worker::Children::Get().ReapOthers();
  }

  // What became of them since the last look.
  void LookAtRuns() {
    const SteadyTime now = std::chrono::steady_clock::now();
    for (auto run = runs_.begin(); run != runs_.end();) {
      const RunView view = run->second->view();
      const v1::RunOrder& order = run->second->order();
      if (!view.faults.empty() && faults_told_.emplace(run->first, 0).second) {
        for (const auto& [device, why] : view.faults) quarantine_.SetFault(device, why, now);
      }
      if (!view.over) {
        ++run;
        continue;
      }
      if (view.failed_by_infrastructure.has_value()) {
        quarantine_.RunEnded({order.devices().begin(), order.devices().end()}, *view.failed_by_infrastructure, now);
      }
      ++ended_;
      faults_told_.erase(run->first);
      run = runs_.erase(run);
    }
  }

  bool IsOfOurDaemon(const v1::WorkResponse& answer) const {
    return daemon_key_.empty() ||
           SignatureHolds(daemon_key_, SignedTextOf(report_.name(), report_.session(), answer), answer.signature())
               .value_or(false);
  }

  // The same complaint once.
  void Say(absl::string_view text) {
    const std::lock_guard<std::mutex> lock(said_mutex_);
    if (text == said_) return;
    said_ = std::string(text);
    std::cerr << "yard-worker: " << said_ << std::endl;
  }

  void WriteReady() {
    if (options_.ready_file.empty()) return;
    const nlohmann::json ready = {{"pid", ::getpid()}, {"name", options_.name}};
    if (const absl::Status written = WriteFileAtomically(options_.ready_file, ready.dump() + "\n"); !written.ok()) {
      Say(written.message());
    }
  }

  void Stop() {
    ++stops_;
    report_.set_draining(true);
    Say(stops_ == 1 ? "draining: the runs in hand end" : "giving the runs back");
    if (stops_ > 1) {
      for (auto& [key, run] : runs_) run->GiveBack("the worker was told to go");
    }
  }

  // Opens the stream if there is none, and reports by it when it is due. -1: go on; else the exit code.
  int KeepStream() {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (stream_ != nullptr && stream_->broken()) {
      const grpc::Status status = stream_->Close();
      stream_.reset();
      connect_at_ = now + kReconnectAfter;
      switch (status.error_code()) {
        case grpc::StatusCode::ABORTED:  // a newer worker has the name
        case grpc::StatusCode::UNAUTHENTICATED:
        case grpc::StatusCode::PERMISSION_DENIED:
        case grpc::StatusCode::INVALID_ARGUMENT:
        case grpc::StatusCode::UNIMPLEMENTED:
          Say(status.error_message());
          return status.error_code() == grpc::StatusCode::INVALID_ARGUMENT ? kUsage : kUnreachable;
        default:
          Say(absl::StrCat("the control plane is away: ", status.error_message()));
      }
    }
    if (stream_ == nullptr && now >= connect_at_) {
      stream_ = std::make_unique<OrderStream>(control_);
      reported_.clear();
      for (auto& [key, told] : faults_told_) told = 0;
    }
    if (stream_ == nullptr) return -1;
    v1::WorkRequest report = report_;
    DeviceView view = watch_->Newest();
    TakeNoteOf(view);
    report.set_environment(view.drivers.empty() ? toolchain_ : absl::StrCat(view.drivers, ", ", toolchain_));
    for (v1::WorkerDevice& device : view.devices) {
      if (device.fault().empty()) device.set_fault(quarantine_.FaultOf(device.id(), now));
      *report.add_devices() = std::move(device);
    }
    for (const auto& [key, run] : runs_) {
      v1::WorkerRun& out = *report.add_runs();
      out.set_job(key.first);
      out.set_fence(key.second);
      const RunView seen = run->view();
      out.set_phase(seen.phase);
      *out.mutable_devices() = run->order().devices();
      if (seen.phase != v1::WorkerRun::PHASE_PREPARING) *out.mutable_progress() = seen.progress;
    }
    std::string text = report.SerializeAsString();
    if (text == reported_ && now < reported_at_ + report_after_) return -1;
    reported_ = std::move(text);
    reported_at_ = now;
    report.set_number(++reports_);
    for (auto& [key, told] : faults_told_) told = told == 0 ? reports_ : told;
    stream_->Report(report);  // if it fails the stream is broken, which is seen next
    return -1;
  }

  // Devices that none of our runs had since before the look should be idle.
  void TakeNoteOf(const DeviceView& view) {
    const SteadyTime now = std::chrono::steady_clock::now();
    for (const auto& [key, run] : runs_) {
      for (const std::string& device : run->order().devices()) in_use_until_[device] = now;
    }
    if (view.began > looked_at_) {
      looked_at_ = view.began;
      for (const auto& [device, why] : view.idle_reasons) {
        const auto used = in_use_until_.find(device);
        if (used == in_use_until_.end() || used->second < view.began) quarantine_.Looked(device, why, view.began);
      }
    }
    watch_->Hurry(quarantine_.SeesFaults());
  }

  void Follow(const v1::WorkResponse& orders) {
    std::set<Key> wanted;
    for (const v1::RunOrder& told : orders.runs()) {
      v1::RunOrder order = told;
      const Key key(order.job(), order.fence());
      wanted.insert(key);
      if (const auto run = runs_.find(key); run != runs_.end()) {
        if (order.cancel()) run->second->Cancel();
        continue;
      }
      if (order.cancel() || order.files_size() == 0 || !DevicesAreFree(order)) continue;  // it is told again
      LimitMemory(static_cast<uint64_t>(std::max<int64_t>(options_.memory_mb, 0)), watch_->Newest().devices, order);
      const absl::StatusOr<RunFolder> folder = RunFolder::Make(RunsDir(), order);
      LocalRun run(folder.ok() ? *folder : RunFolder(RunFolder::PathOf(RunsDir(), order)), order);
      if (!folder.ok()) {
        Say(folder.status().message());
        run.Decline(absl::StrCat("the worker can't keep it: ", folder.status().message()));
      }
      Begin(std::move(run));
    }
    for (auto& [key, run] : runs_) {
      if (!wanted.contains(key)) run->Disown();
      const auto told = faults_told_.find(key);
      if (told != faults_told_.end() && told->second > 0 && told->second <= orders.heard()) run->FaultsAreKnown();
    }
  }

  bool DevicesAreFree(const v1::RunOrder& order) const {
    std::set<std::string_view> used;
    for (const auto& [key, run] : runs_) used.insert(run->order().devices().begin(), run->order().devices().end());
    return std::none_of(order.devices().begin(), order.devices().end(),
                        [&](const std::string& device) { return used.contains(device); });
  }

  const WorkOptions& options_;
  SupervisorCommand supervisor_;
  const std::string daemon_key_;  // empty: answers need no signature
  ControlPlane& control_;
  v1::WorkRequest report_;  // without the runs
  std::string toolchain_;   // of this machine, as it was at the start
  std::unique_ptr<DeviceWatch> watch_;
  DeviceQuarantine quarantine_;
  std::mutex said_mutex_;
  std::string said_;                                // guarded by said_mutex_
  std::map<std::string, SteadyTime> in_use_until_;  // devices that runs of ours had, the last time they were seen so
  uint64_t reports_ = 0;                            // their number so far
  std::map<Key, uint64_t> faults_told_;  // runs with faulty devices, and the first report of a stream that said so
  SteadyTime looked_at_{};               // the look at devices that was taken note of
  std::map<Key, std::unique_ptr<RunThread>> runs_;
  std::unique_ptr<OrderStream> stream_;
  SteadyTime connect_at_{};
  SteadyTime reported_at_{};
  std::string reported_;
  std::chrono::milliseconds report_after_{1'000};
  SteadyTime reap_at_{};
  int stops_ = 0;
  size_t ended_ = 0;
};

int Fail(const absl::Status& status) {
  std::cerr << "yard-worker: " << status.message() << std::endl;
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) || absl::IsNotFound(status) ? kUsage
                                                                                                           : kSystem;
}

// False if the pool must not be served like this.
bool SayWhatIsMissing(const std::vector<Mean>& means, const std::string& pool) {
  for (const Mean& mean : means) {
    if (mean.missing.empty()) continue;
    std::cerr << "yard-worker: runs are not contained by " << mean.name << ", so that a run may be one that "
              << mean.does << ": " << mean.missing << std::endl;
  }
  if (pool != "untrusted" || AllThere(means)) return true;
  std::cerr << "yard-worker: the pool \"untrusted\" needs runs that are contained by all of these means: use the pool "
               "\"trusted\", for code that you would run yourself"
            << std::endl;
  return false;
}

}  // namespace

int Work(const WorkOptions& given, const fs::path& executable) {
  WorkOptions options = given;
  std::error_code error;
  options.work_dir = fs::absolute(given.work_dir, error);
  for (const char* own : {"contained", "arch:"}) {
    if (!absl::StrContains(options.labels, own)) continue;
    return Fail(absl::InvalidArgumentError(absl::StrCat("--labels: \"", own, "\" is said by the worker itself")));
  }
  if (options.pool == "untrusted") {
    if (options.memory_mb == 0) {
      return Fail(
          absl::InvalidArgumentError("--memory-mb: runs of the pool \"untrusted\" need a limit: give the MiB "
                                     "that they may have together, or leave it out for nine tenths of all"));
    }
    if (options.memory_mb < 0) options.memory_mb = static_cast<int64_t>(worker::ThisHost().memory_mb / 10 * 9);
  }
  SupervisorCommand supervisor;
  supervisor.program = executable;
  supervisor.cache_mb = options.cache_mb;
  for (absl::string_view folder : absl::StrSplit(options.readable, ',', absl::SkipEmpty())) {
    supervisor.readable.push_back(fs::absolute(std::string(folder), error));
    if (!fs::is_directory(supervisor.readable.back(), error)) {
      return Fail(absl::InvalidArgumentError(absl::StrCat("--readable: no folder ", folder)));
    }
  }
  // Before any thread is made.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // What a supervisor that was killed leaves behind becomes ours.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);

  const std::vector<Mean> means = FindMeans();
  if (!SayWhatIsMissing(means, options.pool)) return kUsage;

  const absl::StatusOr<std::unique_ptr<DataDirLock>> lock = DataDirLock::Take(options.work_dir);
  if (!lock.ok()) return Fail(lock.status());
  Secret token;
  if (!options.token_file.empty()) {
    absl::StatusOr<std::string> text = ReadSmallFile(options.token_file, kMaxTokenBytes);
    if (!text.ok()) return Fail(text.status());
    text->resize(text->find_last_not_of(" \t\r\n") + 1);
    token = Secret(*std::move(text));
  }
  std::string daemon_key;
  if (!options.daemon_key.empty()) {
    const absl::StatusOr<std::string> pem = ReadSmallFile(options.daemon_key, kMaxKeyFileBytes);
    if (!pem.ok()) return Fail(pem.status());
    if (const absl::StatusOr<bool> tried = SignatureHolds(*pem, "", ""); !tried.ok()) return Fail(tried.status());
    daemon_key = *pem;
  }
  absl::StatusOr<DevicesAtStart> devices = FindDevices(options.devices);
  if (!devices.ok()) return Fail(devices.status());

  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxAnswerBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 500);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepalivePatienceMs);
  const bool loopback = IsLoopbackHost(options.server.host);
  const auto credentials =
      loopback ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(grpc::SslCredentialsOptions());
  ControlPlane control(grpc::CreateCustomChannel(options.server.ToString(), credentials, arguments), token);
  return Worker(options, std::move(supervisor), means, *std::move(devices), std::move(daemon_key), control)
      .Run(signals);
}

}  // namespace yardmaster::yardworker
