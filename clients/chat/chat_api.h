// Calls to the platforms: where an answer goes, with which body and credentials, and what the platform says to it.
// Pure; chat_client.h sends.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_API_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_API_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "clients/chat/chat_answer.h"
#include "clients/chat/chat_config.h"
#include "clients/forge/http.h"

namespace yardmaster::chat {

// Where an answer goes, as the event that it answers tells.
struct ChatPlace {
  std::string channel;
  std::string user;
  std::string message;  // that is answered; empty: none
  std::string thread;   // that it belongs to; empty: none
  // The event's address for answers. Empty, or over: the platform's API is called.
  std::string reply_url;
  std::chrono::system_clock::time_point reply_until{};
  bool direct = false;  // a conversation with `user` alone
};

struct ChatSent {
  enum class Kind : uint8_t {
    kSent,
    kRefused,  // it will not be taken, however often it is sent
    kLimited,  // not now: nothing was done
    kNoToken,  // the token has ended or is none: nothing was done
    kUnknown,  // it may be there or not
    kNoPlace,  // there is no address and no credentials for the API
    kNotSent,  // certainly not there; may be sent again
  };
  Kind kind = Kind::kUnknown;
  std::string message;           // kSent: what the platform calls it, where it says so
  std::string reason;            // of everything else
  std::chrono::seconds wait{0};  // kLimited: what the platform asks for; 0: it does not say

  friend bool operator==(const ChatSent&, const ChatSent&) = default;
};

struct ChatToken {
  std::string text;
  std::chrono::seconds life{0};
};

// What a look for a message of ours came to.
struct ChatFound {
  ChatSent sent;  // kSent with its name; kNotSent: it is not among these; kUnknown: the answer says nothing about it
  std::string cursor;  // kNotSent: there are more, from here on; empty: that was all
};

struct ChatApi {
  std::string_view platform;
  // Whether the configuration has what calls need.
  bool (*has_credentials)(const PlatformConfig& config) = nullptr;
  // The call of the API. `token` is empty where tokens are not asked for. `key`: at most 50 letters, digits and "-";
  // the same for the same answer, so that a platform which looks at it takes one of two.
  OutgoingRequest (*post)(const PlatformConfig& config, const ChatPlace& place, const ChatAnswer& answer,
                          std::string_view token, std::string_view key) = nullptr;
  // Changes a message of ours, `message`, that `post` sent. Null: messages can't be changed.
  OutgoingRequest (*edit)(const PlatformConfig& config, const ChatPlace& place, std::string_view message,
                          const ChatAnswer& answer, std::string_view token) = nullptr;
  // What a complete answer of the API says.
  ChatSent (*judge)(const OutgoingResponse& response) = nullptr;
  // Of platforms whose tokens are asked for; else null.
  OutgoingRequest (*ask_token)(const PlatformConfig& config) = nullptr;
  // nullopt: there is none in it.
  std::optional<ChatToken> (*read_token)(const OutgoingResponse& response) = nullptr;
  // For so long the platform takes one of two messages with the same key: what was perhaps sent is sent again.
  std::chrono::seconds one_of_a_key{0};
  // Asks for the messages of a place since a time, among which `find` looks for a key. Null: the platform shows none,
  // or not with a key. `cursor`: where the last answer ended; empty: the first page.
  OutgoingRequest (*look)(const PlatformConfig& config, const ChatPlace& place,
                          std::chrono::system_clock::time_point since, std::string_view cursor) = nullptr;
  ChatFound (*find)(const OutgoingResponse& response, std::string_view key) = nullptr;
};

// Null for an unknown platform.
const ChatApi* FindChatApi(std::string_view platform);

// The rows, one file each.
ChatApi SlackApi();
ChatApi MattermostApi();
ChatApi FeishuApi();
ChatApi DingtalkApi();
ChatApi WecomApi();

// An answer to the address that came with an event.
OutgoingRequest ReplyRequest(std::string_view platform, const ChatPlace& place, const ChatAnswer& answer);

// Seconds that an answer asks to wait; 0: it does not say.
std::chrono::seconds RetryAfter(const OutgoingResponse& response);

// What came of a request: a failure to send, an answer for all platforms (a limit, an error of the server), or what
// `api` makes of it.
ChatSent JudgeResult(const ChatApi& api, const HttpResult& result);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_API_H_
