#include "clients/forge/gitcode/gitcode_dialect.h"

#include "clients/forge/gitcode/gitcode_answers.h"

namespace yardmaster {

std::vector<HttpHeader> GitCodeDialect::Headers() const { return {{"Accept", "application/json"}}; }

std::optional<ForgeVerdict> GitCodeDialect::Judge(const OutgoingResponse& response,
                                                  std::chrono::system_clock::time_point now) const {
  const bool success = (response.status >= 200 && response.status < 300) || response.status == 304;
  std::optional<gitcode::ErrorBody> body = gitcode::ParseErrorBody(response.body, success);
  if (success && !body.has_value()) return std::nullopt;

  ForgeVerdict verdict;
  verdict.status = response.status;
  if (body.has_value()) {
    verdict.message = std::move(body->message);
    // An error with 200 that names no status of HTTP is a refusal by some rule of the forge.
    if (success) verdict.status = body->code != 0 ? body->code : 400;
    // The gateway's limits have been seen under other statuses.
    if (body->code == 429) verdict.status = 429;
  }
  verdict.reason = ReasonOfStatus(verdict.status);
  verdict.retry_after = ReadRetryAfter(response.Header("Retry-After"), now);
  if (verdict.status == 403 && verdict.retry_after.has_value()) verdict.reason = ForgeReason::kRateLimited;
  return verdict;
}

}  // namespace yardmaster
