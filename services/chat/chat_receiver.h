// Receives what the chat platforms send: a request is verified, kept, and answered only after it was committed. The
// work comes later; what is answered here is only that it arrived.
#ifndef YARDMASTER_SERVICES_CHAT_CHAT_RECEIVER_H_
#define YARDMASTER_SERVICES_CHAT_CHAT_RECEIVER_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "clients/chat/chat_config.h"
#include "clients/chat/chat_event.h"
#include "services/chat/chat_ask.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"
#include "services/core/store/inbox.h"

namespace yardmaster {

struct ChatResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;      // not empty: for the header
  int retry_after_s = 0;  // above 0: for the header
  bool no_retry = false;  // sending it again can't help: platforms that ask are told so
};

// Deliveries of chat: their forge is the platform, their event "message" or "action", their body the event as
// clients/chat/event_json.h writes it.
inline constexpr std::string_view kChatMessageEvent = "message";
inline constexpr std::string_view kChatActionEvent = "action";

// Thread-safe.
class ChatReceiver {
 public:
  using Answer = std::function<void(ChatResponse)>;

  // References outlive the receiver. What `config` says of chat is shared. `linked`: accounts
  // that people linked themselves; null: there are none.
  ChatReceiver(const Config& config, store::Inbox& inbox, const Clock& clock, Logger& logger,
               FindLinked linked = nullptr);

  // Answers once: at once, or where there is an event to keep, from the store's thread after the commit. What
  // `request` refers to is not used after this returns.
  //
  //   200  kept, also duplicates; the platform's check of the URL; and what is nothing to work on
  //   400  malformed, though the platform signed it
  //   401  signature or token missing, wrong or stale
  //   404  the platform is not configured
  //   405  GET, except for the platforms that check the URL so
  //   413  over kMaxChatBodyBytes
  //   415  not the platform's type
  //   503  with Retry-After: the commit queue is full, the disk is low, or the store is shutting down. Platforms send
  //        it again.
  void Receive(std::string_view platform, const chat::ChatRequest& request, std::string_view request_id,
               const Answer& answer);

  // New secrets, users and channels, in one step.
  void ReplaceSettings(const Config& config);

 private:
  // `ask`: what the configuration makes of the event.
  void Keep(chat::ChatEvent event, const ChatAsk& ask, ChatResponse receipt, const Answer& answer);

  store::Inbox& inbox_;
  const Clock& clock_;
  Logger& logger_;
  const FindLinked linked_;
  std::mutex mutex_;  // guards chat_
  std::shared_ptr<const chat::ChatConfig> chat_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CHAT_CHAT_RECEIVER_H_
