// A suite run on this machine, for verbs that need its outcome.
#ifndef YARDMASTER_CLIENTS_CLI_LOCAL_SUITE_H_
#define YARDMASTER_CLIENTS_CLI_LOCAL_SUITE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"
#include "clients/cli/test_suites.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::cli {

struct LocalSuiteRun {
  ChosenSuite chosen;
  std::filesystem::path source;          // the checkout to test
  std::filesystem::path out;             // new or empty
  std::vector<std::string> assignments;  // "VARIABLE=VALUE", for every command
};

// Runs it with its progress on stderr, and writes the result's files to `out`. CANCELLED: a signal came; what was
// started has ended.
absl::StatusOr<worker::RunResult> RunLocalSuite(const LocalSuiteRun& wanted, Session& session);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_LOCAL_SUITE_H_
