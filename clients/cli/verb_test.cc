// `yard test`: the group; its verbs are in verb_test_run.cc, verb_test_results.cc and verb_test_verify.cc.
#include "clients/cli/verbs.h"

namespace yardmaster::cli {

void AddTestVerbs(Verb& yard) {
  Verb& test =
      yard.Add("test", "Build and test suites, and look at what came of it",
               {"yard test run kernels --local", "yard test show", "yard test logs yard-results/JOB STEP --tail 50"});
  AddTestRunVerbs(test);
  AddTestResultVerbs(test);
  AddTestVerifyVerb(test);
}

}  // namespace yardmaster::cli
