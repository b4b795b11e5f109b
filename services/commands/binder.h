// Gives the words behind a command's name to its parameters.
#ifndef YARDMASTER_SERVICES_COMMANDS_BINDER_H_
#define YARDMASTER_SERVICES_COMMANDS_BINDER_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "services/commands/grammar.h"
#include "services/commands/line_tokens.h"

namespace yardmaster::commands {

// Whether `parameter` of `command` is given by name in words[first…]. Decides between forms that need it and others.
bool IsGiven(const rules::CommandModel& command, std::string_view parameter, const std::vector<LineToken>& words,
             size_t first);

// Fills slots, host, missing and problems of `out` from words[first…] of `line`; the slots of the form are in it
// already. Returns whether every word was clearly meant as a value: a name=value, a number, something in quotes, one of
// a list, a code, but no plain word of a sentence.
bool Bind(const rules::CommandTable& table, const rules::CommandModel& command, std::string_view line,
          const std::vector<LineToken>& words, size_t first, ParsedCommand& out);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_BINDER_H_
