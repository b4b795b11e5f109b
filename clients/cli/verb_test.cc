// `yard test`: the group; its verbs are in verb_test_run.cc and verb_test_results.cc.
#include "clients/cli/verb_test.h"

#include <CLI/CLI.hpp>

#include "clients/cli/verbs.h"

namespace yardmaster::cli {

void AddTestVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* test = AddVerb(app, "test", "Build and test suites, and look at what came of it",
                           "  yard test run kernels --local\n"
                           "  yard test show\n"
                           "  yard test logs yard-results/JOB STEP --tail 50");
  test->require_subcommand(1);
  AddTestRunVerbs(*test, chosen);
  AddTestResultVerbs(*test, chosen);
}

}  // namespace yardmaster::cli
