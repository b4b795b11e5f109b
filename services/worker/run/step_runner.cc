#include "services/worker/run/step_runner.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"
#include "services/worker/launch/environment.h"
#include "services/worker/launch/python_hook.h"
#include "services/worker/launch/rank_script.h"
#include "services/worker/process/memory_group.h"
#include "services/worker/process/program_path.h"
#include "services/worker/process/shared_memory.h"
#include "services/worker/run/hang_stacks.h"
#include "services/worker/run/rank_pipes.h"
#include "services/worker/run/workspace.h"

namespace yardmaster::worker {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// How long a wait for a process lasts before limits are looked at again. The end of a process ends it at once.
constexpr std::chrono::milliseconds kWaitSlice{50};
constexpr std::chrono::milliseconds kDiskInterval{200};
// A log that a launcher writes by itself; what is beyond is left out.
constexpr size_t kMaxLauncherLogBytes = 16 * 1024 * 1024;
constexpr size_t kMaxRankFileBytes = 256;
constexpr size_t kMaxNamesInNote = 5;
constexpr int kSignalExit = 128;
constexpr int kMaxSignal = 64;

int64_t Micros(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

// One process of the step.
struct Running {
  int rank = kNoRank;
  std::unique_ptr<Process> process;
  SteadyTime began;
  std::optional<ProcessExit> exit;
  bool stopped = false;  // by us, before it ended
};

std::string NamesOf(const SharedMemoryLeft& left) {
  std::vector<std::string> names = left.names;
  for (const int id : left.system_v) names.push_back("System V segment " + std::to_string(id));
  const size_t count = names.size();
  if (count > kMaxNamesInNote) names.resize(kMaxNamesInNote);
  return absl::StrJoin(names, ", ") +
         (count > names.size() ? absl::StrCat(" and ", count - names.size(), " more") : "");
}

class StepRun {
 public:
  StepRun(const StepRequest& request, ProcessStarter& processes, RunObserver& observer, const std::atomic<bool>& cancel)
      : request_(request), processes_(processes), observer_(observer), cancel_(cancel) {}

  StepOutcome Run() {
    StepEvidence& evidence = outcome_.evidence;
    evidence.step = request_.step;
    evidence.name = request_.name;
    evidence.layer = request_.layer;
    ranked_ = request_.step->launcher.has_ranks();
    evidence.launched_by = request_.plan.launcher;
    evidence.expected_ranks = ranked_ ? static_cast<int>(request_.plan.places.size()) : 0;
    outcome_.follower =
        std::make_unique<StepFollower>(*request_.step, request_.name, ranked_ ? request_.plan.places.size() : 0,
                                       observer_, request_.device_signatures);
    began_ = std::chrono::steady_clock::now();
    evidence.begin_micros = SinceRun(began_);
    system_began_ = std::chrono::system_clock::now();
    const int64_t oom_before = HostOomKills().value_or(0);

    evidence.start_error = Prepare();
    if (evidence.start_error.ok()) evidence.start_error = Start();
    if (evidence.start_error.ok()) Watch();
    StopAll();
    NoteSharedMemory();

    for (const Running& running : running_) evidence.strays += running.process->strays();
    if (memory_ != nullptr) {
      evidence.oom_kills = memory_->oom_kills();
      outcome_.peak_memory_bytes = memory_->peak_bytes();
    }
    evidence.host_oom_kills = std::max<int64_t>(0, HostOomKills().value_or(0) - oom_before - evidence.oom_kills);
    // A full disk may show only at the end: the program that filled it is often the first to fail.
    const bool well = absl::c_all_of(
        running_, [&](const Running& running) { return running.exit.has_value() && !EndedBadly(*running.exit); });
    const bool log_lost = log_ != nullptr && !log_->healthy();
    if (evidence.stopped == Stopped::kNot && (!well || log_lost) && DiskFull()) Stop(Stopped::kDiskFull);
    CollectRanks();
    CloseLog();
    return std::move(outcome_);
  }

 private:
  int64_t SinceRun(SteadyTime time) const { return Micros(time - request_.run_began); }

  absl::Status Prepare() {
    std::error_code error;
    for (const RankPlace& place : request_.plan.places) {
      if (IsBuild()) break;
      std::filesystem::create_directories(place.tensors, error);
      if (error) return errors::FileNotWritten(place.tensors.native(), error.message());
    }
    for (const std::string_view folder : {kPythonHookFolder, kStacksFolder}) {
      std::filesystem::create_directory(request_.control / folder, error);
    }
    for (const auto& [path, text] : request_.plan.files) {
      RETURN_IF_ERROR(WriteFileAtomically(path, text));
    }
    absl::StatusOr<std::unique_ptr<LogWriter>> log = CreateLog(request_.log, request_.secrets);
    if (!log.ok()) return log.status();
    log_ = *std::move(log);
    log_->Follow([follower = outcome_.follower.get()](const LogLine& line) { follower->Line(line); });
    if (request_.plan.launcher != nullptr) {
      ASSIGN_OR_RETURN(std::unique_ptr<RankPipes> pipes,
                       RankPipes::Open(request_.control, request_.plan.places.size(),
                                       [log = log_.get()](int rank, Stream stream, std::string_view bytes) {
                                         log->Append(rank, stream, bytes);
                                       }));
      pipes_ = std::move(pipes);
    }
    if (request_.memory_bytes > 0) {
      std::string reason;
      memory_ = processes_.MakeMemoryGroup(request_.name, request_.memory_bytes, reason);
      if (memory_ == nullptr) outcome_.notes.push_back("memory is not limited: " + reason);
    }
    // A build may need the machine as it is: users other than ours, for one.
    std::string ignored;
    if (!IsBuild()) shared_memory_ = processes_.MakeSharedMemory(ignored);
    shared_before_ = SharedMemorySnapshot::Take();
    return absl::OkStatus();
  }

  // Building, or fetching the source.
  bool IsBuild() const { return request_.layer == kBuildLayer || request_.layer == kFetchLayer; }

  void NoteSharedMemory() {
    if (!shared_before_.has_value()) return;
    if (shared_memory_ != nullptr) {
      const SharedMemoryLeft left = shared_memory_->Left();
      if (!left.empty())
        outcome_.notes.push_back(request_.name + " left shared memory behind, which was removed: " + NamesOf(left));
      return;
    }
    const SharedMemoryLeft left = shared_before_->New();
    if (!left.empty()) {
      outcome_.notes.push_back(
          "while " + request_.name +
          " ran, shared memory came that is in use no more; it was not removed, since it may be another program's: " +
          NamesOf(left));
    }
  }

  absl::Status Start() {
    for (const PlannedProcess& planned : request_.plan.processes) {
      ProcessSpec spec = planned.spec;
      spec.shared_memory = shared_memory_.get();
      spec.writable = {request_.log.parent_path(), request_.control.parent_path()};
      spec.fetches = request_.layer == kFetchLayer;
      spec.output = [log = log_.get(), rank = planned.rank](Stream stream, std::string_view bytes) {
        log->Append(rank, stream, bytes);
      };
      Running running;
      running.rank = planned.rank;
      running.began = std::chrono::steady_clock::now();
      ASSIGN_OR_RETURN(std::unique_ptr<Process> process, processes_.Start(spec, memory_.get()));
      running.process = std::move(process);
      running_.push_back(std::move(running));
    }
    return absl::OkStatus();
  }

  void Stop(Stopped why) {
    if (outcome_.evidence.stopped != Stopped::kNot) return;
    outcome_.evidence.stopped = why;
    outcome_.follower->StopsNow();
    outcome_.evidence.stopped_micros = SinceRun(std::chrono::steady_clock::now());
  }

  // Before they are ended: afterwards nothing shows which of them held up the others.
  void StopHung(Stopped why) {
    // "tests/a.py::test_b ": a rank's last word may have no end.
    log_->EndLines();
    Stop(why);
    HangRequest look;
    for (const Running& running : running_) {
      if (!running.exit.has_value()) look.leaders.push_back({running.process->pid(), running.rank});
    }
    look.ranked = ranked_;
    if (request_.plan.launcher != nullptr) look.rank_variable = request_.plan.launcher->rank_variable;
    // A path that the step may write to must not name what we start outside of its sandbox.
    look.tools = request_.tools == nullptr ? &processes_ : request_.tools;
    const std::string_view path = EnvironmentValue(request_.plan.processes.front().spec.environment, "PATH");
    look.path = request_.tools == nullptr ? std::string(path) : WorkerEnvironment()["PATH"];
    look.debuggers = request_.debuggers;
    look.stacks = request_.control / kStacksFolder;
    look.source = request_.source;
    hanging_ = LookAtHang(look);
    for (const HangingProcess& one : hanging_) {
      if (!one.process.stack.empty()) log_->Append(one.rank, Stream::kStderr, StackText(one.process));
    }
  }

  // The heading is no line that may be taken for a frame.
  static std::string StackText(const ProcessAtStop& process) {
    std::string text = absl::StrCat("yard: process ", process.pid, " (", process.name, ") stood here:\n");
    for (const std::string& line : process.stack) text += line + "\n";
    return text;
  }

  bool EndedBadly(const ProcessExit& exit) const {
    const std::vector<int>& skips = request_.step->skip_codes;
    return exit.code != 0 && !absl::c_linear_search(skips, exit.code);
  }

  // Until all have ended, or a limit is passed. Where one rank has failed, the others get the grace period to end by
  // themselves, so that they can say what they saw; a collective would keep them for half an hour.
  void Watch() {
    const auto limit = [](SteadyTime from, std::chrono::seconds seconds) {
      return seconds.count() > 0 ? from + seconds : SteadyTime::max();
    };
    const SteadyTime deadline = limit(began_, request_.timeout);
    SteadyTime give_up = SteadyTime::max();
    SteadyTime next_disk = began_ + kDiskInterval;
    while (true) {
      Running* waiting = nullptr;
      for (Running& running : running_) {
        if (!running.exit.has_value()) running.exit = running.process->WaitUntil(SteadyTime());
        if (running.exit.has_value()) {
          if (EndedBadly(*running.exit)) give_up = std::min(give_up, running.exit->ended + request_.grace);
        } else if (waiting == nullptr) {
          waiting = &running;
        }
      }
      if (waiting == nullptr) return;
      const SteadyTime now = std::chrono::steady_clock::now();
      const SteadyTime silent = limit(outcome_.follower->last_line(), request_.silence);
      if (cancel_.load()) return Stop(Stopped::kCancelled);
      if (outcome_.follower->device_lost()) return Stop(Stopped::kDeviceLost);
      if (now >= deadline) return StopHung(Stopped::kTimeout);
      if (now >= silent) return StopHung(Stopped::kSilence);
      if (now >= give_up) return;
      if (now >= next_disk) {
        if (DiskFull()) return Stop(Stopped::kDiskFull);
        next_disk = now + kDiskInterval;
      }
      waiting->exit = waiting->process->WaitUntil(std::min({now + kWaitSlice, deadline, silent, give_up}));
    }
  }

  bool DiskFull() const {
    if (log_ != nullptr && !log_->healthy()) return true;
    return absl::c_any_of(request_.disks,
                          [](const std::filesystem::path& disk) { return FreeBytes(disk) < kDiskFloorBytes; });
  }

  // All at once: each may take the grace period.
  void StopAll() {
    std::vector<std::future<void>> stopping;
    for (Running& running : running_) {
      if (running.exit.has_value()) continue;
      running.stopped = true;
      stopping.push_back(
          std::async(std::launch::async, [&running, grace = request_.grace] { running.process->Stop(grace); }));
    }
    for (std::future<void>& one : stopping) one.get();
    ended_ = std::chrono::steady_clock::now();
    // Nobody writes into the pipes any more: what is in them is the end of the output.
    pipes_.reset();
  }

  void CollectRanks() {
    StepEvidence& evidence = outcome_.evidence;
    for (const RankPlace& place : request_.plan.places) {
      RankEvidence rank;
      rank.rank = place.rank;
      rank.begin_micros = SinceRun(began_);
      rank.end_micros = SinceRun(ended_);
      if (request_.plan.launcher != nullptr) {
        ReadRankFiles(rank);
      } else {
        for (const Running& running : running_) {
          if (running.rank != place.rank) continue;
          rank.started = true;
          rank.begin_micros = SinceRun(running.began);
          if (running.stopped) continue;
          rank.exit = running.exit;
          if (rank.exit.has_value()) rank.end_micros = SinceRun(rank.exit->ended);
        }
      }
      for (const HangingProcess& one : hanging_) {
        if (one.rank == rank.rank) rank.at_stop.push_back(one.process);
      }
      evidence.ranks.push_back(std::move(rank));
    }
    if (request_.plan.launcher == nullptr) return;
    for (const HangingProcess& one : hanging_) {
      if (one.rank == kNoRank) evidence.launcher_at_stop.push_back(one.process);
    }
    if (!running_.empty() && !running_[0].stopped) evidence.launcher = running_[0].exit;
  }

  // "SECONDS.MICROS" by the clock on the wall, as the ranks of a launcher note it.
  SteadyTime TimeOf(const std::string& text) const {
    const double seconds = std::strtod(text.c_str(), nullptr);
    const auto since_1970 = std::chrono::duration<double>(seconds);
    const auto since_step = since_1970 - system_began_.time_since_epoch();
    const SteadyTime time = began_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(since_step);
    return std::clamp(time, began_, ended_);
  }

  void ReadRankFiles(RankEvidence& rank) const {
    const auto begin = ReadSmallFile(request_.control / RankFile(kRankBegin, rank.rank), kMaxRankFileBytes);
    if (!begin.ok()) return;
    rank.started = true;
    rank.begin_micros = SinceRun(TimeOf(*begin));
    const auto end = ReadSmallFile(request_.control / RankFile(kRankEnd, rank.rank), kMaxRankFileBytes);
    const size_t space = end.ok() ? end->find(' ') : std::string::npos;
    if (space == std::string::npos) return;
    ProcessExit exit;
    exit.code = std::atoi(end->c_str() + space);
    // bash says a signal by the code only.
    if (exit.code > kSignalExit && exit.code <= kSignalExit + kMaxSignal) exit.signal = exit.code - kSignalExit;
    exit.ended = TimeOf(*end);
    rank.end_micros = SinceRun(exit.ended);
    // What ended because we stopped the launcher did not end by itself.
    const StepEvidence& evidence = outcome_.evidence;
    if (evidence.stopped != Stopped::kNot && rank.end_micros >= evidence.stopped_micros) return;
    rank.exit = exit;
  }

  void CloseLog() {
    StepEvidence& evidence = outcome_.evidence;
    if (log_ == nullptr) return;
    for (const auto& [path, rank] : request_.plan.logs) {
      if (!IsPlainFile(path)) continue;
      absl::StatusOr<std::string> text = ReadSmallFile(path, kMaxLauncherLogBytes);
      if (text.ok()) {
        log_->Append(rank, Stream::kStdout, *text);
      } else {
        outcome_.notes.push_back("the launcher's log " + path.filename().native() +
                                 " was not read: " + std::string(text.status().message()));
      }
    }
    const absl::Status closed = log_->Close();
    outcome_.follower->Finish();
    evidence.log_lost = !closed.ok();
    log_.reset();
    absl::StatusOr<std::unique_ptr<LogReader>> reader = OpenLog(request_.log);
    if (!reader.ok()) {
      evidence.log_lost = true;
      return;
    }
    outcome_.log = *std::move(reader);
    evidence.log = outcome_.log.get();
  }

  const StepRequest& request_;
  ProcessStarter& processes_;
  RunObserver& observer_;
  const std::atomic<bool>& cancel_;
  bool ranked_ = false;
  SteadyTime began_;
  SteadyTime ended_;
  std::chrono::system_clock::time_point system_began_;
  StepOutcome outcome_;
  // In this order: processes end before the group and the pipes that they use, and all of them before the log.
  std::unique_ptr<LogWriter> log_;
  std::unique_ptr<RankPipes> pipes_;
  std::unique_ptr<MemoryGroup> memory_;
  std::unique_ptr<SharedMemory> shared_memory_;
  std::optional<SharedMemorySnapshot> shared_before_;
  std::vector<Running> running_;
  std::vector<HangingProcess> hanging_;
};

}  // namespace

StepOutcome RunStep(const StepRequest& request, ProcessStarter& processes, RunObserver& observer,
                    const std::atomic<bool>& cancel) {
  return StepRun(request, processes, observer, cancel).Run();
}

}  // namespace yardmaster::worker
