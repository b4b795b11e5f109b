#include "services/worker/run/hang_stacks.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/logs/log.h"
#include "services/worker/process/capture.h"
#include "services/worker/process/program_path.h"
#include "services/worker/run/python_stacks.h"
#include "services/worker/text.h"
#include "services/worker/verdict/stack.h"
#include "services/worker/verdict/stand.h"

namespace yardmaster::worker {
namespace {

using Steady = std::chrono::steady_clock;

constexpr size_t kMaxTargets = 64;
constexpr size_t kMaxStackLines = 400;
constexpr size_t kMaxStackBytes = 256 * 1024;
constexpr std::chrono::seconds kPythonTimeout{8};
constexpr std::chrono::seconds kToolTimeout{10};
constexpr std::chrono::seconds kWholeTimeout{25};
// A debugger reads hundreds of megabytes of symbols.
constexpr size_t kToolsAtOnce = 4;
// What a program uses of a processor is counted over this time.
constexpr std::chrono::milliseconds kSample{250};

struct StackTool {
  std::string_view program;
  bool native = false;    // it shows native frames
  bool debugger = false;  // it reads the program's symbols
  std::vector<std::string> (*command)(const std::string& program, const std::string& pid) = nullptr;
};

// py-spy knows the frames of Python, the others those of the native libraries below.
constexpr StackTool kTools[] = {
    {"py-spy", true, false,
     [](const std::string& program, const std::string& pid) {
       return std::vector<std::string>{program, "dump", "--native", "--full-filenames", "--pid", pid};
     }},
    {"py-spy", false, false,
     [](const std::string& program, const std::string& pid) {
       return std::vector<std::string>{program, "dump", "--pid", pid};
     }},
    {"eu-stack", true, true,
     [](const std::string& program, const std::string& pid) {
       return std::vector<std::string>{program, "-p", pid};
     }},
    {"gdb", true, true,
     // No start-up files and no scripts of what it attaches to, nothing from the network; values of arguments may be
     // anybody's data.
     [](const std::string& program, const std::string& pid) {
       return std::vector<std::string>{program,
                                       "-nx",
                                       "-batch",
                                       "-iex",
                                       "set auto-load off",
                                       "-iex",
                                       "set debuginfod enabled off",
                                       "-iex",
                                       "set print frame-arguments none",
                                       "-p",
                                       pid,
                                       "-ex",
                                       "thread apply all -ascending bt 40"};
     }},
};

class HangLook {
 public:
  explicit HangLook(const HangRequest& request) : request_(request), deadline_(Steady::now() + kWholeTimeout) {}

  std::vector<HangingProcess> Look() {
    const auto facts_of = [&](const ProcessEntry& process) {
      return ReadProcessFacts(process.pid, request_.rank_variable);
    };
    targets_ = ChooseStackTargets(request_.leaders, ReadProcesses(0), facts_of, request_.ranked, kMaxTargets);
    // Before anything disturbs them.
    Sample();
    AskPython();
    AskTools();
    for (HangingProcess& one : found_) AddSource(one.process.stack);
    return std::move(found_);
  }

 private:
  void Sample() {
    const auto began = Steady::now();
    for (const StackTarget& target : targets_) {
      HangingProcess one;
      one.rank = target.rank;
      one.process.pid = target.process.pid;
      one.process.name = target.process.name;
      found_.push_back(std::move(one));
    }
    std::vector<uint64_t> before;
    for (StackTarget& target : targets_) {
      if (const auto now = ReadProcess(target.process.pid); now.has_value()) target.process = *now;
      before.push_back(target.process.cpu_ticks);
    }
    std::this_thread::sleep_for(kSample);
    const double ticks = static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
    for (size_t i = 0; i < targets_.size(); ++i) {
      ProcessAtStop& process = found_[i].process;
      const auto now = ReadProcess(process.pid);
      if (!now.has_value() || now->start != targets_[i].process.start) continue;
      const double seconds = std::chrono::duration<double>(Steady::now() - began).count();
      process.state = now->state;
      process.cpu = static_cast<double>(now->cpu_ticks - before[i]) / ticks / seconds;
      process.waits_in = std::string(TrimBlanks(ReadProcFile(Concat("/proc/", process.pid, "/wchan"))));
      if (process.waits_in == "0") process.waits_in.clear();
    }
  }

