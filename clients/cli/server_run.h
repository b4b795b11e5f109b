// `yard test run` and `rerun` on the server: a job is submitted, or several that share a run; they are followed, and
// their results shown.
#ifndef YARDMASTER_CLIENTS_CLI_SERVER_RUN_H_
#define YARDMASTER_CLIENTS_CLI_SERVER_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/connection.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/session.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::cli {

struct ServerRunOptions {
  std::string out;  // where the result directory is brought; empty: it stays on the server
  // Jobs share the run: what is told of them has the form for several, and `out` a folder "shard-N" for each.
  bool shards = false;
  bool allow_flaky = false;
  bool follow = false;  // also what the tests print
  bool detach = false;  // returns when the job was taken
};

// "npu", "npu:8", "npu:Ascend910B*", "npu:Ascend910B*:8". INVALID_ARGUMENT: it is none of these.
absl::StatusOr<v1::DeviceDemand> ParseDevices(const std::string& text);

// Submits: sent again after a lost answer it is the same. At most so many jobs share it; never none.
absl::StatusOr<std::vector<v1::SuiteJob>> SubmitSpec(const ServerConnection& server, const v1::JobSpec& spec,
                                                     uint32_t shards);

// Shows the jobs that were taken, or follows them to their ends and shows their results; the exit code is that of the
// worst. The first signal cancels the jobs, the second one leaves.
absl::StatusOr<ExitCode> FollowToResult(const ServerConnection& server, const std::vector<v1::SuiteJob>& jobs,
                                        const ServerRunOptions& options, Session& session);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SERVER_RUN_H_
