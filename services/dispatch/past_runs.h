// What earlier runs say about new jobs: how long they took, and which passed. In memory; the store has it all, and a
// daemon that starts reads the newest again.
#ifndef YARDMASTER_SERVICES_DISPATCH_PAST_RUNS_H_
#define YARDMASTER_SERVICES_DISPATCH_PAST_RUNS_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// So many jobs are read at a start, and so many kinds of job are remembered.
inline constexpr size_t kPastRunsRead = 2'000;
inline constexpr size_t kPastRunsKept = 5'000;

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

 private:
  using Key = std::pair<std::string, std::string>;  // shape or answer key, model
  struct Pass {
    std::string job;
    std::string environment;
  };

  mutable std::mutex mutex_;  // guards what follows
  std::map<Key, std::deque<std::chrono::seconds>, std::less<>> times_;
  std::map<Key, Pass, std::less<>> passed_;
  std::deque<Key> order_;  // of both, the oldest first
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PAST_RUNS_H_
