// What the commands about tests do: /test, /cancel and /ok-to-test.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_TEST_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_TEST_HANDLERS_H_

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

CommandHandlers TestHandlers();

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_TEST_HANDLERS_H_
