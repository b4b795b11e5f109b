// The sentences about what is wrong with a command.
#ifndef YARDMASTER_SERVICES_COMMANDS_PROBLEM_TEXTS_H_
#define YARDMASTER_SERVICES_COMMANDS_PROBLEM_TEXTS_H_

#include <string_view>

#include "rules/engine/commands/command_model.h"
#include "services/commands/grammar.h"

namespace yardmaster::commands {

// `word` as written; `nearest` as it should be written, empty if nothing is close.
CommandProblem UnknownCommand(std::string_view word, std::string_view nearest);
CommandProblem UnknownOption(std::string_view word, std::string_view nearest);
CommandProblem MissingValue(const rules::CommandParameter& parameter);
CommandProblem TooManyValues(std::string_view word);
// More than one value for a parameter that takes one.
CommandProblem OneValueOnly(const rules::CommandParameter& parameter, std::string_view word);
CommandProblem NotANumber(const rules::CommandParameter& parameter, std::string_view word);
CommandProblem NotAPull(const rules::CommandParameter& parameter, std::string_view word);
// Names the values that there are, where there is a list.
CommandProblem BadValue(const rules::CommandParameter& parameter, std::string_view word);
CommandProblem Contradiction(const rules::CommandParameter& parameter, std::string_view slot);
CommandProblem OpenQuote();
CommandProblem TooLong();
CommandProblem Unreadable();

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PROBLEM_TEXTS_H_
