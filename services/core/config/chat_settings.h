// Reads the section "chat" of the daemon's configuration: one object for each platform, with the keys of its row in
// clients/chat/platform.h.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_CHAT_SETTINGS_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_CHAT_SETTINGS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "clients/chat/chat_config.h"
#include "services/core/json_reader.h"
#include "services/core/secret.h"

namespace yardmaster {

// What the section has in common with others.
struct ChatSettingsReaders {
  // {"env": NAME} or {"file": PATH}; empty where secrets are only checked in form, or where there was a problem.
  std::function<Secret(const JsonPlace& place)> secret;
  // A configured URL, without a slash at the end; nullopt: absent or wrong.
  std::function<std::optional<std::string>(ObjectReader& reader, std::string_view key)> url;
  // What is wrong with the name of a forge, as a sentence; empty: nothing.
  std::function<std::string(const std::string& forge)> forge_problem;
  // Whether a repository has packs, without which nothing can be asked about it.
  std::function<bool(const std::string& forge, const std::string& repository)> has_packs;
  // An allowed configuration that is probably not meant.
  std::function<void(std::string warning)> warn;
};

chat::ChatConfig ReadChatSettings(const JsonContext& context, const JsonPlace& place,
                                  const ChatSettingsReaders& readers);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_CHAT_SETTINGS_H_
