// Where processes stand that are about to be ended for want of progress, by whatever tool of this machine can tell.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_HANG_STACKS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_HANG_STACKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "services/worker/process/process.h"

namespace yardmaster::worker {

struct ProcessStack {
  int pid = 0;
  int rank = 0;  // kNoRank: nothing says
  std::string text;
};

// The lines of a tool's output that are frames or begin a thread; the rest is about the tool.
std::string StackLines(std::string_view output);

// Stacks of `leader` and what it started, outermost first; empty where no tool is there, or none may look. `rank` is
// that of the leader; where it is kNoRank, the variable RANK of each process says it. `path`: where tools are looked
// up.
std::vector<ProcessStack> TakeStacks(ProcessStarter& processes, int leader, int rank, std::string_view path);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_HANG_STACKS_H_
