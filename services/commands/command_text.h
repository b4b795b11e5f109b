// A command as people write it: the way back from slots to a line, for answers and suggestions.
#ifndef YARDMASTER_SERVICES_COMMANDS_COMMAND_TEXT_H_
#define YARDMASTER_SERVICES_COMMANDS_COMMAND_TEXT_H_

#include <string>
#include <string_view>

#include "rules/engine/commands/command_model.h"

namespace yardmaster::commands {

// `/squash 160 -m "fix: layout cache"`: the first form of the command that fits, values in their order, then options.
// What CommandGrammar reads from it has the same command, slots and host. Line breaks in values become blanks. `host`
// as in ParsedCommand. Empty if the slots can't be written that way: one that no parameter fills, or a value that its
// parameter does not take. Holds values as they are: answers defang it.
std::string CommandText(const rules::CommandModel& command, const rules::Slots& slots, std::string_view host = {});

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_COMMAND_TEXT_H_
