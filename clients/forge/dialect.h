// What differs between forges below the level of calls: the headers of every request, and how an answer says that
// something went wrong.
#ifndef YARDMASTER_CLIENTS_FORGE_DIALECT_H_
#define YARDMASTER_CLIENTS_FORGE_DIALECT_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge_error.h"
#include "clients/forge/http.h"

namespace yardmaster {

// Why an answer is no success.
struct ForgeVerdict {
  int status = 0;  // what the answer means; differs from HTTP's where the body carries the error
  ForgeReason reason = ForgeReason::kServer;
  std::string message;  // the forge's words, as received
  std::optional<std::chrono::milliseconds> retry_after;
};

class ForgeDialect {
 public:
  virtual ~ForgeDialect() = default;
  virtual std::string_view name() const = 0;
  // Without credentials.
  virtual std::vector<HttpHeader> Headers() const = 0;
  // Header and value in front of the token: {"Authorization", "Bearer "}.
  virtual HttpHeader TokenHeader() const = 0;
  // nullopt for a success, 304 included. `now` is wall time: limits are told as times of day.
  virtual std::optional<ForgeVerdict> Judge(const OutgoingResponse& response,
                                            std::chrono::system_clock::time_point now) const = 0;
};

// What most forges mean by a status from 300.
ForgeReason ReasonOfStatus(int status);

// Whether a failed write may have been done: only 5xx and 408 leave it open.
ForgeOutcome OutcomeOfStatus(int status);

// Retry-After as seconds or as a date; nullopt if absent or not understood. At most kMaxRetryAfter, at least zero.
std::optional<std::chrono::milliseconds> ReadRetryAfter(std::string_view value,
                                                        std::chrono::system_clock::time_point now);

// The forge's clock as an answer's header "Date" tells it; nullopt if absent or not understood.
std::optional<std::chrono::system_clock::time_point> ReadDate(std::string_view value);

// "Not Found" for 404; empty for a status without a common name.
std::string_view HttpStatusName(int status);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_DIALECT_H_
