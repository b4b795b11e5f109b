#include "services/worker/process/system_process.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "services/worker/process/children.h"

namespace yardmaster::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kReadBytes = 256 * 1024;
// Pieces that are read from one pipe before the other has its turn.
constexpr int kReadsInARow = 4;
// After a small piece, output may gather for so long: a wake-up of this thread for each line costs the writer more than
// the line does.
constexpr size_t kSmallPiece = 4 * 1024;
constexpr milliseconds kGathering{2};
// Between looks at what is left of a tree: first soon, then less often, since each look reads all of /proc.
constexpr milliseconds kFirstLook{2};
constexpr milliseconds kLongestLook{100};
// Between looks at the process itself on kernels without pidfd.
constexpr milliseconds kLookWithoutHandle{10};
// Somebody else in this program waited for the process: never taken for success.
constexpr int kUnknownExit = 255;

}  // namespace

SystemProcess::SystemProcess(StartedProcess started, std::function<void(Stream, std::string_view)> output)
    : leader_pid_(started.leader.pid),
      leader_start_(started.leader.start),
      tree_(std::move(started.leader),
            [](const ProcessEntry& entry) { return Children::Get().IsOrphanOfTheOnlyJob(entry); }),
      out_(std::move(started.out)),
      err_(std::move(started.err)),
      wake_(std::move(started.wake)),
      handle_(std::move(started.handle)),
      output_(std::move(output)),
      buffer_(kReadBytes) {}

std::unique_ptr<SystemProcess> SystemProcess::Watched(StartedProcess started,
                                                      std::function<void(Stream, std::string_view)> output) {
  std::unique_ptr<SystemProcess> process(new SystemProcess(std::move(started), std::move(output)));
  try {
    process->thread_ = std::thread([watched = process.get()] { watched->Watch(); });
  } catch (const std::system_error&) {
    ::kill(-process->leader_pid_, SIGKILL);
    process->leader_ended_ = true;
    process->Finish();
    return nullptr;
  }
  return process;
}

SystemProcess::~SystemProcess() {
  Stop(milliseconds(0));
  if (thread_.joinable()) thread_.join();
}

std::optional<ProcessExit> SystemProcess::WaitUntil(Time deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!done_changed_.wait_until(lock, deadline, [&] { return done_; })) return std::nullopt;
  return exit_;
}

void SystemProcess::Stop(milliseconds grace) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (done_) return;
  const Time before = steady_clock::now() + grace;
  stop_before_ = stop_before_.has_value() ? std::min(*stop_before_, before) : before;
  ::eventfd_write(wake_.get(), 1);
  // A wish from the middle of the output: the thread can't wait for itself.
  if (std::this_thread::get_id() == thread_.get_id()) return;
  done_changed_.wait(lock, [&] { return done_; });
}

int SystemProcess::strays() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return strays_;
}

void SystemProcess::Watch() {
  Time kill_at = Time::max();  // what lives then is killed
  Time next_look = Time::max();
  Time give_up = Time::max();
  milliseconds pause = kFirstLook;
  bool told_to_stop = false;
  while (true) {
    Poll(std::min(next_look, give_up));

    // Was it asked to stop, has it ended?
    std::optional<Time> stop_before;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_before = stop_before_;
    }
    Time now = steady_clock::now();
    if (!leader_ended_ && LeaderHasEnded()) {
      leader_ended_ = true;
      handle_.Reset();
      exit_.ended = now;
      if (!stop_before.has_value()) kill_at = now + kStrayGrace;
      next_look = now;
    }
    if (stop_before.has_value()) {
      kill_at = std::min(kill_at, *stop_before);
      if (!told_to_stop) {
        told_to_stop = true;
        next_look = now;
        if (now < kill_at) SignalAll(LiveProcesses(), SIGTERM);
      }
      next_look = std::min(next_look, kill_at);
    }
    if (now < next_look) continue;

    // What is left of it?
    const std::vector<ProcessEntry> living = LiveProcesses();
    now = steady_clock::now();
    const bool output_ended = !out_.ok() && !err_.ok();
    if (leader_ended_ && living.empty() && (output_ended || now >= kill_at + kHeldOutputGrace)) break;
    if (now >= kill_at) {
      if (give_up == Time::max()) {
        give_up = now + kKillPatience;
        pause = kFirstLook;
      }
      SignalAll(living, SIGKILL);
    }
    if (now >= give_up) break;
    next_look = now + pause;
    if (now < kill_at) next_look = std::min(next_look, kill_at);
    pause = std::min(pause * 2, kLongestLook);
  }
  Finish();
}

