// Of each signature on each rank the line that tells most, while a log is read from its beginning.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_HITS_BY_RANK_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_HITS_BY_RANK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/worker/verdict/package_versions.h"
#include "services/worker/verdict/telling.h"
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
  // Of each signature on each rank the line that tells most, among equals the first by time; in no order. Without
  // exceptions that others followed from, and without what a test printed that passed.
  std::vector<Signatures::Hit> Take();

 private:
  // The lines of one process: where a rank, or a step without ranks, passes on what several print, they stand between
  // each other.
  struct Output {
    Tracebacks tracebacks;
    PackageVersions versions;
    std::optional<size_t> warning;  // how far what CMake warns of is indented
    uint64_t exception = 0;         // the last line that said one
    bool heading = false;           // it ends with a colon, or says that numbers differ: how stands below
    bool entry_of_failure = false;  // the last line was a logger's, of a failure
    bool in_logged = false;         // the traceback that is read stands below such a line
    bool logged = false;            // so did that of the last exception
    bool in_message = false;        // what it says is not at its end
    bool of_exit_codes = false;     // the numbers that differ were those of processes
    // The next exception was raised from one of a known kind: that kind says more than a name of one's own.
    bool from_known = false;
    bool repeats = false;  // the next exception is the last one again
    // Lines since its exception that tell of no failure; nullopt: one told of a failure, or enough were counted.
    std::optional<int> quiet;
  };
  struct Rank {
    std::map<std::string, Output, std::less<>> outputs;  // by what names the process in front of its lines
    std::string last;                                    // the one that spoke last
    uint64_t test_end = 0;                               // the last line at which a test ended
  };
  struct Found {
    Signatures::Hit hit;
    Telling telling = Telling::kNothing;
    bool went_on = false;  // it was logged, and the logger spoke of other things afterwards
  };

  // The process that says this line, by what stands in front of its text. What follows without a name is still its.
  static Output& OutputOf(Rank& rank, std::string_view line, std::string_view text);
  void Forget(int number, Output& output, Chain chain);
  void ForgetPassed(int number, const Rank& rank);
  // Takes the next line, which `fails` where it tells of a failure, to find out whether the process got over its
  // exception: it says so, or many lines tell of none.
  void GoOn(int number, Output& output, std::string_view text, bool fails);
  // Takes the next whole line: whether a logger shows a traceback below it, or goes on after one.
  void FollowLogger(int number, Output& output, std::string_view line);

  const rules::FailureSignature* exception_;
  const rules::FailureSignature* versions_;
  bool tests_;
  std::map<int, Rank> ranks_;
  std::map<std::pair<const rules::FailureSignature*, int>, Found> found_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_HITS_BY_RANK_H_
