// Parts of `yard rules` that other files have or use.
#ifndef YARDMASTER_CLIENTS_CLI_VERB_RULES_H_
#define YARDMASTER_CLIENTS_CLI_VERB_RULES_H_

#include "clients/cli/options.h"
#include "yardmaster/v1/rules.pb.h"

namespace CLI {
class App;
}

namespace yardmaster::cli {

// What `rules show` prints.
void PrintRules(const v1::ShowRuleResponse& response, Session& session);

// Adds `test` and `backtest` to `rules`.
void AddRulesTestVerbs(CLI::App& rules, Verb& chosen);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERB_RULES_H_
