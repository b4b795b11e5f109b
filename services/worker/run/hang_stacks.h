// What the processes of a step do that is about to be ended for want of progress: what the kernel says of them, and
// their stacks, by whatever can tell.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_HANG_STACKS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_HANG_STACKS_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/process/process.h"
#include "services/worker/run/stack_targets.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

struct HangRequest {
  std::vector<StackLeader> leaders;
  bool ranked = false;
  std::string rank_variable;  // of the launcher; may be empty
  // Starts the tools. It must see the processes as we do: not from inside of their sandbox.
  ProcessStarter* tools = nullptr;
  // Where tools are looked up. Where `debuggers` is false, only those that don't read the programs of strangers are.
  std::string path;
  bool debuggers = true;
  std::filesystem::path stacks;  // where processes of Python write theirs
  std::filesystem::path source;  // of the suite: lines of it are shown below frames
};

struct HangingProcess {
  int rank = 0;  // kNoRank: of a step without ranks, or a launcher
  ProcessAtStop process;
};

// Blocks for about half a minute at most, whatever hangs. The outermost process of each rank comes first.
std::vector<HangingProcess> LookAtHang(const HangRequest& request);

// The lines of a tool's output that are frames or begin a thread; the rest is about the tool.
std::vector<std::string> StackLines(std::string_view output);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_HANG_STACKS_H_
