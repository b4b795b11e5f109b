// Deliveries that never reached us: the forge is asked which ones it sent in the last days, and to send again what
// failed or what we do not have. They arrive as webhooks like any other.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_MISSED_DELIVERIES_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_MISSED_DELIVERIES_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/store/inbox.h"
#include "services/intake/configured_forge.h"

namespace yardmaster {

// Forges keep deliveries for three days.
inline constexpr std::chrono::hours kMissedWindow{72};
// A delivery younger than this may still be on its way.
inline constexpr std::chrono::minutes kMissedGrace{2};
// A delivery that failed so often is not asked for again.
inline constexpr int kMaxRedeliveryAttempts = 5;
// Redeliveries that one run asks for: a forge that was down for a day must not be flooded.
inline constexpr int64_t kMaxRedeliveries = 200;

struct MissedDeliveries {
  int64_t seen = 0;      // deliveries of the window, attempts of one counted once
  int64_t missing = 0;   // of them: failed, or not in the inbox
  int64_t asked = 0;     // of them: asked for again
  int64_t given_up = 0;  // of them: tried too often
  std::string ToString() const;
};

// One hook of one repository. Errors are the forge client's; UNIMPLEMENTED where the forge keeps no record.
absl::StatusOr<MissedDeliveries> RedeliverMissed(ConfiguredForge& account, const std::string& repository,
                                                 const std::string& hook, store::Inbox& inbox, const Clock& clock);

// "2026-05-01T10:00:00Z", also with a fraction or an offset; nullopt if it is none.
std::optional<std::chrono::system_clock::time_point> ParseTimestamp(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_MISSED_DELIVERIES_H_
