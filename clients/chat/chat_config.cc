#include "clients/chat/chat_config.h"

namespace yardmaster::chat {
namespace {

const std::string kUnset;

}  // namespace

const std::string& PlatformConfig::Id(std::string_view key) const {
  const auto id = ids.find(key);
  return id == ids.end() ? kUnset : id->second;
}

const std::string& PlatformConfig::SecretText(std::string_view key) const {
  const auto secret = secrets.find(key);
  return secret == secrets.end() ? kUnset : secret->second.Reveal();
}

}  // namespace yardmaster::chat