  // Costs nothing, needs no tool and no right to look into the process.
  void AskPython() {
    std::vector<ProcessEntry> processes;
    processes.reserve(targets_.size());
    for (const StackTarget& target : targets_) processes.push_back(target.process);
    const std::vector<std::string> answers =
        AskForPythonStacks(processes, request_.stacks, Steady::now() + kPythonTimeout);
    for (size_t i = 0; i < found_.size(); ++i) found_[i].process.stack = StackLines(answers[i]);
  }

  // Of those that said nothing, and of those whose frames of Python don't show that they wait: what they wait in may be
  // native.
  void AskTools() {
    std::vector<size_t> open;
    for (size_t i = 0; i < found_.size(); ++i) {
      const Doing doing = StandOfProcess(found_[i].process).doing;
      if (doing != Doing::kWaitsForOthers && doing != Doing::kWaitsForDevice) open.push_back(i);
    }
    std::vector<std::pair<const StackTool*, std::string>> tools;
    for (const StackTool& tool : kTools) {
      if (tool.debugger && !request_.debuggers) continue;
      for (const std::string& candidate : ProgramCandidates(tool.program, request_.path)) {
        if (::access(candidate.c_str(), X_OK) != 0) continue;
        tools.emplace_back(&tool, candidate);
        break;
      }
    }
    if (tools.empty() || open.empty()) return;
    std::atomic<size_t> next{0};
    std::vector<std::thread> workers;
    for (size_t i = 0; i < std::min(kToolsAtOnce, open.size()); ++i) {
      workers.emplace_back([&] {
        for (size_t at = next++; at < open.size(); at = next++) AskToolsAbout(found_[open[at]].process, tools);
      });
    }
    for (std::thread& worker : workers) worker.join();
  }

  void AskToolsAbout(ProcessAtStop& process, const std::vector<std::pair<const StackTool*, std::string>>& tools) const {
    const auto deadline = std::min(Steady::now() + kToolTimeout, deadline_);
    for (const auto& [tool, program] : tools) {
      if (!tool->native && !process.stack.empty()) continue;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now());
      if (left.count() <= 0) return;
      ProcessSpec spec;
      spec.argv = tool->command(program, std::to_string(process.pid));
      spec.environment = {"PATH=" + request_.path, "LC_ALL=C"};
      spec.directory = "/";
      const absl::StatusOr<Captured> answer = Capture(*request_.tools, std::move(spec), left, kMaxStackBytes);
      if (!answer.ok()) continue;
      std::vector<std::string> lines = StackLines(answer->out);
      if (lines.empty()) continue;
      // The native frames of what has told its own of Python stand behind those.
      absl::c_move(lines, std::back_inserter(process.stack));
      return;
    }
  }

  // Below the innermost frame of each thread: a call of native code has no frame of its own.
  void AddSource(std::vector<std::string>& stack) const {
    std::vector<std::string> out;
    bool innermost = true;
    for (std::string& line : stack) {
      if (BeginsThread(line)) {
        innermost = true;
        out.push_back(std::move(line));
        continue;
      }
      std::string file;
      std::string function;
      int number = 0;
      const bool wanted = innermost && ReadPythonFrame(line, file, number, function);
      innermost = false;
      out.push_back(std::move(line));
      if (!wanted) continue;
      const std::string source = SourceLine(request_.source, file, number);
      if (!source.empty()) out.push_back(std::string(kSourceLineMark) + source);
    }
    stack = std::move(out);
  }

  const HangRequest& request_;
  const Steady::time_point deadline_;
  std::vector<StackTarget> targets_;
  std::vector<HangingProcess> found_;
};

}  // namespace

std::vector<std::string> StackLines(std::string_view output) {
  std::vector<std::string> kept;
  for (const std::string_view line : LinesOf(output)) {
    if (BeginsThread(line) || IsStackFrame(line)) kept.emplace_back(line);
  }
  // faulthandler prints the first thread last, the others first.
  if (kept.size() > kMaxStackLines) {
    const auto excess = static_cast<std::ptrdiff_t>(kept.size() - kMaxStackLines);
    const bool last = Contains(kept.front(), "most recent call first");
    kept.erase(last ? kept.begin() : kept.end() - excess, last ? kept.begin() + excess : kept.end());
  }
  return kept;
}

std::vector<HangingProcess> LookAtHang(const HangRequest& request) { return HangLook(request).Look(); }

}  // namespace yardmaster::worker
