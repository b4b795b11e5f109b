// "digest": what happened in a repository in the days before, as a comment in a named issue or to a channel.
#ifndef YARDMASTER_SERVICES_SCHEDULE_DIGEST_H_
#define YARDMASTER_SERVICES_SCHEDULE_DIGEST_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster {

// What is counted.
struct DigestCounts {
  int64_t issues = 0;                     // that were decided about
  int64_t pulls = 0;                      // that were reviewed
  int64_t blocked_pulls = 0;              // of them, whose last review in that time has new blocking findings
  std::map<std::string, int64_t> labels;  // added, by label
  std::map<std::string, int64_t> writes;  // confirmed entries of the ledger, by kind
  int64_t failed_writes = 0;
  int64_t dead_letters = 0;
};

// After `from` and not after `until`. An error if the store can't be read.
absl::StatusOr<DigestCounts> CountForDigest(store::Store& store, const v1::Subject& repository, store::TimePoint from,
                                            store::TimePoint until);

// Names of labels are defanged.
SaidText DigestText(const v1::Subject& repository, int64_t days, const DigestCounts& counts);

// The job: "days" (7), and "issue", "chat" or both.
absl::StatusOr<std::string> TellDigest(const JobEnvironment& env, const JobTurn& turn);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_DIGEST_H_
