// Comments of our own, found again by the marker in them, by our account, or by the id that the forge answered with.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_OWN_COMMENT_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_OWN_COMMENT_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/intake/effect.h"

namespace yardmaster {

// Whether a comment is the one that an effect wrote or updates. Others may have copied a marker: the account must be
// ours, or the id the one that the forge gave us.
bool IsOwnComment(const EffectContext& context, const ForgeComment& comment, std::string_view known_id);

// What a write of a comment came to. Learns from the answer which account we are; an id in it stays as evidence.
EffectObservation ObserveWritten(const EffectContext& context, const ForgeCommentWritten& written,
                                 const std::function<bool(const ForgeComment&)>& is_it);

// A comment that no list shows, but whose id the forge gave us, read by that id: what is there is not written twice.
absl::StatusOr<EffectObservation> ObserveById(const EffectContext& context, const store::Effect& effect,
                                              const std::function<bool(const ForgeComment&)>& is_it);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_OWN_COMMENT_H_
