#include "services/intake/effects/parts.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

// Where the forge said "not now" without saying when.
constexpr milliseconds kPartDelay{5'000};
constexpr absl::string_view kNothingSent = "-";

EffectObservation PartInProgress(absl::string_view missed, std::string_view words, milliseconds delay) {
  return {EffectObservation::State::kInProgress, {}, true, absl::StrCat(missed, " ", Abs(words)), delay};
}

}  // namespace

PartProgress ReadPartProgress(const store::Effect& effect) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(effect.progress, absl::MaxSplits(' ', 1));
  PartProgress progress{std::string(parts.second), std::nullopt};
  size_t missed = 0;
  if (absl::SimpleAtoi(parts.first, &missed)) progress.missed = missed;
  return progress;
}

EffectObservation NextPart(std::string_view words) { return PartInProgress("0", words, milliseconds(0)); }

EffectObservation AwaitPart(const EffectContext& context, std::string_view words) {
  const std::vector<milliseconds>& settle = context.account.settle();
  return PartInProgress("0", words, settle.empty() ? kPartDelay : settle.front());
}

EffectObservation PartMissed(const EffectContext& context, const PartProgress& progress) {
  if (!progress.missed.has_value()) return NextPart(progress.words);
  const std::vector<milliseconds>& settle = context.account.settle();
  const size_t missed = *progress.missed + 1;
  if (missed >= settle.size()) return {};
  return PartInProgress(absl::StrCat(missed), progress.words, settle[missed] - settle[missed - 1]);
}

absl::StatusOr<EffectObservation> PartFailed(std::string_view words, const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value() || error->outcome == ForgeOutcome::kUnknown || !error->Transient()) return status;
  return PartInProgress(kNothingSent, words, error->retry_after.value_or(kPartDelay));
}

bool IsPartRefused(const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value() || error->outcome == ForgeOutcome::kUnknown) return false;
  return error->reason == ForgeReason::kInvalidInput || error->reason == ForgeReason::kInvalid ||
         error->reason == ForgeReason::kTextRefused || error->reason == ForgeReason::kConflict;
}

EffectObservation ReadAfterWrite(const absl::StatusOr<EffectObservation>& sighting) {
  return sighting.ok() ? *sighting : EffectObservation();
}

EffectContext ShareOfTime(const EffectContext& context, int64_t calls) {
  EffectContext share = context;
  share.call.timeout /= calls;
  return share;
}

}  // namespace yardmaster
