// What earlier runs say about new jobs: how long they took, which passed, and which to ask for more. In memory; the
// store has it all, and a daemon that starts reads the newest again.
#ifndef YARDMASTER_SERVICES_DISPATCH_PAST_RUNS_H_
#define YARDMASTER_SERVICES_DISPATCH_PAST_RUNS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// So many jobs are read at a start, and so many kinds of job are remembered.
inline constexpr size_t kPastRunsRead = 2'000;
inline constexpr size_t kPastRunsKept = 5'000;
// Of each suite on each model so many of the newest are named: all of a run that the most jobs shared, and of the one
// before.
inline constexpr size_t kRunsOfSuiteKept = 128;

// Thread-safe.
class PastRuns {
 public:
  // A job that has ended. Those that no run of the code itself ended (cancelled, sick machines) say nothing.
  void Note(const Job& job);
  // The median of the newest runs of the same part of the same suite, on devices of a model that the demand allows;
  // 0: there was none.
  std::chrono::seconds Expected(std::string_view shape, const Demand& demand) const;
  // The newest job with this key that passed on devices of a model that the demand allows, in one of the environments;
  // empty: none.
  std::string Passed(std::string_view answer_key, const Demand& demand,
                     const std::set<std::string>& environments) const;
  // Jobs of the suite that ran to their end on devices of the kind and of a model that the demand allows, the newest
  // first.
  std::vector<std::string> RunsOf(std::string_view suite, const Demand& demand) const;

 private:
  using Key = std::pair<std::string, std::string>;  // shape, answer key, or suite and kind; model
  struct Pass {
    std::string job;
    std::string environment;
  };

  mutable std::mutex mutex_;  // guards what follows
  std::map<Key, std::deque<std::chrono::seconds>, std::less<>> times_;
  std::map<Key, Pass, std::less<>> passed_;
  std::map<Key, std::deque<std::pair<uint64_t, std::string>>, std::less<>> runs_;  // with their place among all
  uint64_t noted_ = 0;
  std::deque<Key> order_;  // of all three, the oldest first
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PAST_RUNS_H_
