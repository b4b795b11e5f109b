// The kinds of effects that triage needs.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECT_KINDS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECT_KINDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/intake/effect.h"

namespace yardmaster {

// "add_labels": one entry for one request to append labels.
class AddLabelsEffect final : public EffectKind {
 public:
  static constexpr std::string_view kName = "add_labels";
  std::string_view name() const override { return kName; }
  std::optional<store::NewEffect> Make(const v1::Plan& plan, const v1::Action& action, int repeat) const override;
  absl::StatusOr<LookResult> Send(const EffectContext& context, const store::Effect& effect) const override;
  absl::StatusOr<LookResult> Look(const EffectContext& context, const store::Effect& effect) const override;

  // The labels of an entry of this kind; empty if the payload can't be read.
  static std::vector<std::string> LabelsOf(std::string_view payload);
  // Whether a person asked for them by a command.
  static bool AskedFor(std::string_view payload);
};

// "post_template": a comment with a template of the pack and our marker. One template is posted once on a subject.
class PostTemplateEffect final : public EffectKind {
 public:
  static constexpr std::string_view kName = "post_template";
  std::string_view name() const override { return kName; }
  std::optional<store::NewEffect> Make(const v1::Plan& plan, const v1::Action& action, int repeat) const override;
  absl::StatusOr<LookResult> Send(const EffectContext& context, const store::Effect& effect) const override;
  absl::StatusOr<LookResult> Look(const EffectContext& context, const store::Effect& effect) const override;

  // The last line of our comments: "<!-- yardmaster pack=P template=T key=K -->".
  static std::string Marker(std::string_view pack, std::string_view template_id, std::string_view key);
  // The key in the last such line of a comment; nullopt if there is none at its end.
  static std::optional<std::string> KeyOf(std::string_view comment);
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECT_KINDS_H_
