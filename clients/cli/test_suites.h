// Suites of the packs at hand, by name.
#ifndef YARDMASTER_CLIENTS_CLI_TEST_SUITES_H_
#define YARDMASTER_CLIENTS_CLI_TEST_SUITES_H_

#include <memory>
#include <string>

#include "clients/cli/exit_code.h"
#include "clients/cli/options.h"
#include "rules/engine/suites/load_suites.h"

namespace yardmaster::cli {

struct ChosenSuite {
  std::shared_ptr<const rules::SuiteSet> set;  // of the suite's pack
  const rules::SuiteModel* suite = nullptr;    // in `set`
};

// `name` is "id" or "pack/id". False after saying why: `code` is kNegative if there is no such suite, kUsage if the
// name fits several or a pack is bad.
bool ChooseSuite(Session& session, const std::string& name, ChosenSuite& chosen, ExitCode& code);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TEST_SUITES_H_
