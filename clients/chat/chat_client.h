// Sends answers to one platform: to the address that came with the event as long as it is good, else by the API; what
// will be changed in place goes by the API where that can be. Tokens are asked for, kept, and asked for again before
// they end.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_CLIENT_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_CLIENT_H_

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "clients/chat/chat_api.h"
#include "services/core/clock.h"

namespace yardmaster::chat {

// An address is used until so long before its end, so that it does not end on the way.
inline constexpr std::chrono::seconds kReplyMargin{30};
// Tokens are replaced so long before their end, or after half of their life where that is shorter.
inline constexpr std::chrono::minutes kTokenMargin{5};

// Thread-safe; one thread asks for a token while others wait for it.
class ChatClient {
 public:
  // `platform` is a name of the tables; references outlive the client. `http` reaches the API and the platform's hosts
  // for answers, and nothing else.
  ChatClient(std::string_view platform, PlatformConfig config, HttpClient& http, const Clock& clock);

  // One attempt. A token that the platform refuses is replaced once and the answer sent again: nothing was done with
  // it. Nothing else is repeated here; whoever calls knows what was sent before.
  // What the platform certainly refuses in its own form is sent once more as plain text, and what it refuses to show to
  // one person alone is shown to the channel.
  ChatSent Send(const ChatPlace& place, const ChatAnswer& answer, std::string_view key);

  // Whether a message with this key, that was perhaps sent at `sent_at`, is there: kSent, kNotSent, or kUnknown where
  // nobody knows. A platform that takes one of two gets it again for as long as it does so.
  ChatSent SendAgain(const ChatPlace& place, const ChatAnswer& answer, std::string_view key,
                     std::chrono::system_clock::time_point sent_at);

  // Changes a message of ours. kNoPlace: it can't be changed here.
  ChatSent Edit(const ChatPlace& place, std::string_view message, const ChatAnswer& answer);

  // Whether there are credentials for the API, so that messages need no address.
  bool HasApi() const;
  bool CanEdit() const { return api_.edit != nullptr && HasApi(); }

 private:
  ChatSent SendOnce(const ChatPlace& place, const ChatAnswer& answer, std::string_view key);
  ChatSent SendByAddress(const ChatPlace& place, const ChatAnswer& answer);
  ChatSent SendByApi(const ChatPlace& place, const ChatAnswer& answer, std::string_view key);
  // A call with a token that is good.
  template <typename MakeRequest>
  ChatSent Call(MakeRequest make);
  bool HasAddress(const ChatPlace& place) const;
  // A token that is good for a while; empty, with why, if there is none. `refused`: one that must not be given again.
  std::string Token(const std::string& refused, ChatSent& why);

  const ChatApi& api_;
  const PlatformConfig config_;
  HttpClient& http_;
  const Clock& clock_;
  std::mutex mutex_;  // guards what follows, also while a token is asked for
  std::string token_;
  std::chrono::steady_clock::time_point token_until_{};
};

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_CLIENT_H_
