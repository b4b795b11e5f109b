#include "clients/forge/forge_error.h"

#include <array>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr char kPayloadUrl[] = "yardmaster/forge-error";

struct ReasonRow {
  ForgeReason reason;
  std::string_view name;
  absl::StatusCode code;
};

// In the order of the enumeration.
constexpr std::array<ReasonRow, 18> kReasons = {{
    {ForgeReason::kInvalidInput, "invalid_input", absl::StatusCode::kInvalidArgument},
    {ForgeReason::kUnsupported, "unsupported", absl::StatusCode::kUnimplemented},
    {ForgeReason::kBudget, "budget", absl::StatusCode::kResourceExhausted},
    {ForgeReason::kStopped, "stopped", absl::StatusCode::kCancelled},
    {ForgeReason::kTimeout, "timeout", absl::StatusCode::kDeadlineExceeded},
    {ForgeReason::kNetwork, "network", absl::StatusCode::kUnavailable},
    {ForgeReason::kTls, "tls", absl::StatusCode::kUnavailable},
    {ForgeReason::kTooLarge, "too_large", absl::StatusCode::kResourceExhausted},
    {ForgeReason::kBadAnswer, "bad_answer", absl::StatusCode::kDataLoss},
    {ForgeReason::kMoved, "moved", absl::StatusCode::kFailedPrecondition},
    {ForgeReason::kInvalid, "invalid", absl::StatusCode::kInvalidArgument},
    {ForgeReason::kTextRefused, "text_refused", absl::StatusCode::kInvalidArgument},
    {ForgeReason::kUnauthorized, "unauthorized", absl::StatusCode::kUnauthenticated},
    {ForgeReason::kForbidden, "forbidden", absl::StatusCode::kPermissionDenied},
    {ForgeReason::kNotFound, "not_found", absl::StatusCode::kNotFound},
    {ForgeReason::kConflict, "conflict", absl::StatusCode::kFailedPrecondition},
    {ForgeReason::kRateLimited, "rate_limited", absl::StatusCode::kResourceExhausted},
    {ForgeReason::kServer, "server", absl::StatusCode::kUnavailable},
}};

const ReasonRow& RowOf(ForgeReason reason) { return kReasons[static_cast<size_t>(reason)]; }

}  // namespace

std::string_view ForgeOutcomeName(ForgeOutcome outcome) {
  switch (outcome) {
    case ForgeOutcome::kNotSent:
      return "not_sent";
    case ForgeOutcome::kRefused:
      return "refused";
    case ForgeOutcome::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view ForgeReasonName(ForgeReason reason) { return RowOf(reason).name; }

absl::StatusCode StatusCodeOf(ForgeReason reason) { return RowOf(reason).code; }

bool ForgeError::Transient() const {
  switch (reason) {
    case ForgeReason::kBudget:
    case ForgeReason::kTimeout:
    case ForgeReason::kNetwork:
    case ForgeReason::kRateLimited:
    case ForgeReason::kServer:
    case ForgeReason::kBadAnswer:  // cut off somewhere, or a page of a proxy: mostly well the next time
      return true;
    default:
      return false;
  }
}

absl::Status MakeForgeStatus(const ForgeError& error, std::string_view message) {
  absl::Status status(StatusCodeOf(error.reason), Abs(message));
  status.SetPayload(kPayloadUrl,
                    absl::Cord(absl::StrCat(static_cast<int>(error.reason), " ", static_cast<int>(error.outcome), " ",
                                            error.http_status, " ",
                                            error.retry_after.has_value() ? error.retry_after->count() : -1)));
  return status;
}

absl::Status InvalidForgeInput(std::string_view message) {
  return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt}, message);
}

std::optional<ForgeError> ForgeErrorOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ' ');
  int reason = 0;
  int outcome = 0;
  ForgeError error;
  int64_t retry_after = -1;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &reason) || !absl::SimpleAtoi(parts[1], &outcome) ||
      !absl::SimpleAtoi(parts[2], &error.http_status) || !absl::SimpleAtoi(parts[3], &retry_after)) {
    return std::nullopt;
  }
  if (reason < 0 || reason >= static_cast<int>(kReasons.size()) || outcome < 0 ||
      outcome > static_cast<int>(ForgeOutcome::kUnknown)) {
    return std::nullopt;
  }
  error.reason = static_cast<ForgeReason>(reason);
  error.outcome = static_cast<ForgeOutcome>(outcome);
  if (retry_after >= 0) error.retry_after = std::chrono::milliseconds(retry_after);
  return error;
}

ForgeOutcome ForgeOutcomeOf(const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  return error.has_value() ? error->outcome : ForgeOutcome::kUnknown;
}

absl::Status AsNotSent(const absl::Status& status) {
  std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error.has_value()) return status;
  error->outcome = ForgeOutcome::kNotSent;
  return MakeForgeStatus(*error, std::string(status.message()));
}

}  // namespace yardmaster
