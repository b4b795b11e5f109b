// What the files of `yard test` share.
#ifndef YARDMASTER_CLIENTS_CLI_VERB_TEST_H_
#define YARDMASTER_CLIENTS_CLI_VERB_TEST_H_

#include "clients/cli/options.h"

namespace CLI {
class App;
}

namespace yardmaster::cli {

// run, rerun.
void AddTestRunVerbs(CLI::App& test, Verb& chosen);
// list, show, logs, explain.
void AddTestResultVerbs(CLI::App& test, Verb& chosen);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERB_TEST_H_
