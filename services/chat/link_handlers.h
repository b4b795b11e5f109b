// What `/yard link` and `/yard unlink` do: in chat they give out a code and end a link, on the forge a code is used.
#ifndef YARDMASTER_SERVICES_CHAT_LINK_HANDLERS_H_
#define YARDMASTER_SERVICES_CHAT_LINK_HANDLERS_H_

#include "services/chat/link_book.h"
#include "services/commands/pipe/command_handler.h"

namespace yardmaster {

// `book` outlives the handlers.
commands::CommandHandlers LinkHandlers(const LinkBook& book);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_LINK_HANDLERS_H_
