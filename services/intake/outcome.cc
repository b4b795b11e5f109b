#include "services/intake/outcome.h"

#include <optional>

#include "clients/forge/forge_error.h"
#include "services/core/reasons.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

// Where the forge said "not now" without saying when.
constexpr milliseconds kDefaultWait{5'000};
constexpr milliseconds kStoreWait{2'000};

// From what can be left as it is to what can't.
int Urgency(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kIgnored:
      return 0;
    case Outcome::Kind::kDone:
      return 1;
    case Outcome::Kind::kFailed:
      return 2;
    case Outcome::Kind::kRetry:
      return 3;
    case Outcome::Kind::kWait:
      return 4;
    case Outcome::Kind::kChanged:
      return 5;
    case Outcome::Kind::kStopped:
      return 6;
  }
  return 0;
}

}  // namespace

Outcome Outcome::Ignored(std::string_view word, std::string_view detail) {
  return {Kind::kIgnored, milliseconds(0), reasons::WithDetail(word, detail)};
}

Outcome Outcome::Failed(std::string_view word, std::string_view detail) {
  return {Kind::kFailed, milliseconds(0), reasons::WithDetail(word, detail)};
}

Outcome Outcome::Wait(milliseconds delay, std::string_view reason) { return {Kind::kWait, delay, std::string(reason)}; }

Outcome Outcome::Retry(std::string_view reason, milliseconds at_least) {
  return {Kind::kRetry, at_least, std::string(reason)};
}

Outcome Outcome::OfForge(const absl::Status& status) {
  const std::string text(status.message());
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value()) return {Kind::kFailed, milliseconds(0), text};
  switch (error->reason) {
    case ForgeReason::kStopped:
      return {Kind::kStopped, milliseconds(0), text};
    case ForgeReason::kBudget:
    case ForgeReason::kRateLimited:
      return Wait(error->retry_after.value_or(kDefaultWait), text);
    case ForgeReason::kUnauthorized:
      // An operator has to fix it; nothing is lost meanwhile.
      return Retry(text, error->retry_after.value_or(milliseconds(0)));
    default:
      break;
  }
  if (error->Transient()) return Retry(text, error->retry_after.value_or(milliseconds(0)));
  return {Kind::kFailed, milliseconds(0), text};
}

Outcome Outcome::OfStore(const absl::Status& error) {
  return Wait(kStoreWait, "store: " + std::string(error.message()));
}

const Outcome& MoreUrgent(const Outcome& a, const Outcome& b) {
  if (Urgency(a.kind) != Urgency(b.kind)) return Urgency(a.kind) > Urgency(b.kind) ? a : b;
  return b.kind == Outcome::Kind::kWait && b.delay < a.delay ? b : a;
}

}  // namespace yardmaster
