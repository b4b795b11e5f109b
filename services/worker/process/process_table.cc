#include "services/worker/process/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// Arguments and environment of a program may have 2 MiB together.
constexpr size_t kMaxProcFileBytes = 4 * 1024 * 1024;

std::string ProcPath(pid_t pid, std::string_view name) { return Concat("/proc/", pid, "/", name); }

}  // namespace

std::string ReadProcFile(const std::string& path) {
  return ReadAll(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
}

std::string ReadAll(const UniqueFd& file) {
  std::string content;
  if (!file.ok()) return content;
  char buffer[4096];
  while (content.size() < kMaxProcFileBytes) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    content.append(buffer, static_cast<size_t>(count));
  }
  return content;
}

std::optional<ProcessEntry> ParseProcessStat(std::string_view text) {
  // "PID (name) STATE PPID PGRP SESSION …", the start being the 22nd field: a name may have anything in it, parentheses
  // and newlines, too.
  const size_t name_begin = text.find('(');
  const size_t name_end = text.rfind(')');
  if (name_begin == std::string_view::npos || name_end == std::string_view::npos || name_end < name_begin) {
    return std::nullopt;
  }
  const std::vector<std::string_view> fields = SplitWords(text.substr(name_end + 1));
  constexpr size_t kFirstField = 3;  // the state
  constexpr size_t kUserTicksField = 14;
  constexpr size_t kKernelTicksField = 15;
  constexpr size_t kStartField = 22;
  if (fields.size() <= kStartField - kFirstField) return std::nullopt;
  const std::optional<uint64_t> pid = NumberOf(text.substr(0, text.find(' ')));
  const std::optional<uint64_t> start = NumberOf(fields[kStartField - kFirstField]);
  std::optional<uint64_t> ids[3];
  for (size_t i = 0; i < 3; ++i) ids[i] = NumberOf(fields[1 + i]);
  if (!pid || !start || !ids[0] || !ids[1] || !ids[2]) return std::nullopt;
  ProcessEntry entry;
  entry.pid = static_cast<pid_t>(*pid);
  entry.parent = static_cast<pid_t>(*ids[0]);
  entry.group = static_cast<pid_t>(*ids[1]);
  entry.session = static_cast<pid_t>(*ids[2]);
  entry.start = *start;
  entry.state = fields[0].front();
  entry.cpu_ticks = NumberOf(fields[kUserTicksField - kFirstField]).value_or(0) +
                    NumberOf(fields[kKernelTicksField - kFirstField]).value_or(0);
  entry.name = text.substr(name_begin + 1, name_end - name_begin - 1);
  entry.zombie = fields[0] == "Z" || fields[0] == "X" || fields[0] == "x";
  return entry;
}

std::optional<ProcessEntry> ReadProcess(pid_t pid) { return ParseProcessStat(ReadProcFile(ProcPath(pid, "stat"))); }

std::vector<ProcessEntry> ReadProcesses(uint64_t since) {
  std::vector<ProcessEntry> processes;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* item = ::readdir(folder)) {
    const std::optional<uint64_t> pid = NumberOf(item->d_name);
    if (!pid.has_value()) continue;
    const std::optional<ProcessEntry> entry = ReadProcess(static_cast<pid_t>(*pid));
    if (entry.has_value() && entry->start >= since) processes.push_back(*entry);
  }
  ::closedir(folder);
  return processes;
}

bool HasMark(std::string_view environment, std::string_view mark) {
  const std::string name = Concat(kMarkVariable, "=");
  return !mark.empty() && absl::c_any_of(Split(environment, '\0'), [&](std::string_view entry) {
    return entry.starts_with(name) && Contains(entry, mark);
  });
}

bool ReadsAsMarked(pid_t pid, std::string_view mark) { return HasMark(ReadProcFile(ProcPath(pid, "environ")), mark); }

std::optional<int> ReadOomScore(pid_t pid) {
  const std::string text = ReadProcFile(ProcPath(pid, "oom_score_adj"));
  int score = 0;
  return absl::SimpleAtoi(text, &score) ? std::optional(score) : std::nullopt;
}

void SendSignal(const ProcessEntry& process, int signal) {
  // The descriptor holds on to one process; only then is it worth asking whether it is the one.
  const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  const std::optional<ProcessEntry> now = ReadProcess(process.pid);
  if (!now.has_value() || now->start != process.start) return;
  if (!handle.ok() || ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) != 0) {
    if (!handle.ok()) ::kill(process.pid, signal);
  }
}

}  // namespace yardmaster::worker
