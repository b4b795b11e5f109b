// An event as it is kept until it is worked on.
#ifndef YARDMASTER_CLIENTS_CHAT_EVENT_JSON_H_
#define YARDMASTER_CLIENTS_CHAT_EVENT_JSON_H_

#include <optional>
#include <string>
#include <string_view>

#include "clients/chat/chat_event.h"

namespace yardmaster::chat {

// What the platform sent is not kept itself: it may hold tokens, and may be encrypted with a key that is replaced.
std::string ToJson(const ChatEvent& event);

// nullopt for what ToJson did not write.
std::optional<ChatEvent> EventFromJson(std::string_view text);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_EVENT_JSON_H_
