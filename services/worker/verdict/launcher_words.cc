#include "services/worker/verdict/launcher_words.h"

#include <re2/re2.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

// Lines of the launcher that are looked at, from its end: more than the summary of some hundred ranks.
constexpr size_t kMaxLauncherLines = 4000;
constexpr int kMaxRank = 1'000'000;

struct SignalWord {
  int signal;
  const char* name;
  const char* meaning;
};
constexpr std::array kSignals = {
    SignalWord{SIGHUP, "SIGHUP", "hung up"},
    SignalWord{SIGINT, "SIGINT", "interrupted"},
    SignalWord{SIGQUIT, "SIGQUIT", "quit"},
    SignalWord{SIGILL, "SIGILL", "illegal instruction"},
    SignalWord{SIGTRAP, "SIGTRAP", "trap"},
    SignalWord{SIGABRT, "SIGABRT", "aborted"},
    SignalWord{SIGBUS, "SIGBUS", "bus error"},
    SignalWord{SIGFPE, "SIGFPE", "arithmetic error"},
    SignalWord{SIGKILL, "SIGKILL", "killed"},
    SignalWord{SIGUSR1, "SIGUSR1", ""},
    SignalWord{SIGSEGV, "SIGSEGV", "segmentation fault"},
    SignalWord{SIGUSR2, "SIGUSR2", ""},
    SignalWord{SIGPIPE, "SIGPIPE", "broken pipe"},
    SignalWord{SIGALRM, "SIGALRM", "alarm"},
    SignalWord{SIGTERM, "SIGTERM", "terminated"},
    SignalWord{SIGXCPU, "SIGXCPU", "processor time beyond its limit"},
    SignalWord{SIGXFSZ, "SIGXFSZ", "file beyond its limit"},
    SignalWord{SIGSYS, "SIGSYS", "forbidden system call"},
};

const SignalWord* FindSignal(int signal) {
  for (const SignalWord& word : kSignals) {
    if (word.signal == signal) return &word;
  }
  return nullptr;
}

// torchrun writes signals as negative exit codes.
RankEnd FromExitCode(int code) {
  if (code >= 0) return {code, 0};
  return {128 - code, -code};
}

}  // namespace

LauncherWords ReadLauncherWords(LogReader& log) {
  static const RE2 kTorchrunRank(R"(^\s*rank\s*:\s*(\d{1,7}) \(local_rank: \d+\))");
  static const RE2 kTorchrunCode(R"(^\s*exitcode\s*:\s*(-?\d{1,4}) )");
  static const RE2 kTorchrunRoot(R"(^Root Cause \(first observed failure\):)");
  static const RE2 kMpirunSignal(R"(mpirun noticed that process rank (\d{1,7}) .* exited on signal (\d{1,3}))");
  static const RE2 kMpirunName(R"(^\s*Process name: \[\[\d+,\d+\],(\d{1,7})\])");
  static const RE2 kMpirunCode(R"(^\s*Exit code:\s+(\d{1,4}))");
  static const RE2 kMpiAbort(R"(^MPI_ABORT was invoked on rank (\d{1,7}) in communicator MPI_COMM_WORLD)");
  static const RE2 kMpiAbortCode(R"(^with errorcode (\d{1,9})\.)");

  LauncherWords words;
  const absl::StatusOr<std::vector<LogLine>> lines = log.Tail(kMaxLauncherLines, kNoRank);
  if (!lines.ok()) return words;
  int rank = kNoRank;
  bool root = false;
  const auto ends = [&](const RankEnd& end) {
    if (rank < 0 || rank > kMaxRank) return;
    words.ends.emplace(rank, end);
    rank = kNoRank;
  };
  for (const LogLine& line : *lines) {
    int number = 0;
    int signal = 0;
    if (RE2::PartialMatch(line.text, kTorchrunRoot)) {
      root = true;
    } else if (RE2::PartialMatch(line.text, kTorchrunRank, &number)) {
      rank = number;
      if (root) words.blamed = number;
    } else if (RE2::PartialMatch(line.text, kTorchrunCode, &number)) {
      ends(FromExitCode(number));
    } else if (RE2::PartialMatch(line.text, kMpirunSignal, &number, &signal)) {
      rank = words.blamed = number;
      ends({128 + signal, signal});
    } else if (RE2::PartialMatch(line.text, kMpirunName, &number) || RE2::PartialMatch(line.text, kMpiAbort, &number)) {
      rank = words.blamed = number;
    } else if (RE2::PartialMatch(line.text, kMpirunCode, &number) ||
               RE2::PartialMatch(line.text, kMpiAbortCode, &number)) {
      ends({number, 0});
    }
  }
  return words;
}

std::string SignalName(int signal) {
  const SignalWord* word = FindSignal(signal);
  return word != nullptr ? word->name : "signal " + std::to_string(signal);
}

std::string_view SignalMeaning(int signal) {
  const SignalWord* word = FindSignal(signal);
  return word != nullptr ? word->meaning : "";
}

}  // namespace yardmaster::worker
