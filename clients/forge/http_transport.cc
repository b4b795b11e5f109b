#include "clients/forge/http_transport.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

// "https://host:1/api/v5" with "v8" → "https://host:1/api/v8". A URL without a path stays as it is.
std::string BaseUrl(const std::string& api_url, const std::string& version) {
  const size_t scheme = api_url.find("://");
  const size_t slash = api_url.rfind('/');
  if (version.empty() || scheme == std::string::npos || slash < scheme + 3) return api_url;
  return absl::StrCat(api_url.substr(0, slash + 1), version);
}

// "https://host:1/api/v5" → "https://host:1".
std::string OriginOf(const std::string& url) {
  const size_t host = url.find("://");
  if (host == std::string::npos) return url;
  return url.substr(0, url.find('/', host + 3));
}

// The host of an URL from outside, for a message.
std::string HostOf(std::string_view url) {
  if (const size_t scheme = url.find("//"); scheme != std::string_view::npos) url.remove_prefix(scheme + 2);
  return Quoted(url.substr(0, url.find_first_of("/?#")));
}

ForgeReason ReasonOf(HttpFailure::Kind kind) {
  switch (kind) {
    case HttpFailure::Kind::kNotAllowed:
      return ForgeReason::kInvalidInput;
    case HttpFailure::Kind::kTls:
      return ForgeReason::kTls;
    case HttpFailure::Kind::kTimeout:
      return ForgeReason::kTimeout;
    case HttpFailure::Kind::kTooLarge:
      return ForgeReason::kTooLarge;
    case HttpFailure::Kind::kProtocol:
      return ForgeReason::kBadAnswer;
    case HttpFailure::Kind::kStopped:
      return ForgeReason::kStopped;
    case HttpFailure::Kind::kConnect:
    case HttpFailure::Kind::kReset:
      break;
  }
  return ForgeReason::kNetwork;
}

}  // namespace

HttpTransport::HttpTransport(std::string api_url, milliseconds timeout, const ForgeDialect& dialect, HttpClient& http,
                             const Clock& clock, OnClock on_clock)
    : api_url_(std::move(api_url)),
      origin_(OriginOf(api_url_)),
      timeout_(timeout),
      dialect_(dialect),
      http_(http),
      clock_(clock),
      on_clock_(std::move(on_clock)) {}

ForgeAnswer HttpTransport::Send(const ForgeRequest& request) {
  OutgoingRequest http_request;
  http_request.method = request.method;
  http_request.url = absl::StrCat(BaseUrl(api_url_, request.api_version), request.target);
  http_request.headers = dialect_.Headers();
  http_request.headers.insert(http_request.headers.end(), request.headers.begin(), request.headers.end());
  if (!request.body.empty()) {
    http_request.headers.push_back({"Content-Type", "application/json; charset=utf-8"});
    http_request.body = request.body;
  }
  http_request.limits.body_bytes = kMaxForgeAnswerBytes;

  bool redirected = false;
  for (int hop = 0;; ++hop) {
    // What the call has left bounds each request; rounding up keeps a last millisecond from becoming none.
    const auto left = std::chrono::ceil<milliseconds>(request.deadline - clock_.Monotonic());
    if (left.count() <= 0) {
      return FailedAnswer({ForgeReason::kTimeout, ForgeOutcome::kNotSent, 0, std::nullopt},
                          absl::StrCat(DescribeRequest(request), ": the call's time is over"));
    }
    http_request.timeout = std::min(timeout_, left);
    http_request.connect_timeout = std::min(http_request.connect_timeout, http_request.timeout);
    HttpResult result = http_.Send(http_request);
    if (const auto* failure = std::get_if<HttpFailure>(&result)) return Failed(request, *failure);
    auto& response = std::get<OutgoingResponse>(result);

    // A repository or an issue has another name now. A redirect that would change the method is none for a write.
    const bool redirect = response.status == 301 || response.status == 307 || response.status == 308 ||
                          (response.status == 302 && request.IsRead());
    if (redirect) {
      const std::string_view location = response.Header("Location");
      std::string target = RedirectTarget(location);
      if (!target.empty() && hop < kMaxForgeRedirects) {
        http_request.url = std::move(target);
        redirected = true;
        continue;
      }
      const ForgeError error{ForgeReason::kMoved, ForgeOutcome::kRefused, response.status, std::nullopt};
      return FailedAnswer(error, absl::StrCat(DescribeRequest(request), ": ", response.status,
                                              !target.empty()    ? ": too many redirects"
                                              : location.empty() ? ": a redirect to nowhere"
                                                                 : ": redirected to the host " + HostOf(location) +
                                                                       ", which is not the configured one"));
    }

    // Everything else.
    ForgeAnswer answer;
    answer.status = response.status;
    answer.redirected = redirected;
    // Limits are told as times of the forge's clock, which need not be ours.
    const std::optional<std::chrono::system_clock::time_point> date = ReadDate(response.Header("Date"));
    if (date.has_value() && on_clock_ != nullptr) {
      on_clock_(std::chrono::duration_cast<std::chrono::seconds>(clock_.Now() - *date));
    }
    const std::optional<ForgeVerdict> verdict = dialect_.Judge(response, date.value_or(clock_.Now()));
    answer.headers = std::move(response.headers);
    answer.body = std::move(response.body);
    if (!verdict.has_value()) return answer;
    answer.status = verdict->status;
    answer.error = ForgeError{verdict->reason, OutcomeOfStatus(verdict->status), verdict->status, verdict->retry_after};
    const std::string_view status_name = HttpStatusName(verdict->status);
    answer.message =
        absl::StrCat(DescribeRequest(request), ": ", verdict->status, status_name.empty() ? "" : " ", Abs(status_name));
    if (!verdict->message.empty() && verdict->message != status_name) {
      absl::StrAppend(&answer.message, ": ", Readable(verdict->message, kMaxForgeMessageBytes));
    }
    return answer;
  }
}

std::string HttpTransport::RedirectTarget(std::string_view location) const {
  // "//host/…" names a host too.
  if (location.starts_with('/') && !location.starts_with("//")) return origin_ + std::string(location);
  if (location.size() > origin_.size() && location.starts_with(origin_) && location[origin_.size()] == '/') {
    return std::string(location);
  }
  return {};
}

ForgeAnswer HttpTransport::Failed(const ForgeRequest& request, const HttpFailure& failure) const {
  const ForgeError error{ReasonOf(failure.kind), failure.sent ? ForgeOutcome::kUnknown : ForgeOutcome::kNotSent, 0,
                         std::nullopt};
  return FailedAnswer(error,
                      absl::StrCat(DescribeRequest(request), ": ", Readable(failure.detail, kMaxForgeMessageBytes)));
}

}  // namespace yardmaster
