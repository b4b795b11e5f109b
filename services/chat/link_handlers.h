// What `/yard link` and `/yard unlink` do: in chat they give out a code and end a link, on the forge a code is used.
#ifndef YARDMASTER_SERVICES_CHAT_LINK_HANDLERS_H_
#define YARDMASTER_SERVICES_CHAT_LINK_HANDLERS_H_

#include "services/chat/account_links.h"
#include "services/commands/pipe/command_handler.h"

namespace yardmaster {

// `links` outlives the handlers.
commands::CommandHandlers LinkHandlers(const AccountLinks& links);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_LINK_HANDLERS_H_
