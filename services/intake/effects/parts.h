// Effects of many writes, one after the other. The progress of such an effect says, in the words of its kind, which of
// them are confirmed, and in front of that what is known of the next one:
//
//     "0 WORDS"  it is about to be sent, or was sent; so many reads missed it
//     "- WORDS"  it was certainly not sent
//
// The words are noted before each write. A write whose answer was lost is then read back as often as the forge's settle
// times say before it is sent again: what lands late is not there twice.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_PARTS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_PARTS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/intake/effect.h"

namespace yardmaster {

struct PartProgress {
  std::string words;             // empty: nothing was written yet
  std::optional<size_t> missed;  // reads that missed the next part; nullopt: it was not sent
};
PartProgress ReadPartProgress(const store::Effect& effect);

// The next part is sent at once.
EffectObservation NextPart(std::string_view words);

// A part that was sent is not visible yet. `words` are those from before it.
EffectObservation AwaitPart(const EffectContext& context, std::string_view words);

// A read does not show the next part: it is read again, or sent, or, where no read found it, reported as not seen.
EffectObservation PartMissed(const EffectContext& context, const PartProgress& progress);

// The write of a part failed. Where it certainly did nothing and may work later, it is the next one then; else the
// error stays.
absl::StatusOr<EffectObservation> PartFailed(std::string_view words, const absl::Status& status);

// Whether this part was refused for what it says or where: another one may pass.
bool IsPartRefused(const absl::Status& status);

// What a read right after a write saw. That it failed says nothing about the write.
EffectObservation ReadAfterWrite(const absl::StatusOr<EffectObservation>& sighting);

// A context whose calls take the `calls`th part of the time.
EffectContext ShareOfTime(const EffectContext& context, int64_t calls);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_PARTS_H_
