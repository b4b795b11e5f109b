#include "clients/chat/chat_config.h"

namespace yardmaster::chat {
namespace {

const std::string kUnset;

}  // namespace

const std::string& PlatformConfig::Id(std::string_view key) const {
  const auto id = ids.find(key);
  return id == ids.end() ? kUnset : id->second;
}

const ChannelConfig* PlatformConfig::FindChannel(std::string_view channel, bool is_direct) const {
  if (const auto known = channels.find(channel); known != channels.end()) return &known->second;
  return is_direct && direct.has_value() ? &*direct : nullptr;
}

const std::string& PlatformConfig::SecretText(std::string_view key) const {
  const auto secret = secrets.find(key);
  return secret == secrets.end() ? kUnset : secret->second.Reveal();
}

}  // namespace yardmaster::chat
