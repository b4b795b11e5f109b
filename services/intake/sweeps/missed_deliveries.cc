#include "services/intake/sweeps/missed_deliveries.h"

#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// All attempts of one delivery.
struct Sent {
  std::string newest_attempt;  // what a redelivery is asked with
  std::chrono::system_clock::time_point newest{};
  int attempts = 0;
};

}  // namespace

std::optional<std::chrono::system_clock::time_point> ParseTimestamp(std::string_view text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, Abs(text), &time, &error)) {
    return std::nullopt;
  }
  return absl::ToChronoTime(time);
}

std::string MissedDeliveries::ToString() const {
  return absl::StrCat(seen, " seen, ", missing, " missing, ", asked, " asked for again, ", given_up, " given up");
}

absl::StatusOr<MissedDeliveries> RedeliverMissed(ConfiguredForge& account, const std::string& repository,
                                                 const std::string& hook, store::Inbox& inbox, const Clock& clock) {
  ForgeCall call;
  call.priority = ForgePriority::kSweep;
  const auto now = clock.Now();

  // 1. What was sent, newest first, until the window ends.
  std::map<std::string, Sent> sent;  // by the id that the webhook carried
  std::string cursor;
  bool in_window = true;
  do {
    ASSIGN_OR_RETURN(const ForgeHookDeliveryPage page,
                     account.forge().ListHookDeliveries(call, repository, hook, cursor));
    for (const ForgeHookDelivery& delivery : page.deliveries) {
      const auto at = ParseTimestamp(delivery.delivered_at);
      if (at.has_value() && *at < now - kMissedWindow) {
        in_window = false;
        break;
      }
      if (delivery.guid.empty() || delivery.id.empty()) continue;
      Sent& one = sent[delivery.guid];
      ++one.attempts;
      if (one.newest_attempt.empty()) {
        one.newest_attempt = delivery.id;
        one.newest = at.value_or(now - kMissedWindow);
      }
    }
    cursor = page.next;
  } while (in_window && !cursor.empty());

  // 2. What of it never arrived. The answer that the forge noted tells nothing: a 2xx may have been another daemon's,
  // or its data directory is gone; and an answer that got lost on the way may belong to a delivery that we have.
  MissedDeliveries summary;
  for (const auto& [guid, one] : sent) {
    ++summary.seen;
    if (one.newest > now - kMissedGrace) continue;
    const absl::StatusOr<store::Delivery> known = inbox.Find(account.name(), guid);
    if (known.ok()) continue;
    if (!absl::IsNotFound(known.status())) return known.status();
    ++summary.missing;
    if (one.attempts >= kMaxRedeliveryAttempts) {
      ++summary.given_up;
      continue;
    }
    if (summary.asked == kMaxRedeliveries) continue;
    const absl::Status asked = account.forge().Redeliver(call, repository, hook, one.newest_attempt);
    if (!asked.ok()) return asked;
    ++summary.asked;
  }
  return summary;
}

}  // namespace yardmaster