void SystemProcess::Poll(Time until) {
  const Time now = steady_clock::now();
  const bool gathering = now < read_after_;
  if (gathering) until = std::min(until, read_after_);
  pollfd waited[4] = {{gathering ? -1 : out_.get(), POLLIN, 0},
                      {gathering ? -1 : err_.get(), POLLIN, 0},
                      {wake_.get(), POLLIN, 0},
                      {handle_.get(), POLLIN, 0}};
  if (!leader_ended_ && !handle_.ok()) until = std::min(until, now + kLookWithoutHandle);
  int timeout = -1;
  if (until != Time::max()) {
    // Rounded up, so that what is due is due when we return.
    const auto left = std::chrono::ceil<milliseconds>(until - now).count();
    timeout = static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
  }
  if (::poll(waited, 4, timeout) <= 0) return;
  size_t bytes = 0;
  if (waited[0].revents != 0) bytes += ReadFrom(out_, Stream::kStdout);
  if (waited[1].revents != 0) bytes += ReadFrom(err_, Stream::kStderr);
  if (bytes > 0 && bytes < kSmallPiece) read_after_ = steady_clock::now() + kGathering;
  if (waited[2].revents != 0) {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
  }
}

size_t SystemProcess::ReadFrom(UniqueFd& pipe, Stream stream) {
  size_t bytes = 0;
  for (int i = 0; i < kReadsInARow; ++i) {
    const ssize_t count = ::read(pipe.get(), buffer_.data(), buffer_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return bytes;
    if (count <= 0) {
      pipe.Reset();
      return bytes;
    }
    bytes += static_cast<size_t>(count);
    if (output_) output_(stream, std::string_view(buffer_.data(), static_cast<size_t>(count)));
    if (static_cast<size_t>(count) < buffer_.size()) return bytes;
  }
  return bytes;
}

bool SystemProcess::LeaderHasEnded() const {
  // It stays a zombie, so that its number, session and group remain its own until the tree is gone.
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(leader_pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 ? errno == ECHILD : info.si_pid == leader_pid_;
}

std::vector<ProcessEntry> SystemProcess::LiveProcesses() {
  const ProcessTree::Found found = tree_.Find();
  std::vector<ProcessEntry> living;
  for (const ProcessEntry& member : found.members) {
    if (!member.zombie) {
      living.push_back(member);
      continue;
    }
    rusage usage{};
    if (Children::Get().ReapOrphan(member, /*is_member=*/true, usage)) Account(usage);
  }
  for (const ProcessEntry& child : found.ended_children) {
    rusage usage{};
    Children::Get().ReapOrphan(child, /*is_member=*/false, usage);
  }
  return living;
}

void SystemProcess::SignalAll(const std::vector<ProcessEntry>& living, int signal) {
  // The leader first: a launcher that hears of its own end does not take that of its ranks for a failure. Its group
  // in one go, which no fork escapes. The number is surely its own: nobody has waited for it.
  if (!leader_ended_) ::kill(leader_pid_, signal);
  ::kill(-leader_pid_, signal);
  if (signal == SIGKILL && !leader_ended_) killed_.emplace(leader_pid_, leader_start_);
  for (const ProcessEntry& member : living) {
    const bool first = signal != SIGKILL || killed_.emplace(member.pid, member.start).second;
    if (signal == SIGKILL && first && leader_ended_) ++stray_count_;
    if (member.group != leader_pid_) SendSignal(member, signal);
    // A stopped process hears nothing until it goes on.
    if (signal == SIGTERM) SendSignal(member, SIGCONT);
  }
  if (signal == SIGTERM) ::kill(-leader_pid_, SIGCONT);
}

void SystemProcess::Account(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  exit_.cpu_seconds += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  exit_.peak_rss_kb = std::max(exit_.peak_rss_kb, static_cast<uint64_t>(usage.ru_maxrss));
}

void SystemProcess::Finish() {
  out_.Reset();
  err_.Reset();
  if (leader_ended_) {
    rusage usage{};
    const std::optional<int> status = Children::Get().Reap(leader_pid_, usage);
    Account(usage);
    if (!status.has_value()) {
      exit_.code = kUnknownExit;
    } else if (WIFSIGNALED(*status)) {
      exit_.signal = WTERMSIG(*status);
      exit_.code = 128 + exit_.signal;
    } else {
      exit_.code = WEXITSTATUS(*status);
    }
  } else {
    // It hangs inside the kernel and can't be killed; that is as good as killed.
    exit_.ended = steady_clock::now();
    exit_.signal = SIGKILL;
    exit_.code = 128 + SIGKILL;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  strays_ = stray_count_;
  done_ = true;
  done_changed_.notify_all();
}

}  // namespace yardmaster::worker
