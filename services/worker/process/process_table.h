// The processes of this machine as /proc lists them.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_TABLE_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_TABLE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// The variable by which the processes of a job are known, also when they have left their session and lost their
// parent. Its value is a list of ids, separated by ':', the innermost last: jobs may run workers of their own.
inline constexpr std::string_view kMarkVariable = "YARD_PROCESS_MARK";

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  // Clock ticks since the system started; with the pid it names a process for ever.
  uint64_t start = 0;
  // It has ended and was not waited for (a zombie).
  bool zombie = false;
  // "R" runs, "S" sleeps, "D" sleeps and can't be woken, "T" is stopped, …
  char state = '?';
  // That all its threads used, by themselves and in the kernel.
  uint64_t cpu_ticks = 0;
  // At most 15 bytes, and the program may change it.
  std::string name = {};
};

// The content of /proc/PID/stat; nullopt if it is none.
std::optional<ProcessEntry> ParseProcessStat(std::string_view text);
std::optional<ProcessEntry> ReadProcess(pid_t pid);
// All processes that started at `since` or later. Those that end meanwhile may be missing.
std::vector<ProcessEntry> ReadProcesses(uint64_t since);

// True if the content of /proc/PID/environ has the mark.
bool HasMark(std::string_view environment, std::string_view mark);
// False also where the environment can't be read: another user's process, a zombie.
bool ReadsAsMarked(pid_t pid, std::string_view mark);

// How readily the kernel kills a process when memory is short; nullopt if it can't be read. Inherited, and known of
// zombies, too.
std::optional<int> ReadOomScore(pid_t pid);

// Sends a signal unless the pid belongs to another process by now.
void SendSignal(const ProcessEntry& process, int signal);

// A file of /proc, up to a limit that none of interest reaches; empty if it can't be read.
std::string ReadProcFile(const std::string& path);
// The rest of an open one.
std::string ReadAll(const UniqueFd& file);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_TABLE_H_
