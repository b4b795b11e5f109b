#include "services/worker/process/children.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace yardmaster::worker {
namespace {

constexpr int kMaxOomScore = 1000;
constexpr int kOomScoreOfJobs = 500;  // above our own

}  // namespace

Children& Children::Get() {
  // Never destroyed: threads of processes may outlive main().
  static Children& children = *new Children;
  return children;
}

Children::Children() {
  own_oom_score_ = ReadOomScore(::getpid()).value_or(0);
  job_oom_score_ = std::min(own_oom_score_ + kOomScoreOfJobs, kMaxOomScore);
}

SpawnResult Children::Start(const SpawnRequest& request) {
  std::lock_guard<std::mutex> lock(mutex_);
  const SpawnResult result = Spawn(request);
  if (result.pid > 0) leaders_.insert(result.pid);
  return result;
}

std::optional<int> Children::Reap(pid_t pid, rusage& usage) {
  std::lock_guard<std::mutex> lock(mutex_);
  leaders_.erase(pid);
  int status = 0;
  pid_t result = -1;
  do {
    result = ::wait4(pid, &status, 0, &usage);
  } while (result < 0 && errno == EINTR);
  if (result != pid) return std::nullopt;
  return status;
}

bool Children::IsOrphanLocked(const ProcessEntry& process) const {
  // Where all have the same score nothing can be told, and nothing is touched.
  return process.parent == ::getpid() && job_oom_score_ != own_oom_score_ && leaders_.count(process.pid) == 0 &&
         ReadOomScore(process.pid) == job_oom_score_;
}

bool Children::IsOrphanOfTheOnlyJob(const ProcessEntry& process) {
  std::lock_guard<std::mutex> lock(mutex_);
  return leaders_.size() == 1 && IsOrphanLocked(process);
}

bool Children::ReapOrphan(const ProcessEntry& process, bool is_member, rusage& usage) {
  if (!process.zombie || process.parent != ::getpid()) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  if (leaders_.count(process.pid) != 0 || (!is_member && !IsOrphanLocked(process))) return false;
  return ::wait4(process.pid, nullptr, WNOHANG, &usage) == process.pid;
}

void Children::ReapOthers() {
  for (const ProcessEntry& process : ReadProcesses(0)) {
    if (!process.zombie || process.parent != ::getpid()) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    if (leaders_.count(process.pid) == 0) ::waitpid(process.pid, nullptr, WNOHANG);
  }
}

}  // namespace yardmaster::worker
