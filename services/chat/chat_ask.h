// What an event asks about and with which rights, by the configuration and the links of people. Pure; the forge is
// asked about the account when something is to be done.
#ifndef YARDMASTER_SERVICES_CHAT_CHAT_ASK_H_
#define YARDMASTER_SERVICES_CHAT_CHAT_ASK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "clients/chat/chat_config.h"
#include "clients/chat/chat_event.h"

namespace yardmaster {

// Why nothing may be written for an event. The first that applies.
enum class ChatWriteBar : uint8_t {
  kNone,
  kChannel,   // the channel is for reading
  kNobody,    // the user is nobody's account on the channel's forge
  kUnproved,  // anybody could have written the message in the user's name
};
std::string_view ChatWriteBarText(ChatWriteBar bar);  // a sentence without its end; empty for kNone

struct ChatAsk {
  // Null: the channel is not configured, and nothing is about anything.
  const chat::ChannelConfig* channel = nullptr;
  bool has_direct = false;  // conversations with the bot alone are configured on that platform
  // On the channel's forge; empty: nobody's account, who only reads, or nobody proves who said it.
  std::string login;
  std::string claimed;  // not proved: the account of the user that the event names, who may confirm it elsewhere
  ChatWriteBar bar = ChatWriteBar::kChannel;

  bool may_write() const { return bar == ChatWriteBar::kNone; }
};

// Accounts that people linked themselves: the login of a platform's user on a forge; empty if there is none.
using FindLinked = std::function<std::string(std::string_view platform, std::string_view user, std::string_view forge)>;

// The event's account on a forge: the configuration has the first word. Empty: nobody's. `linked` may be null.
std::string LoginOf(const chat::PlatformConfig& config, const chat::ChatEvent& event, const std::string& forge,
                    const FindLinked& linked);

// `config` is the event's platform, and outlives the result.
ChatAsk AskOf(const chat::PlatformConfig& config, const chat::ChatEvent& event, const FindLinked& linked = nullptr);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_CHAT_ASK_H_
