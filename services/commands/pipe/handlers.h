// What the commands of the table do, one function for each. To add one, write its function in handlers.cc and name it
// in the table there.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLERS_H_

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

// Every command that works on an issue or a pull request.
CommandHandlers ShippedHandlers();

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLERS_H_
