#include "clients/forge/github/github_dialect.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "clients/forge/answer_json.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

// "message", and what "errors" adds to it.
std::string MessageOf(const std::string& body) {
  std::string error;
  const std::optional<nlohmann::json> value = ParseForgeJson(body, error);
  if (!value.has_value()) return {};
  AnswerProblem ignored;
  const AnswerReader answer(&*value, "", ignored);
  std::string message = answer.At("message").Hint();
  const AnswerReader errors = answer.At("errors");
  constexpr size_t kShown = 3;
  for (size_t i = 0; i < std::min(errors.size(), kShown); ++i) {
    const AnswerReader item = errors.Element(i);
    std::string text = item.is_object() ? item.At("message").Hint() : item.Hint();
    if (text.empty()) {
      for (const char* key : {"resource", "field", "code"}) {
        const std::string part = item.At(key).Hint();
        if (!part.empty()) text += (text.empty() ? "" : " ") + part;
      }
    }
    if (!text.empty()) message += "; " + text;
  }
  return message;
}

std::optional<std::chrono::milliseconds> UntilReset(const OutgoingResponse& response,
                                                    std::chrono::system_clock::time_point now) {
  const std::string_view text = response.Header("X-RateLimit-Reset");
  int64_t reset = 0;
  if (!absl::SimpleAtoi(Abs(text), &reset) || reset < 0) return std::nullopt;
  const int64_t now_seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const int64_t most = std::chrono::duration_cast<std::chrono::seconds>(kMaxRetryAfter).count();
  // One second more: the forge's clock and ours are not the same, and too early costs another refusal.
  return std::chrono::seconds(std::clamp<int64_t>(reset - now_seconds + 1, 1, most));
}

}  // namespace

std::vector<HttpHeader> GitHubDialect::Headers() const {
  return {{"Accept", "application/vnd.github+json"}, {"X-GitHub-Api-Version", "2022-11-28"}};
}

std::optional<ForgeVerdict> GitHubDialect::Judge(const OutgoingResponse& response,
                                                 std::chrono::system_clock::time_point now) const {
  if ((response.status >= 200 && response.status < 300) || response.status == 304) return std::nullopt;
  ForgeVerdict verdict;
  verdict.status = response.status;
  verdict.reason = ReasonOfStatus(response.status);
  verdict.message = MessageOf(response.body);
  verdict.retry_after = ReadRetryAfter(response.Header("Retry-After"), now);
  if (response.status == 403 || response.status == 429) {
    const bool none_left = response.Header("X-RateLimit-Remaining") == "0";
    const std::string said = absl::AsciiStrToLower(verdict.message);
    if (verdict.retry_after.has_value() || none_left || absl::StrContains(said, "rate limit") ||
        absl::StrContains(said, "abuse detection")) {
      verdict.reason = ForgeReason::kRateLimited;
    }
    if (!verdict.retry_after.has_value() && none_left) verdict.retry_after = UntilReset(response, now);
  }
  return verdict;
}

}  // namespace yardmaster
