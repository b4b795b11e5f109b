// The table of chat platforms. To add one, write its file and its row.
#ifndef YARDMASTER_CLIENTS_CHAT_PLATFORM_H_
#define YARDMASTER_CLIENTS_CHAT_PLATFORM_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "clients/chat/chat_answer.h"
#include "clients/chat/chat_config.h"
#include "clients/chat/chat_event.h"

namespace yardmaster::chat {

struct KeyRule {
  std::string_view key;
  bool required = true;
  // What is wrong with a value, as a sentence; empty: nothing. May be null.
  std::string_view (*check)(std::string_view value) = nullptr;
};

struct ChatPlatform {
  std::string_view name;     // in the configuration and in the path
  std::string_view api_url;  // of its API; empty: every site has its own, which is configured
  std::vector<KeyRule> ids;
  std::vector<KeyRule> secrets;
  // The secret that buttons are signed with.
  std::string_view button_secret;
  // Where answers may go besides the host of api_url.
  std::vector<std::string_view> reply_hosts;
  bool answers_get = false;
  bool has_threads = false;  // messages are said below others
  bool is_markdown = false;  // its texts are Markdown as on the forges, with tables and escapes
  bool tells_direct = true;  // whether something is said to the bot alone
  // Whether the request is the platform's, and what it says. Everything is checked over the raw bytes before anything
  // of the body counts. Pure.
  ChatReading (*read)(const PlatformConfig& config, const ChatRequest& request,
                      std::chrono::system_clock::time_point now) = nullptr;
  // An answer as the body of the platform's call for messages, without the place where it goes.
  std::string (*render)(const ChatAnswer& answer) = nullptr;
};

absl::Span<const ChatPlatform> ChatPlatforms();

// Null for an unknown name.
const ChatPlatform* FindChatPlatform(std::string_view name);

// The rows' functions, one file each.
ChatReading ReadSlack(const PlatformConfig& config, const ChatRequest& request,
                      std::chrono::system_clock::time_point now);
ChatReading ReadMattermost(const PlatformConfig& config, const ChatRequest& request,
                           std::chrono::system_clock::time_point now);
ChatReading ReadFeishu(const PlatformConfig& config, const ChatRequest& request,
                       std::chrono::system_clock::time_point now);
ChatReading ReadDingtalk(const PlatformConfig& config, const ChatRequest& request,
                         std::chrono::system_clock::time_point now);
ChatReading ReadWecom(const PlatformConfig& config, const ChatRequest& request,
                      std::chrono::system_clock::time_point now);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_PLATFORM_H_
