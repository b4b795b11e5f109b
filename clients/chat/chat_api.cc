#include "clients/chat/chat_api.h"

#include <algorithm>
#include <array>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/chat/chat_calls.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

constexpr std::chrono::seconds kMostChatWait{3'600};

// A function, not a constant: nothing is made before main.
const std::array<ChatApi, 5>& ApiRows() {
  static const std::array<ChatApi, 5> kRows = {SlackApi(), MattermostApi(), FeishuApi(), DingtalkApi(), WecomApi()};
  return kRows;
}

}  // namespace

const ChatApi* FindChatApi(std::string_view platform) {
  const auto& rows = ApiRows();
  const auto* const row =
      std::find_if(rows.begin(), rows.end(), [&](const ChatApi& api) { return api.platform == platform; });
  return row == rows.end() ? nullptr : row;
}

OutgoingRequest ReplyRequest(std::string_view platform, const ChatPlace& place, const ChatAnswer& answer) {
  return JsonPost(place.reply_url, Rendered(platform, answer), "");
}

std::chrono::seconds RetryAfter(const OutgoingResponse& response) {
  for (const char* header : {"Retry-After", "x-ogw-ratelimit-reset"}) {
    int64_t seconds = 0;
    if (!absl::SimpleAtoi(Abs(response.Header(header)), &seconds)) continue;
    return std::clamp<std::chrono::seconds>(std::chrono::seconds(seconds), std::chrono::seconds(0), kMostChatWait);
  }
  return {};
}

ChatSent JudgeResult(const ChatApi& api, const HttpResult& result) {
  using Kind = ChatSent::Kind;
  if (const auto* failure = std::get_if<HttpFailure>(&result); failure != nullptr) {
    return {failure->sent ? Kind::kUnknown : Kind::kNotSent, "", failure->detail, {}};
  }
  const auto& response = std::get<OutgoingResponse>(result);
  const std::string status = absl::StrCat("status ", response.status);
  if (response.status == 429) return {Kind::kLimited, "", status, RetryAfter(response)};
  if (response.status >= 500) return {Kind::kUnknown, "", status, {}};
  ChatSent sent = api.judge(response);
  // Refused in other words than the API's own.
  if (sent.kind == Kind::kUnknown && response.status >= 400) return Refusal(status);
  return sent;
}

}  // namespace yardmaster::chat
