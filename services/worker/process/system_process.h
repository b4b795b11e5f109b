// A process of this system, watched by a thread of its own.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_SYSTEM_PROCESS_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_SYSTEM_PROCESS_H_

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "services/worker/process/process.h"
#include "services/worker/process/process_tree.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// How long others of the tree, and its output, may go on after the first process has ended: helpers that end when
// they notice it, and last output.
inline constexpr std::chrono::milliseconds kStrayGrace{1'000};
// How long output that a process outside of the tree holds open is waited for after that.
inline constexpr std::chrono::milliseconds kHeldOutputGrace{200};
// How long killed processes are waited for: one that hangs inside the kernel (a driver, a dead NFS server) may never
// go.
inline constexpr std::chrono::milliseconds kKillPatience{30'000};

// The pieces of a process that was just started.
struct StartedProcess {
  TreeLeader leader;
  UniqueFd out;  // reading ends, not blocking
  UniqueFd err;
  UniqueFd wake;    // an eventfd
  UniqueFd handle;  // a pidfd; may be missing on kernels before 5.3
};

class SystemProcess : public Process {
 public:
  // Null if the system has no thread left to watch it; then it is already killed.
  static std::unique_ptr<SystemProcess> Watched(StartedProcess started,
                                                std::function<void(Stream, std::string_view)> output);
  ~SystemProcess() override;
  SystemProcess(const SystemProcess&) = delete;
  SystemProcess& operator=(const SystemProcess&) = delete;

  int pid() const override { return leader_pid_; }
  std::optional<ProcessExit> WaitUntil(std::chrono::steady_clock::time_point deadline) override;
  void Stop(std::chrono::milliseconds grace) override;
  int strays() const override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  SystemProcess(StartedProcess started, std::function<void(Stream, std::string_view)> output);

  // All below runs in the thread.
  void Watch();
  // Waits for output, the end or a request, at most until `until`, and passes output on.
  void Poll(Time until);
  // The bytes that were there.
  size_t ReadFrom(UniqueFd& pipe, Stream stream);
  bool LeaderHasEnded() const;
  // The members that live; zombies that came to us are waited for on the way.
  std::vector<ProcessEntry> LiveProcesses();
  void SignalAll(const std::vector<ProcessEntry>& living, int signal);
  void Account(const rusage& usage);
  void Finish();

  const int leader_pid_ = 0;
  const uint64_t leader_start_ = 0;
  ProcessTree tree_;
  UniqueFd out_;
  UniqueFd err_;
  UniqueFd wake_;
  UniqueFd handle_;
  const std::function<void(Stream, std::string_view)> output_;
  std::vector<char> buffer_;
  Time read_after_;  // output gathers until then
  bool leader_ended_ = false;
  ProcessExit exit_;
  std::set<ProcessKey> killed_;  // got SIGKILL from us
  int stray_count_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;                // guarded by mutex_, as are the next two
  std::optional<Time> stop_before_;  // asked to stop, and killed by then
  int strays_ = 0;

  std::thread thread_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_SYSTEM_PROCESS_H_
