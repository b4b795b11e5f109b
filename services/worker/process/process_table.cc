#include "services/worker/process/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>

namespace yardmaster::worker {
namespace {

// Arguments and environment of a program may have 2 MiB together.
constexpr size_t kMaxProcFileBytes = 4 * 1024 * 1024;

// The number that begins at `at`, which moves behind it and the blank after it.
template <typename Number>
bool TakeNumber(std::string_view text, size_t& at, Number& value) {
  if (at > text.size()) return false;
  const std::from_chars_result read = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (read.ec != std::errc()) return false;
  at = static_cast<size_t>(read.ptr - text.data()) + 1;
  return true;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string ProcPath(pid_t pid, std::string_view name) {
  std::string path = "/proc/" + std::to_string(pid) + "/";
  path += name;
  return path;
}

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
  // "PID (name) STATE PPID PGRP SESSION …": a name may have anything in it, parentheses and newlines, too.
  ProcessEntry entry;
  size_t at = 0;
  if (!TakeNumber(text, at, entry.pid)) return std::nullopt;
  at = text.rfind(')');
  if (at == std::string_view::npos || at + 4 > text.size()) return std::nullopt;
  const char state = text[at + 2];
  entry.zombie = state == 'Z' || state == 'X' || state == 'x';
  at += 4;
  if (!TakeNumber(text, at, entry.parent) || !TakeNumber(text, at, entry.group) ||
      !TakeNumber(text, at, entry.session)) {
    return std::nullopt;
  }
  // Fields 7 to 21 are of no interest; the start is the 22nd.
  for (int field = 7; field < 22; ++field) {
    int64_t ignored = 0;
    if (!TakeNumber(text, at, ignored)) return std::nullopt;
  }
  if (!TakeNumber(text, at, entry.start)) return std::nullopt;
  return entry;
}

std::optional<ProcessEntry> ReadProcess(pid_t pid) { return ParseProcessStat(ReadProcFile(ProcPath(pid, "stat"))); }

std::vector<ProcessEntry> ReadProcesses(uint64_t since) {
  std::vector<ProcessEntry> processes;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* item = ::readdir(folder)) {
    if (!IsDigit(item->d_name[0])) continue;
    const std::string_view name = item->d_name;
    pid_t pid = 0;
    size_t at = 0;
    if (!TakeNumber(name, at, pid)) continue;
    const std::optional<ProcessEntry> entry = ReadProcess(pid);
    if (entry.has_value() && entry->start >= since) processes.push_back(*entry);
  }
  ::closedir(folder);
  return processes;
}

bool HasMark(std::string_view environment, std::string_view mark) {
  if (mark.empty()) return false;
  for (size_t begin = 0; begin < environment.size();) {
    const size_t end = std::min(environment.find('\0', begin), environment.size());
    const std::string_view entry = environment.substr(begin, end - begin);
    if (entry.size() > kMarkVariable.size() && entry[kMarkVariable.size()] == '=' &&
        entry.substr(0, kMarkVariable.size()) == kMarkVariable && entry.find(mark) != std::string_view::npos) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

bool ReadsAsMarked(pid_t pid, std::string_view mark) { return HasMark(ReadProcFile(ProcPath(pid, "environ")), mark); }

std::optional<int> ReadOomScore(pid_t pid) {
  const std::string text = ReadProcFile(ProcPath(pid, "oom_score_adj"));
  int score = 0;
  size_t at = 0;
  if (!TakeNumber(std::string_view(text), at, score)) return std::nullopt;
  return score;
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
