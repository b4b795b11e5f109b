// A request of a chat platform, and what it says in words that all platforms share.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_EVENT_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_EVENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::chat {

// A longer body is not read.
inline constexpr size_t kMaxChatBodyBytes = 1024 * 1024;

struct ChatRequest {
  std::string_view method;  // "POST", "GET"
  std::string_view query;   // raw, after the "?"
  std::string_view body;    // raw
  // The first header of that name, case ignored; empty if there is none.
  std::function<std::string_view(std::string_view name)> header;
};

// Something that a person said or pressed.
struct ChatEvent {
  enum class Kind : uint8_t { kMessage, kAction };

  std::string platform;
  // The platform's id of the event: the same for each time that the platform sends it.
  std::string id;
  Kind kind = Kind::kMessage;
  std::string channel;
  std::string user;
  std::string message;     // that it is, or whose button it is; empty where the platform does not say
  std::string thread;      // the first message of the thread, or empty
  std::string text;        // kMessage: plain, without the mention of the bot in front
  std::string action;      // kAction: the button's value
  bool addressed = false;  // said to the bot: by a command, by a mention, or in a direct message
  bool direct = false;     // in a conversation with one person, where the platform says so
  // Answers go here until the time has come; empty: to the channel, by the platform's API.
  std::string reply_url;
  std::chrono::system_clock::time_point reply_until{};
  // False where the signature does not cover the body: anybody who has seen a request could have written this one.
  bool proved = true;

  friend bool operator==(const ChatEvent&, const ChatEvent&) = default;
};

// What has to be answered at once, and what there is to work on.
struct ChatReading {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;    // of the answer
  std::string reason;  // why there is nothing to work on: a word for the log; empty with an event
  std::optional<ChatEvent> event;
};

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_EVENT_H_
