// "backtest": the last issues of a repository decided under the pack in service and under its new revision, and what
// would differ.
#ifndef YARDMASTER_SERVICES_PACKS_BACKTEST_JOB_H_
#define YARDMASTER_SERVICES_PACKS_BACKTEST_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/intake/sweeps/scheduled.h"
#include "services/packs/backtest.h"

namespace yardmaster {

// `numbers`: of the cases' issues.
SaidText BacktestText(const std::string& pack, const std::string& base, const std::string& candidate,
                      const BacktestResult& result, const std::vector<int64_t>& numbers);

// The job: "pack" as PACK (the packs folder as it is now, against what is in service) or PACK@FOLDER, "issues" (200),
// and "issue", "chat" or both. Says nothing again about two revisions that were compared before.
absl::StatusOr<std::string> BacktestPack(const JobEnvironment& env, const JobTurn& turn);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_BACKTEST_JOB_H_
