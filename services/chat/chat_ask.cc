#include "services/chat/chat_ask.h"

#include <utility>

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

std::string LoginOf(const chat::PlatformConfig& config, const chat::ChatEvent& event, const std::string& forge,
                    const FindLinked& linked) {
  if (const auto user = config.users.find(event.user); user != config.users.end()) {
    if (const auto login = user->second.find(forge); login != user->second.end()) return login->second;
  }
  return linked == nullptr ? std::string() : linked(event.platform, event.user, forge);
}

ChatAsk AskOf(const chat::PlatformConfig& config, const chat::ChatEvent& event, const FindLinked& linked) {
  ChatAsk ask;
  ask.has_direct = config.direct.has_value();
  ask.channel = config.FindChannel(event.channel, event.direct);
  if (ask.channel == nullptr) return ask;
  std::string login = LoginOf(config, event, ask.channel->forge, linked);
  ask.bar = !ask.channel->may_write ? ChatWriteBar::kChannel
            : login.empty()         ? ChatWriteBar::kNobody
            : !event.proved         ? ChatWriteBar::kUnproved
                                    : ChatWriteBar::kNone;
  (event.proved ? ask.login : ask.claimed) = std::move(login);
  return ask;
}

}  // namespace yardmaster
