// What the pipe asks of the service for chat: what a message asks about, and sending answers.
#ifndef YARDMASTER_SERVICES_INTAKE_CHAT_BRIDGE_H_
#define YARDMASTER_SERVICES_INTAKE_CHAT_BRIDGE_H_

#include <cstdint>
#include <optional>
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

// The key of a message's effect; `message` with another revision: that of an earlier form of the same message.
std::string ChatMessageKey(const v1::ChatMessage& message);

// Whether what a message of chat says is answered in Chinese: it, or the answer whose button it is, is.
bool IsInChinese(const v1::Event& event);

// Where it is told how something goes on that a command in chat began; unset where it was not given in chat. `cause`:
// that of the command's answer.
std::optional<v1::ChatFollow> FollowInChat(const v1::Event& event, std::string_view cause, bool chinese);
// The `revision`th form of the message that tells it.
v1::ChatMessage FollowMessage(const v1::ChatFollow& follow, int64_t revision, std::string body);
// The answer to a command is this form of its message: an earlier one says that it is in work, later ones how it goes
// on.
inline constexpr int64_t kAnswerForm = 1;
// A message is changed no more often: platforms stop it.
inline constexpr int64_t kMostChatForms = 20;

// Deliveries of chat: their forge is the platform, their body the event as clients/chat/event_json.h writes it.
struct ChatAsked {
  // With `chat` set; its subject is in a repository that the configuration knows.
  v1::Event event;
  // Not empty: there is nothing to do; a word of services/core/reasons.h, perhaps with a detail.
  std::string ignored;
};

// Thread-safe.
class ChatBridge {
 public:
  virtual ~ChatBridge() = default;

  // Whether deliveries of that name are a chat platform's, and not a forge's.
  virtual bool IsPlatform(std::string_view name) const = 0;

  // What a message asks about, with whose account. Asks nobody outside.
  virtual ChatAsked Read(const store::Delivery& delivery, std::string_view body) = 0;

  // Sends a ChatMessage. Errors carry a ForgeError, as those of forges do.
  virtual absl::StatusOr<EffectObservation> Send(const store::Effect& effect) = 0;
  // Whether one is there that was perhaps sent. Where the platform can't be asked but takes one of two with the same
  // key, it is sent again; where neither is possible nothing is proved, and it is not sent a second time.
  virtual absl::StatusOr<EffectObservation> ReadBack(const store::Effect& effect) = 0;

  // Whether messages of ours can be changed on a platform.
  virtual bool CanChange(std::string_view platform) const = 0;

  // Notes what a channel is told of the effect's repository, or is told no longer. Noting it again changes nothing.
  virtual absl::Status Subscribe(const store::Effect& effect) = 0;
  // Notes a change of whose account somebody in chat is. NOT_FOUND for a code that is good no more. Noting it again
  // changes nothing.
  virtual absl::Status Link(const store::Effect& effect) = 0;
  // What channels are told of.
  virtual absl::StatusOr<std::vector<store::Subscription>> Subscriptions() = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_CHAT_BRIDGE_H_
