// Of each signature on each rank the line that counts, while a log is read from its beginning.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_HITS_BY_RANK_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_HITS_BY_RANK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "services/worker/verdict/package_versions.h"
#include "services/worker/verdict/tracebacks.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

// By time, then by number: lines of several ranks have an order of their own.
bool Earlier(const LogLine& a, const LogLine& b);

class HitsByRank {
 public:
  // The signatures of uncaught exceptions and of packages that don't fit each other; null: there is none. `tests`: the
  // log is one of tests.
  HitsByRank(const rules::FailureSignature* exception, const rules::FailureSignature* versions, bool tests)
      : exception_(exception), versions_(versions), tests_(tests) {}

  // The next line, its text without prefix, and the signatures that match it. `exception`: it says an exception,
  // whatever else it is known by.
  void Add(const LogLine& line, std::string_view text, std::vector<const rules::FailureSignature*> matched,
           bool exception);
  // The first line by time of each signature on each rank, in no order: without exceptions that others followed from,
  // and without what a test printed that passed.
  std::vector<Signatures::Hit> Take();

 private:
  struct Rank {
    Tracebacks tracebacks;
    PackageVersions versions;
    uint64_t exception = 0;  // the last line that said one
    uint64_t test_end = 0;   // the last line at which a test ended
    // The next exception was raised from one of a known kind: that kind says more than a name of one's own.
    bool from_known = false;
    bool repeats = false;  // the next exception is the last one again
    // Lines since its exception that tell of no failure; nullopt: one told of a failure, or enough were counted.
    std::optional<int> quiet;
  };

  void Forget(int number, Rank& rank, Chain chain);
  void ForgetPassed(int number, const Rank& rank);
  // Counts the next line, which `fails` where it tells of a failure, to find out whether the rank got over its
  // exception.
  void GoOn(int number, Rank& rank, bool fails);

  const rules::FailureSignature* exception_;
  const rules::FailureSignature* versions_;
  bool tests_;
  std::map<int, Rank> ranks_;
  std::map<std::pair<const rules::FailureSignature*, int>, Signatures::Hit> first_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_HITS_BY_RANK_H_
