// "chat_subscription": a channel is told about a repository from now on, or no longer. It is noted in our own store,
// and noting it twice is noting it once.
#include <optional>

#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

class SubscribeChannel final : public EffectKind {
 public:
  std::string_view name() const override { return "chat_subscription"; }
  v1::Action::ActionCase action() const override { return v1::Action::kChatSubscription; }

  absl::StatusOr<Entry> Prepare(const v1::Plan& plan, const v1::Action& action) const override {
    const v1::ChatSubscription& wanted = action.chat_subscription();
    if (wanted.platform().empty() || wanted.channel().empty() || wanted.topic().empty() || wanted.cause().empty()) {
      return absl::InvalidArgumentError("no channel, no topic, or nothing that asks for it");
    }
    return Entry{"u-" + ShortDigestOf({name(), SubjectKey(plan.subject()), wanted.platform(), wanted.channel(),
                                       wanted.topic(), wanted.ended() ? "ended" : "begun", wanted.cause()}),
                 action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    if (context.chat == nullptr) {
      return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt},
                             "no chat platform is configured any more");
    }
    if (const absl::Status noted = context.chat->Subscribe(effect); !noted.ok()) {
      return MakeForgeStatus({ForgeReason::kNetwork, ForgeOutcome::kNotSent, 0, std::nullopt},
                             absl::StrCat("it can't be kept: ", noted.message()));
    }
    return EffectObservation::Seen("noted");
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Send(context, effect);
  }
};

}  // namespace

const EffectKind& ChatSubscriptionEffect() {
  static const SubscribeChannel kKind;
  return kKind;
}

}  // namespace yardmaster
