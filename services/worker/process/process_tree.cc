#include "services/worker/process/process_tree.h"

#include <unistd.h>

#include <map>

namespace yardmaster::worker {

std::vector<ProcessEntry> MembersOf(const TreeLeader& leader, const std::vector<ProcessEntry>& table,
                                    const std::set<ProcessKey>& known, pid_t self,
                                    const std::function<bool(const ProcessEntry&)>& is_marked,
                                    const std::function<bool(const ProcessEntry&)>& is_orphan) {
  // Nobody can be older than what started them. Ourselves never, whatever our session is.
  std::map<pid_t, std::vector<size_t>> children;
  std::vector<size_t> found;
  std::vector<bool> belongs(table.size(), false);
  const auto may_belong = [&](const ProcessEntry& entry) { return entry.start >= leader.start && entry.pid != self; };
  const auto add = [&](size_t index) {
    if (belongs[index]) return;
    belongs[index] = true;
    found.push_back(index);
  };
  for (size_t i = 0; i < table.size(); ++i) {
    const ProcessEntry& entry = table[i];
    if (!may_belong(entry)) continue;
    children[entry.parent].push_back(i);
    if (entry.pid == leader.pid || entry.session == leader.pid || entry.group == leader.pid ||
        known.count({entry.pid, entry.start}) != 0 || (!entry.zombie && is_marked(entry)) ||
        (entry.parent == self && is_orphan(entry))) {
      add(i);
    }
  }
  // And what they started. `found` grows while it is walked.
  size_t next = 0;
  while (next < found.size()) {
    const auto of_parent = children.find(table[found[next++]].pid);
    if (of_parent == children.end()) continue;
    for (const size_t child : of_parent->second) add(child);
  }
  std::vector<ProcessEntry> members;
  for (size_t i = 0; i < table.size(); ++i) {
    if (belongs[i] && table[i].pid != leader.pid) members.push_back(table[i]);
  }
  return members;
}

ProcessTree::Found ProcessTree::Find() {
  const pid_t self = ::getpid();
  const std::vector<ProcessEntry> table = ReadProcesses(leader_.start);
  Found found;
  found.members = MembersOf(
      leader_, table, known_, self, [&](const ProcessEntry& entry) { return ReadsAsMarked(entry.pid, leader_.mark); },
      is_orphan_);
  std::set<pid_t> members;
  for (const ProcessEntry& member : found.members) {
    members.insert(member.pid);
    known_.emplace(member.pid, member.start);
  }
  for (const ProcessEntry& entry : table) {
    if (entry.zombie && entry.parent == self && entry.pid != leader_.pid && members.count(entry.pid) == 0) {
      found.ended_children.push_back(entry);
    }
  }
  return found;
}

}  // namespace yardmaster::worker
