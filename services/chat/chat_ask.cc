#include "services/chat/chat_ask.h"

namespace yardmaster {

std::string_view ChatWriteBarText(ChatWriteBar bar) {
  switch (bar) {
    case ChatWriteBar::kNone:
      return "";
    case ChatWriteBar::kChannel:
      return "the channel is for reading";
    case ChatWriteBar::kNobody:
      return "the user is mapped to no account of the channel's forge";
    case ChatWriteBar::kUnproved:
      return "the platform does not prove who said it";
  }
  return "";
}

ChatAsk AskOf(const chat::PlatformConfig& config, const chat::ChatEvent& event) {
  ChatAsk ask;
  const auto channel = config.channels.find(event.channel);
  if (channel == config.channels.end()) return ask;
  ask.channel = &channel->second;
  if (const auto user = config.users.find(event.user); user != config.users.end()) {
    const auto login = user->second.find(channel->second.forge);
    if (login != user->second.end()) ask.login = login->second;
  }
  ask.bar = !channel->second.may_write ? ChatWriteBar::kChannel
            : ask.login.empty()        ? ChatWriteBar::kNobody
            : !event.proved            ? ChatWriteBar::kUnproved
                                       : ChatWriteBar::kNone;
  return ask;
}

}  // namespace yardmaster
