// What the pipe asks of each kind of effect: how an action becomes an entry of the ledger, how it is written, and how
// one sees that it is there. Nothing but an effect writes to a forge.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECT_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "services/core/store/ledger.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

// A look at the forge for an effect.
struct LookResult {
  bool seen = false;
  std::string forge_ref;  // seen: what the forge calls it
  // False: the forge did not show everything, so "not seen" proves nothing.
  bool conclusive = true;
};

// How an effect reaches its forge.
struct EffectContext {
  Forge& forge;
  ForgeCall call;
  // Our own account there; empty if unknown. Others may quote our markers.
  std::string own_login;
};

// Thread-safe: methods are const and keep nothing.
class EffectKind {
 public:
  virtual ~EffectKind() = default;

  // The word in the ledger and in metrics.
  virtual std::string_view name() const = 0;

  // False: nothing depends on it. When it is refused or never seen, the work that it belongs to goes on as if it were
  // done, and it is not tried again; the ledger tells what became of it.
  virtual bool essential() const { return true; }

  // The entry for an action of a plan; nullopt if the action is of another kind. The key names what is done to which
  // subject, whoever decides it and however often, so that the same thing is done once. `repeat` above 0 makes a new
  // key for something that failed for good and is wanted again.
  virtual std::optional<store::NewEffect> Make(const v1::Plan& plan, const v1::Action& action, int repeat) const = 0;

  // Writes. OK with `seen` true: done, and read back. OK without: written, but not visible yet. Errors carry a
  // ForgeError.
  virtual absl::StatusOr<LookResult> Send(const EffectContext& context, const store::Effect& effect) const = 0;

  // Reads whether it is there.
  virtual absl::StatusOr<LookResult> Look(const EffectContext& context, const store::Effect& effect) const = 0;
};

ForgeSubject ForgeSubjectOf(const v1::Subject& subject);

// "github:owner/name#12" in lower case with the kind: equal for the same subject, however it was spelled.
std::string SubjectKey(const v1::Subject& subject);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECT_H_
