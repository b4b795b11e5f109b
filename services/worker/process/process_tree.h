// Everything that a process started, even if it detached itself: children, whoever is in its session or group, and
// whoever carries its mark in the environment.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_TREE_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/worker/process/process_table.h"

namespace yardmaster::worker {

// The first process of a tree. It must not be waited for while the tree is asked about: as long as it is a zombie its
// number can't be another's, so that its session and group are its own.
struct TreeLeader {
  pid_t pid = 0;
  uint64_t start = 0;
  std::string mark;
};

// A process by pid and start.
using ProcessKey = std::pair<pid_t, uint64_t>;

// What of `table` belongs to the tree, without the leader itself, in the order of the table. `known` were seen in it
// before. `is_marked` is asked for what is not already known to belong; `is_orphan` for children of `self` that nothing
// else identifies.
std::vector<ProcessEntry> MembersOf(const TreeLeader& leader, const std::vector<ProcessEntry>& table,
                                    const std::set<ProcessKey>& known, pid_t self,
                                    const std::function<bool(const ProcessEntry&)>& is_marked,
                                    const std::function<bool(const ProcessEntry&)>& is_orphan);

class ProcessTree {
 public:
  // `is_orphan`: see MembersOf.
  ProcessTree(TreeLeader leader, std::function<bool(const ProcessEntry&)> is_orphan)
      : leader_(std::move(leader)), is_orphan_(std::move(is_orphan)) {}

  struct Found {
    std::vector<ProcessEntry> members;  // zombies included, the leader not
    // Other children of this process that have ended and that nobody may have waited for.
    std::vector<ProcessEntry> ended_children;
  };
  // As it is now. Reads all of /proc.
  Found Find();

 private:
  TreeLeader leader_;
  std::function<bool(const ProcessEntry&)> is_orphan_;
  std::set<ProcessKey> known_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_TREE_H_
