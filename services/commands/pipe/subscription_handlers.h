// What a channel of chat is told about its repository: `/yard subscribe`, `/yard unsubscribe` and `/yard
// subscriptions`.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_SUBSCRIPTION_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_SUBSCRIPTION_HANDLERS_H_

#include <functional>

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

// Whether anything is known of a repository's gate. Without that, its topic has no news.
using KnowsGate = std::function<bool(const v1::Subject& repository)>;

CommandHandlers SubscriptionHandlers(KnowsGate knows_gate);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_SUBSCRIPTION_HANDLERS_H_
