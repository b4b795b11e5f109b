// Carries effects out, once each: every write is noted in the ledger before it is sent and confirmed only when it was
// seen on the forge; a write whose outcome nobody knows is looked for, and sent again only when all looks missed it.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECT_RUNNER_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECT_RUNNER_H_

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "services/core/clock.h"
#include "services/core/logging.h"
#include "services/core/store/ledger.h"
#include "services/intake/effect.h"

namespace yardmaster {

// How often one effect is sent before it is given up.
inline constexpr int64_t kMaxEffectTries = 3;
// How often something that was given up because it was never seen is tried again, as an effect of its own, after the
// backoff of its delivery; the first round included.
inline constexpr int kMaxEffectRounds = 3;

// How a piece of work ended, or why it can't go on now.
struct StepResult {
  enum class Kind {
    kDone,
    kWait,     // go on after `delay`: nothing failed
    kRetry,    // failed, try again later; counts as an attempt. At least `delay`, if that is above 0
    kFailed,   // failed for good
    kStopped,  // the client was stopped: leave everything as it is
  };
  Kind kind = Kind::kDone;
  std::chrono::milliseconds delay{0};
  std::string reason;

  bool done() const { return kind == Kind::kDone; }
};

// Labels of a subject that confirmed effects wrote.
struct WrittenLabels {
  // Those that our own decisions put on, unless a person has had a say about them by a command since. Sorted.
  std::vector<std::string> ours;
  // All that were ever put on or taken off, whoever wanted it. One of them that is not on the subject now was taken off
  // by somebody and is not put back. Sorted.
  std::vector<std::string> all;
};

// What a failed call means for the work it belongs to.
StepResult FromForgeError(const absl::Status& status);
// The store could not note something: everything waits.
StepResult FromStoreError(const absl::Status& status);

// Thread-safe as long as one thread works on one subject.
class EffectRunner {
 public:
  using Kinds = std::vector<std::shared_ptr<const EffectKind>>;
  // References outlive this object.
  EffectRunner(Kinds kinds, store::Ledger& ledger, const Clock& clock, Logger& logger);

  // Settles what was perhaps sent on `subject` and never confirmed, by looking for it `settle` after it was sent.
  // kDone: nothing is open any more but intents that were certainly not sent.
  StepResult SettleOpen(const v1::Subject& subject, const EffectContext& context,
                        const std::vector<std::chrono::milliseconds>& settle);

  // Carries out one action of a plan. kDone: it is on the forge and confirmed. `key` is set to the effect's key. An
  // effect that failed or was refused since `started` stays so; one that failed before is tried as a new one. What is
  // not essential is done once it is final.
  StepResult CarryOut(const v1::Plan& plan, const v1::Action& action, int64_t delivery, store::TimePoint started,
                      const EffectContext& context, const std::vector<std::chrono::milliseconds>& settle,
                      std::string& key);

  // Ends the intents on `subject` that were never sent and that nobody wants any more, all but `keep`: refused.
  absl::Status Abandon(const v1::Subject& subject, const std::set<std::string>& keep);

  // Ends everything open that `delivery` led to: failed with `reason`. For work that is given up.
  absl::Status GiveUp(const v1::Subject& subject, int64_t delivery, std::string_view reason);

  absl::StatusOr<WrittenLabels> LabelsWritten(const v1::Subject& subject);

 private:
  const EffectKind* KindOf(std::string_view name) const;
  absl::StatusOr<std::vector<store::Effect>> Open(const v1::Subject& subject);
  StepResult Settle(const store::Effect& effect, const EffectContext& context,
                    const std::vector<std::chrono::milliseconds>& settle);
  StepResult Send(const EffectKind& kind, int64_t id, const EffectContext& context,
                  const std::vector<std::chrono::milliseconds>& settle);

  const Kinds kinds_;
  store::Ledger& ledger_;
  const Clock& clock_;
  Logger& logger_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECT_RUNNER_H_
