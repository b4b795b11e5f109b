// Completion scripts, made from the command line itself, so that they can't forget a verb or an option.
#ifndef YARDMASTER_CLIENTS_CLI_COMPLETION_H_
#define YARDMASTER_CLIENTS_CLI_COMPLETION_H_

#include <string>

#include "clients/command_line/command.h"

namespace yardmaster::cli {

// A script for bash or zsh that completes verbs, options, files, folders and the values of closed lists.
std::string BashCompletion(const command_line::Command& yard);
std::string ZshCompletion(const command_line::Command& yard);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_COMPLETION_H_
