// "chat_link": an account of chat is offered a code, linked with an account of the forge, or linked no more. It is
// noted in our own store, and noting it twice is noting it once.
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/short_digest.h"
#include "services/intake/chat_bridge.h"
#include "services/intake/effects/kinds.h"

namespace yardmaster {
namespace {

absl::Status LinkError(ForgeReason reason, std::string_view text) {
  return MakeForgeStatus({reason, ForgeOutcome::kNotSent, 0, std::nullopt}, text);
}

class LinkChatAccount final : public EffectKind {
 public:
  std::string_view name() const override { return "chat_link"; }
  v1::Action::ActionCase action() const override { return v1::Action::kChatLink; }

  absl::StatusOr<Entry> Prepare(const v1::Plan&, const v1::Action& action) const override {
    const v1::ChatLinkChange& change = action.chat_link();
    if (change.kind() == v1::ChatLinkChange::KIND_UNSPECIFIED || change.cause().empty()) {
      return absl::InvalidArgumentError("no change of a link, or nothing that asks for it");
    }
    return Entry{"k-" + ShortDigestOf({name(), v1::ChatLinkChange::Kind_Name(change.kind()), change.cause()}), action};
  }

  absl::StatusOr<EffectObservation> Send(const EffectContext& context, const store::Effect& effect) const override {
    if (context.chat == nullptr) {
      return LinkError(ForgeReason::kInvalidInput, "no chat platform is configured any more");
    }
    const absl::Status noted = context.chat->Link(effect);
    if (noted.ok()) return EffectObservation::Seen("noted");
    const bool final = absl::IsNotFound(noted) || absl::IsInvalidArgument(noted);
    return LinkError(final ? ForgeReason::kInvalidInput : ForgeReason::kNetwork, std::string(noted.message()));
  }
  absl::StatusOr<EffectObservation> ReadBack(const EffectContext& context, const store::Effect& effect) const override {
    return Send(context, effect);
  }
};

}  // namespace

const EffectKind& ChatLinkEffect() {
  static const LinkChatAccount kKind;
  return kKind;
}

}  // namespace yardmaster
