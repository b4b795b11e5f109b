// Whose turn it is. Each waiting job has a time of its turn, and the earliest goes first:
//
//   the time it was submitted
//   - kTurnBonus for each step of priority above low
//   + kSharePenalty for each device that its repository uses now, and again for each that its submitter uses
//
// So age counts for all alike: whoever waits long enough is before everything that is submitted later, and nobody
// starves.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_FAIR_ORDER_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_FAIR_ORDER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

inline constexpr std::chrono::minutes kTurnBonus{30};
inline constexpr std::chrono::seconds kSharePenalty{30};

// Devices in use.
struct Usage {
  std::map<std::string, int64_t> repositories;
  std::map<std::string, int64_t> submitters;

  // `devices` may be negative: they are in use no more.
  void Add(const Job& job, int64_t devices);
};

// The jobs that wait, each kept in the line of those that share its repository, submitter and priority.
class WaitingJobs {
 public:
  void Add(const Job& job);
  void Remove(const Job& job);
  size_t size() const { return size_; }

 private:
  friend class FairOrder;
  using Line = std::set<std::pair<WallTime, int64_t>>;  // time of submission, number
  using LineKey = std::tuple<std::string, std::string, Priority>;
  static LineKey KeyOf(const Job& job) { return {job.repository, job.submitter, job.priority}; }

  std::map<LineKey, Line> lines_;
  size_t size_ = 0;
};

// Gives the waiting jobs in the order of their turns. What is placed meanwhile is to be told by `usage`, which only
// grows: so a turn only becomes later, and the line at the top of the heap is either the first or goes further down.
class FairOrder {
 public:
  // Both outlive this object; `waiting` does not change meanwhile.
  FairOrder(const WaitingJobs& waiting, const Usage& usage);

  // The number of the next job; 0: all were given.
  int64_t Next();

 private:
  struct Head {
    std::pair<WallTime, int64_t> turn;  // of its next job, with its number
    const WaitingJobs::LineKey* key;
    WaitingJobs::Line::const_iterator next;
    WaitingJobs::Line::const_iterator end;
  };
  static bool IsLater(const Head& a, const Head& b) { return a.turn > b.turn; }
  std::pair<WallTime, int64_t> TurnOf(const Head& head) const;

  const Usage& usage_;
  std::vector<Head> heads_;  // a heap, the earliest first
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_FAIR_ORDER_H_
