#include "services/worker/run/hang_stacks.h"

#include <re2/re2.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <future>
#include <set>
#include <utility>

#include "services/core/lines.h"
#include "services/worker/logs/log.h"
#include "services/worker/process/capture.h"
#include "services/worker/process/process_table.h"
#include "services/worker/re2_piece.h"

namespace yardmaster::worker {
namespace {

// Of one leader's tree so many are looked at: workers of a data loader all stand at the same place.
constexpr size_t kMaxStackedProcesses = 8;
constexpr size_t kMaxStackLines = 200;
constexpr size_t kMaxStackBytes = 256 * 1024;
constexpr std::chrono::seconds kStackTimeout{10};
constexpr std::string_view kRankVariable = "RANK=";

// py-spy knows the frames of Python, the others those of the native libraries below.
std::vector<std::vector<std::string>> StackTools(const std::string& pid) {
  return {{"py-spy", "dump", "--pid", pid},
          {"eu-stack", "-p", pid},
          // No start-up files and no scripts of what it attaches to; values of arguments may be anybody's data.
          {"gdb", "-nx", "-batch", "-iex", "set auto-load off", "-iex", "set print frame-arguments none", "-p", pid,
           "-ex", "thread apply all -ascending bt 40"}};
}

int RankOf(int pid, int rank) {
  if (rank != kNoRank) return rank;
  const std::string environment = ReadProcFile("/proc/" + std::to_string(pid) + "/environ");
  size_t begin = 0;
  while (begin < environment.size()) {
    size_t end = environment.find('\0', begin);
    if (end == std::string::npos) end = environment.size();
    const std::string_view entry(environment.data() + begin, end - begin);
    if (entry.starts_with(kRankVariable)) {
      const std::string_view value = entry.substr(kRankVariable.size());
      int number = kNoRank;
      const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      return error == std::errc() && rest == value.data() + value.size() && number >= 0 ? number : kNoRank;
    }
    begin = end + 1;
  }
  return kNoRank;
}

std::string StackOf(ProcessStarter& processes, int pid, std::string_view path) {
  const auto deadline = std::chrono::steady_clock::now() + kStackTimeout;
  for (std::vector<std::string>& command : StackTools(std::to_string(pid))) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    ProcessSpec spec;
    spec.argv = std::move(command);
    spec.environment = {"PATH=" + std::string(path), "LC_ALL=C"};
    spec.directory = "/";
    const absl::StatusOr<Captured> answer = Capture(processes, std::move(spec), left, kMaxStackBytes);
    if (!answer.ok()) continue;
    std::string lines = StackLines(answer->out);
    if (!lines.empty()) return lines;
  }
  return "";
}

}  // namespace

std::string StackLines(std::string_view output) {
  static const RE2 kStackLine(R"(^\s*(?:#\d+\s|Thread |TID \d|File ".+", line \d+|[\w<>.]+ \(\S+:\d+\)))", RE2::Latin1);
  std::string kept;
  size_t count = 0;
  for (const std::string_view line : LinesOf(output)) {
    if (!RE2::PartialMatch(Piece(line), kStackLine)) continue;
    if (++count > kMaxStackLines) break;
    kept += line;
    kept += '\n';
  }
  return kept;
}

std::vector<ProcessStack> TakeStacks(ProcessStarter& processes, int leader, int rank, std::string_view path) {
  std::vector<int> pids = {leader};
  std::set<int> known = {leader};
  const std::vector<ProcessEntry> table = ReadProcesses(0);
  for (size_t i = 0; i < pids.size(); ++i) {
    for (const ProcessEntry& entry : table) {
      if (entry.parent != pids[i] || entry.zombie || pids.size() >= kMaxStackedProcesses) continue;
      if (known.insert(entry.pid).second) pids.push_back(entry.pid);
    }
  }
  std::vector<std::future<ProcessStack>> asked;
  asked.reserve(pids.size());
  for (const int pid : pids) {
    asked.push_back(std::async(std::launch::async, [&processes, pid, rank, path] {
      return ProcessStack{pid, RankOf(pid, rank), StackOf(processes, pid, path)};
    }));
  }
  std::vector<ProcessStack> stacks;
  for (std::future<ProcessStack>& one : asked) {
    if (ProcessStack stack = one.get(); !stack.text.empty()) stacks.push_back(std::move(stack));
  }
  return stacks;
}

}  // namespace yardmaster::worker
