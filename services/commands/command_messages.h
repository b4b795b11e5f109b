// The commands of a pack as messages: what ListCommands answers.
#ifndef YARDMASTER_SERVICES_COMMANDS_COMMAND_MESSAGES_H_
#define YARDMASTER_SERVICES_COMMANDS_COMMAND_MESSAGES_H_

#include "rules/engine/commands/command_table.h"
#include "yardmaster/v1/commands.pb.h"

namespace yardmaster::commands {

void WriteCommand(const rules::CommandModel& command, v1::CommandInfo& out);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_COMMAND_MESSAGES_H_
