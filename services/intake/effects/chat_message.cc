// "chat_message": one message of ours on a chat platform, or another text of it. It is known by what it answers, so
// that a platform that sends its event twice, a restart and a retry lead to one message.
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/defang.h"
#include "services/core/short_digest.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

absl::Status NoBridge() {
  return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt},
                         "no chat platform is configured any more");
}

class SayInChat final : public EffectKind {
 public:
  std::string_view name() const override { return kChatMessageKind; }
  v1::Action::ActionCase action() const override { return v1::Action::kChatMessage; }
  // Nobody could be told that it did not arrive, and once more could be once too often: the ledger says what became of
  // it.
  bool essential(const Forge&) const override { return false; }

  absl::StatusOr<Entry> Prepare(const v1::Plan&, const v1::Action& action) const override {
    const v1::ChatMessage& message = action.chat_message();
    if (message.platform().empty() || message.channel().empty() || message.body().empty() || message.cause().empty() ||
        message.revision() < 0) {
      return absl::InvalidArgumentError("no place, no text, or nothing that the message is about");
    }
    return Entry{ChatMessageKey(message), action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    return context.chat == nullptr ? NoBridge() : context.chat->Send(effect);
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return context.chat == nullptr ? NoBridge() : context.chat->ReadBack(effect);
  }
};

}  // namespace

std::string ChatMessageKey(const v1::ChatMessage& message) {
  const std::string key =
      "m-" + ShortDigestOf({kChatMessageKind, message.platform(), message.channel(), message.cause()});
  return message.revision() == 0 ? key : absl::StrCat(key, "-", message.revision());
}

bool IsInChinese(const v1::Event& event) { return event.chat().chinese() || IsChinese(event.text()); }

std::optional<v1::ChatFollow> FollowInChat(const v1::Event& event, std::string_view cause, bool chinese) {
  if (!event.has_chat()) return std::nullopt;
  const v1::ChatOrigin& origin = event.chat();
  v1::ChatFollow follow;
  follow.set_platform(origin.platform());
  follow.set_channel(origin.channel());
  follow.set_user(origin.user());
  follow.set_thread(origin.thread());
  follow.set_direct(origin.direct());
  follow.set_cause(std::string(cause));
  follow.set_chinese(chinese);
  return follow;
}

v1::ChatMessage FollowMessage(const v1::ChatFollow& follow, int64_t revision, std::string body) {
  v1::ChatMessage message;
  message.set_platform(follow.platform());
  message.set_channel(follow.channel());
  message.set_user(follow.user());
  message.set_thread(follow.thread());
  message.set_direct(follow.direct());
  message.set_cause(follow.cause());
  message.set_revision(revision);
  message.set_changes(true);
  message.set_body(std::move(body));
  return message;
}

const EffectKind& ChatMessageEffect() {
  static const SayInChat kKind;
  return kKind;
}

}  // namespace yardmaster
