// What launchers say at their end about the ranks that they started. Exit codes and signals are facts; which rank a
// launcher names as the root cause is not: torchrun names the rank that it happened to look at first.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_LAUNCHER_WORDS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_LAUNCHER_WORDS_H_

#include <map>
#include <string>
#include <string_view>

#include "services/worker/logs/log.h"

namespace yardmaster::worker {

struct RankEnd {
  int code = 0;    // 128 + signal where it was killed
  int signal = 0;  // 0: it exited by itself
};

struct LauncherWords {
  std::map<int, RankEnd> ends;
  int blamed = kNoRank;  // the rank that the launcher names as the first
};

// Reads the launcher's own lines (those of no rank), of which only the end matters.
LauncherWords ReadLauncherWords(LogReader& log);

// "SIGSEGV"; "signal 64" for one without a name.
std::string SignalName(int signal);
// "segmentation fault"; empty where there is nothing to add.
std::string_view SignalMeaning(int signal);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_LAUNCHER_WORDS_H_
