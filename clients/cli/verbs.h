// The table of verbs: one function for each group adds its verbs, with their options, help and examples, to the command
// line. A verb that the command line names leaves its work in `chosen`; it runs after parsing, so that nothing of it
// passes through the parser.
#ifndef YARDMASTER_CLIENTS_CLI_VERBS_H_
#define YARDMASTER_CLIENTS_CLI_VERBS_H_

#include <string>

#include "clients/cli/options.h"

namespace CLI {
class App;
}

namespace yardmaster::cli {

// The whole command line: options that all verbs share, and the verbs. `options` and `chosen` must outlive `app`.
void BuildCommandLine(CLI::App& app, GlobalOptions& options, Verb& chosen);

void AddTriageVerbs(CLI::App& app, Verb& chosen);
void AddExplainVerb(CLI::App& app, Verb& chosen);
void AddSweepVerb(CLI::App& app, Verb& chosen);
void AddDeliveryVerbs(CLI::App& app, Verb& chosen);
void AddDeadLetterVerbs(CLI::App& app, Verb& chosen);
void AddLedgerVerbs(CLI::App& app, Verb& chosen);
void AddReviewVerbs(CLI::App& app, Verb& chosen);
void AddRulesVerbs(CLI::App& app, Verb& chosen);
void AddSuiteVerbs(CLI::App& app, Verb& chosen);
void AddTestVerbs(CLI::App& app, Verb& chosen);
void AddInterpretVerbs(CLI::App& app, Verb& chosen);
void AddConfigVerbs(CLI::App& app, Verb& chosen);
void AddHelpVerbs(CLI::App& app, Verb& chosen);
void AddCompletionVerb(CLI::App& app, Verb& chosen);
void AddHealthVerb(CLI::App& app, Verb& chosen);
void AddVersionVerb(CLI::App& app, Verb& chosen);

// Adds a verb with its examples, one a line, to the end of its help.
CLI::App* AddVerb(CLI::App& parent, const std::string& name, const std::string& description,
                  const std::string& examples);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERBS_H_
