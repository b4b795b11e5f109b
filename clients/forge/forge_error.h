// What went wrong with a call to a forge, beyond a code and a sentence. It travels as a payload of absl::Status, so
// that callers that only want the code need not know it.
#ifndef YARDMASTER_CLIENTS_FORGE_FORGE_ERROR_H_
#define YARDMASTER_CLIENTS_FORGE_FORGE_ERROR_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster {

// What is known about a request that failed. The ledger relies on it.
enum class ForgeOutcome : uint8_t {
  kNotSent,  // the forge has not seen it: checked before, no connection, no budget
  kRefused,  // the forge answered that it did not do it (3xx, 4xx)
  kUnknown,  // it may have been done: time-out, reset, unreadable answer or 5xx after the request went out
};
std::string_view ForgeOutcomeName(ForgeOutcome outcome);  // "not_sent", "refused", "unknown"

enum class ForgeReason : uint8_t {
  kInvalidInput,  // ours: refused before sending                       INVALID_ARGUMENT
  kUnsupported,   // this forge has nothing of the kind                  UNIMPLEMENTED
  kBudget,        // our own model of the limits says: not before …      RESOURCE_EXHAUSTED
  kStopped,       // the client was stopped                              CANCELLED
  kTimeout,       // no (complete) answer in time, or the call's time is over  DEADLINE_EXCEEDED
  kNetwork,       // no connection, or it broke                          UNAVAILABLE
  kTls,           // certificate or handshake                            UNAVAILABLE
  kTooLarge,      // the answer passed a limit of ours                   RESOURCE_EXHAUSTED
  kBadAnswer,     // the answer has another shape than documented        DATA_LOSS
  kMoved,         // a redirect that is not followed                     FAILED_PRECONDITION
  kInvalid,       // 400, 422                                            INVALID_ARGUMENT
  kTextRefused,   // 418: the forge's firewall dislikes the text         INVALID_ARGUMENT
  kUnauthorized,  // 401                                                 UNAUTHENTICATED
  kForbidden,     // 403                                                 PERMISSION_DENIED
  kNotFound,      // 404, 410                                            NOT_FOUND
  kConflict,      // 405, 409, 412 and other 4xx                         FAILED_PRECONDITION
  kRateLimited,   // 429, or 403 that says so                            RESOURCE_EXHAUSTED
  kServer,        // 5xx                                                 UNAVAILABLE
};
std::string_view ForgeReasonName(ForgeReason reason);  // "invalid_input", "rate_limited", …
absl::StatusCode StatusCodeOf(ForgeReason reason);

struct ForgeError {
  ForgeReason reason = ForgeReason::kNetwork;
  ForgeOutcome outcome = ForgeOutcome::kUnknown;
  int http_status = 0;  // 0: there was no answer
  // Not before this time from now; unset: unknown.
  std::optional<std::chrono::milliseconds> retry_after;
  // What a retry of the same call may hope for: true for what passes by itself (network, limits, 5xx, time-outs).
  bool Transient() const;
};

// A status with `error` as its payload and the code that belongs to its reason.
absl::Status MakeForgeStatus(const ForgeError& error, std::string_view message);
// Of a request that is wrong and was not sent.
absl::Status InvalidForgeInput(std::string_view message);

// The payload; nullopt if the status is OK or did not come from a forge client.
std::optional<ForgeError> ForgeErrorOf(const absl::Status& status);

// The outcome of a failed write: the payload's, or kUnknown where there is none, since that is the careful reading.
ForgeOutcome ForgeOutcomeOf(const absl::Status& status);

// The error of a read that a write would have followed: whatever it was, nothing was written.
absl::Status AsNotSent(const absl::Status& status);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_FORGE_ERROR_H_
