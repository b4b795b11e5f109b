// The part of `yard review` that hosts of writing programs call.
#ifndef YARDMASTER_CLIENTS_CLI_VERB_REVIEW_H_
#define YARDMASTER_CLIENTS_CLI_VERB_REVIEW_H_

#include "clients/cli/options.h"

namespace CLI {
class App;
}

namespace yardmaster::cli {

// Adds `hook` to `review`.
void AddReviewHookVerb(CLI::App& review, Verb& chosen);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERB_REVIEW_H_
