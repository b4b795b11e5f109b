// Completion scripts, made from the command line itself, so that they can't forget a verb or an option.
#ifndef YARDMASTER_CLIENTS_CLI_COMPLETION_H_
#define YARDMASTER_CLIENTS_CLI_COMPLETION_H_

#include <string>

namespace CLI {
class App;
}

namespace yardmaster::cli {

// A script for bash or zsh that completes verbs, options, files, folders and the values of closed lists.
std::string BashCompletion(const CLI::App& app);
std::string ZshCompletion(const CLI::App& app);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_COMPLETION_H_
