// "chat_message": one message of ours on a chat platform. It is known by what it answers, so that a platform that sends
// its event twice, a restart and a retry lead to one message.
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/intake/chat_desk.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

absl::Status NoDesk() {
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
    if (message.platform().empty() || message.channel().empty() || message.body().empty() || message.cause().empty()) {
      return absl::InvalidArgumentError("no place, no text, or nothing that the message is about");
    }
    return Entry{"m-" + ShortDigestOf({name(), message.platform(), message.channel(), message.cause()}), action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    return context.chat == nullptr ? NoDesk() : context.chat->Send(effect);
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return context.chat == nullptr ? NoDesk() : context.chat->ReadBack(effect);
  }
};

}  // namespace

const EffectKind& ChatMessageEffect() {
  static const SayInChat kKind;
  return kKind;
}

}  // namespace yardmaster
