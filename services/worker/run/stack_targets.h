// Which processes of a step say where its ranks stand. Pure: the table of processes is given.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_STACK_TARGETS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_STACK_TARGETS_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/process/process_table.h"

namespace yardmaster::worker {

// A process that we started for the step: a rank, a launcher, or the step itself.
struct StackLeader {
  pid_t pid = 0;
  int rank = 0;  // kNoRank: a launcher, or a step without ranks
};

// What is known of a process besides its entry in the table.
struct ProcessFacts {
  std::string program;      // file name of what it executes: "bash"; empty: not known
  std::string command;      // its words, with blanks between them
  std::optional<int> rank;  // that its environment names
};

struct StackTarget {
  ProcessEntry process;
  int rank = 0;  // kNoRank: of a step without ranks, or of a launcher none of whose ranks is there
};

// The processes of all leaders that run a program of the step: shells and other wrappers around it, helpers of
// Python's own and launchers are left out, unless nothing else is there. Those of each rank come with the outermost
// first; in all, the first of every rank come before the second of any. At most `most` in all, in equal parts, but one
// of each rank. `ranked`: the step has ranks, and what has none is no rank's.
std::vector<StackTarget> ChooseStackTargets(const std::vector<StackLeader>& leaders,
                                            const std::vector<ProcessEntry>& table,
                                            const std::function<ProcessFacts(const ProcessEntry&)>& facts_of,
                                            bool ranked, size_t most);

// From /proc. `rank_variable`: of the launcher, looked for before RANK; may be empty.
ProcessFacts ReadProcessFacts(pid_t pid, std::string_view rank_variable);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_STACK_TARGETS_H_
