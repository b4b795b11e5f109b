#include "clients/forge/dialect.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr char kHttpDate[] = "%a, %d %b %E4Y %H:%M:%S GMT";

}  // namespace

ForgeReason ReasonOfStatus(int status) {
  switch (status) {
    case 400:
    case 422:
      return ForgeReason::kInvalid;
    case 401:
      return ForgeReason::kUnauthorized;
    case 403:
      return ForgeReason::kForbidden;
    case 404:
    case 410:
      return ForgeReason::kNotFound;
    case 408:
      return ForgeReason::kTimeout;
    case 418:
      return ForgeReason::kTextRefused;
    case 429:
      return ForgeReason::kRateLimited;
    default:
      break;
  }
  if (status >= 300 && status < 400) return ForgeReason::kMoved;
  if (status >= 400 && status < 500) return ForgeReason::kConflict;
  return ForgeReason::kServer;
}

ForgeOutcome OutcomeOfStatus(int status) {
  // 408 comes from proxies too, which do not know what the server behind them did.
  return status >= 300 && status < 500 && status != 408 ? ForgeOutcome::kRefused : ForgeOutcome::kUnknown;
}

std::optional<std::chrono::system_clock::time_point> ReadDate(std::string_view value) {
  absl::Time time;
  if (!absl::ParseTime(kHttpDate, Abs(value), &time, nullptr)) return std::nullopt;
  return absl::ToChronoTime(time);
}

std::optional<std::chrono::milliseconds> ReadRetryAfter(std::string_view value,
                                                        std::chrono::system_clock::time_point now) {
  using std::chrono::milliseconds;
  if (value.empty()) return std::nullopt;
  const absl::string_view text = Abs(value);
  milliseconds wait{0};
  double seconds = 0;
  absl::Time time;
  if (absl::SimpleAtod(text, &seconds)) {
    if (!(seconds >= 0)) return std::nullopt;
    const double most = std::chrono::duration<double>(kMaxRetryAfter).count();
    // Half a second is a wait too: never rounded down to nothing.
    wait = milliseconds(static_cast<int64_t>(std::min(seconds, most) * 1000.0 + 0.999));
  } else if (absl::ParseTime(kHttpDate, text, &time, nullptr)) {
    // absl's arithmetic saturates; any year may stand here.
    wait = milliseconds(absl::ToInt64Milliseconds(time - absl::FromChrono(now)));
  } else {
    return std::nullopt;
  }
  return std::clamp(wait, milliseconds(0), milliseconds(kMaxRetryAfter));
}

std::string_view HttpStatusName(int status) {
  switch (status) {
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 418:
      return "refused by the forge's firewall";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return {};
  }
}

}  // namespace yardmaster
