// What a channel of chat is told about its repository: `/yard subscribe`, `/yard unsubscribe` and `/yard
// subscriptions`.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_SUBSCRIPTION_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_SUBSCRIPTION_HANDLERS_H_

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

CommandHandlers SubscriptionHandlers();

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_SUBSCRIPTION_HANDLERS_H_
