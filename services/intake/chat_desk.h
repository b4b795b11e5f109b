// What the pipe asks of the service for chat: what a message asks about, and sending answers.
#ifndef YARDMASTER_SERVICES_INTAKE_CHAT_DESK_H_
#define YARDMASTER_SERVICES_INTAKE_CHAT_DESK_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/subscriptions.h"
#include "services/intake/effect.h"
#include "yardmaster/v1/event.pb.h"

namespace yardmaster {

// The action of a delivery whose subject was found: it stays that.
inline constexpr std::string_view kRoutedFromChat = "said";

// Deliveries of chat: their forge is the platform, their body the event as clients/chat/event_json.h writes it.
struct ChatAsked {
  // With `chat` set; its subject is in a repository that the configuration knows.
  v1::Event event;
  // Not empty: there is nothing to do; a word of services/core/reasons.h, perhaps with a detail.
  std::string ignored;
};

// Thread-safe.
class ChatDesk {
 public:
  virtual ~ChatDesk() = default;

  // Whether deliveries of that name are a chat platform's, and not a forge's.
  virtual bool IsPlatform(std::string_view name) const = 0;

  // What a message asks about, with whose account. Asks nobody outside.
  virtual ChatAsked Read(const store::Delivery& delivery, std::string_view body) = 0;

  // Sends a ChatMessage. Errors carry a ForgeError, as those of forges do.
  virtual absl::StatusOr<EffectObservation> Send(const store::Effect& effect) = 0;
  // Whether one is there that was perhaps sent. Where the platform can't be asked but takes one of two with the same
  // key, it is sent again; where neither is possible nothing is proved, and it is not sent a second time.
  virtual absl::StatusOr<EffectObservation> ReadBack(const store::Effect& effect) = 0;

  // Notes what a channel is told of the effect's repository, or is told no longer. Noting it again changes nothing.
  virtual absl::Status Subscribe(const store::Effect& effect) = 0;
  // What channels are told of.
  virtual absl::StatusOr<std::vector<store::Subscription>> Subscriptions() = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_CHAT_DESK_H_
