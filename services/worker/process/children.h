// Which children of this process are first processes of jobs. Other parts wait for their children by pid; orphans that
// are reparented to us must be told from them.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_CHILDREN_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_CHILDREN_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <mutex>
#include <optional>
#include <set>

#include "services/worker/process/process_table.h"
#include "services/worker/process/spawn.h"

namespace yardmaster::worker {

// Thread-safe. One for the whole program, since children belong to it and not to whoever started them.
class Children {
 public:
  static Children& Get();

  // Spawns and notes the child before anybody can take it for an orphan.
  SpawnResult Start(const SpawnRequest& request);
  // Waits for a child that has ended and forgets it. Its wait status; nullopt if somebody else waited for it.
  std::optional<int> Reap(pid_t pid, rusage& usage);

  // True for a child of ours that a job left behind, told by the OOM score that jobs inherit (neither a first process
  // nor another part's own child), while only one job runs, so that it must be that one's.
  bool IsOrphanOfTheOnlyJob(const ProcessEntry& process);
  // Waits for an orphan that has ended; false if it is none. `is_member`: it is already known to come from a job.
  bool ReapOrphan(const ProcessEntry& process, bool is_member, rusage& usage);

  // Waits for all children of this process that have ended, first processes of jobs left out: for programs that start
  // nothing else that they wait for themselves.
  void ReapOthers();

  // What jobs get: more than our own by so much that the kernel kills them first.
  int job_oom_score() const { return job_oom_score_; }

 private:
  Children();
  bool IsOrphanLocked(const ProcessEntry& process) const;

  int own_oom_score_ = 0;
  int job_oom_score_ = 0;
  std::mutex mutex_;
  std::set<pid_t> leaders_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_CHILDREN_H_
