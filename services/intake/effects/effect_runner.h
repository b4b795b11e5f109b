// Executes effects, once each: every write is noted in the ledger before it is sent and confirmed only when it was
// seen on the forge; a write of unknown outcome is read back, and sent again only when no read found it.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_EFFECT_RUNNER_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_EFFECT_RUNNER_H_

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "services/core/clock.h"
#include "services/core/logging.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/intake/effect.h"
#include "services/intake/outcome.h"

namespace yardmaster {

// How often one effect is sent before it fails.
inline constexpr int64_t kMaxEffectTries = 3;
// How often an effect that failed because it was never seen is tried again, as an effect of its own, after the
// backoff of its delivery; the first round included.
inline constexpr int kMaxEffectRounds = 3;
// An effect that can't be settled for so long, since its forge can't be read, fails.
inline constexpr std::chrono::hours kMaxEffectAge{72};

// Thread-safe as long as one thread works on one subject.
class EffectRunner {
 public:
  // References outlive this object.
  EffectRunner(EffectKinds kinds, store::Ledger& ledger, const Clock& clock, Logger& logger);

  // The kind that carries out an action; nullptr if there is none.
  const EffectKind* KindFor(const v1::Action& action) const;

  // Settles what was perhaps sent on `subject` and never confirmed, by reading it back. kDone: nothing is open any more
  // but intents that were certainly not sent, and what outlives its delivery.
  Outcome SettleOpen(const v1::Subject& subject, const EffectContext& context);

  // Carries out one action of a plan. kDone: it is on the forge and confirmed, or it has begun and outlives its
  // delivery. `key` is set to the effect's key. An effect that failed or was refused since `started` stays so; one that
  // failed before is tried as a new one. What is not essential is done once it is final.
  Outcome Run(const v1::Plan& plan, const v1::Action& action, int64_t delivery, store::TimePoint started,
              const EffectContext& context, std::string& key);

  // Refuses the intents on `subject` that were never sent and are no longer wanted, all but `keep`.
  absl::Status RefuseUnsent(const v1::Subject& subject, const std::set<std::string>& keep);
  // The same for the one with this key, if it was not sent.
  absl::Status RefuseIfUnsent(const v1::Subject& subject, std::string_view key);
  // The same for those whose delivery, by `inbox`, is no longer worked on.
  absl::Status RefuseOrphans(const v1::Subject& subject, store::Inbox& inbox);

  // Ends everything open that `delivery` led to: failed with `reason`. For work that is abandoned.
  absl::Status Abandon(const v1::Subject& subject, int64_t delivery, std::string_view reason);
  // Ends everything open on `subject`, whatever led to it.
  absl::Status GiveUpAll(const v1::Subject& subject, std::string_view reason);
  // Ends what is open and older than kMaxEffectAge, where the forge can't be asked.
  absl::Status GiveUpOld(const v1::Subject& subject, std::string_view reason);

 private:
  const EffectKind* KindOf(std::string_view name) const;
  absl::StatusOr<std::vector<store::Effect>> Open(const v1::Subject& subject);
  Outcome Settle(const store::Effect& effect, const EffectContext& context);
  // Notes what was seen of an effect that was sent at `sent`.
  Outcome Note(const EffectKind& kind, const store::Effect& effect, store::TimePoint sent,
               const EffectObservation& sighting, const EffectContext& context);
  Outcome NoteUnknown(int64_t id, store::TimePoint sent, std::string_view reason, std::string_view forge_ref,
                      const EffectContext& context);
  Outcome Send(const EffectKind& kind, int64_t id, const EffectContext& context);

  const EffectKinds kinds_;
  store::Ledger& ledger_;
  const Clock& clock_;
  Logger& logger_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_EFFECT_RUNNER_H_
