// `yard test run` and `rerun` on the server: a job is submitted, followed, and its result shown.
#ifndef YARDMASTER_CLIENTS_CLI_SERVER_RUN_H_
#define YARDMASTER_CLIENTS_CLI_SERVER_RUN_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/connection.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/session.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::cli {

struct ServerRunOptions {
  std::string out;  // where the result directory is brought; empty: it stays on the server
  bool allow_flaky = false;
  bool follow = false;  // also what the tests print
  bool detach = false;  // returns when the job was taken
};

// "npu", "npu:8", "npu:Ascend910B*", "npu:Ascend910B*:8". INVALID_ARGUMENT: it is none of these.
absl::StatusOr<v1::DeviceDemand> ParseDevices(const std::string& text);

// Submits: sent again after a lost answer it is the same job.
absl::StatusOr<v1::SuiteJob> SubmitSpec(const ServerConnection& server, const v1::JobSpec& spec);

// Shows the job that was taken, or follows it to its end and shows its result. The first signal cancels the job, the
// second one leaves.
absl::StatusOr<ExitCode> FollowToResult(const ServerConnection& server, const v1::SuiteJob& job,
                                        const ServerRunOptions& options, Session& session);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SERVER_RUN_H_
