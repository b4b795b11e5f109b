// The parts of `yard rules` that decide cases.
#ifndef YARDMASTER_CLIENTS_CLI_VERB_RULES_H_
#define YARDMASTER_CLIENTS_CLI_VERB_RULES_H_

#include "clients/cli/options.h"

namespace CLI {
class App;
}

namespace yardmaster::cli {

// Adds `test` and `backtest` to `rules`.
void AddRulesTestVerbs(CLI::App& rules, Verb& chosen);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERB_RULES_H_
