// What the configuration says about chat: the platforms with their secrets, who their users are on the forges, and what
// may be done in which channel.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_CONFIG_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_CONFIG_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/core/secret.h"

namespace yardmaster::chat {

struct ChannelConfig {
  std::string forge;
  std::string repository;  // "owner/name": what commands are about that name no other
  bool may_write = false;
};

// One platform. Each has the keys of its row in platform.h; others are empty.
struct PlatformConfig {
  std::string api_url;  // without a slash at the end; the platform's own unless configured
  // What is no secret, by its key: "app_id", "corp_id", "agent_id".
  std::map<std::string, std::string, std::less<>> ids;
  std::map<std::string, Secret, std::less<>> secrets;
  // User of the platform → forge → login.
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> users;
  std::map<std::string, ChannelConfig, std::less<>> channels;
  // What counts in a conversation of one person with the bot that is none of `channels`; unset: nothing is about
  // anything there.
  std::optional<ChannelConfig> direct;

  // The channel's entry, or that of direct conversations; null: there is none.
  const ChannelConfig* FindChannel(std::string_view channel, bool is_direct) const;

  // Empty if it is not set.
  const std::string& Id(std::string_view key) const;
  const std::string& SecretText(std::string_view key) const;
};

struct ChatConfig {
  std::map<std::string, PlatformConfig, std::less<>> platforms;  // by their names in platform.h
};

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_CONFIG_H_
