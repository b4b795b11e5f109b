#include "clients/chat/chat_client.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace yardmaster::chat {

ChatClient::ChatClient(std::string_view platform, PlatformConfig config, HttpClient& http, const Clock& clock)
    : api_(*FindChatApi(platform)), config_(std::move(config)), http_(http), clock_(clock) {}

std::string ChatClient::Token(const std::string& refused, ChatSent& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool good = !token_.empty() && token_ != refused && clock_.Monotonic() < token_until_;
  if (good) return token_;
  token_.clear();
  const HttpResult result = http_.Send(api_.ask_token(config_));
  const auto* response = std::get_if<OutgoingResponse>(&result);
  const std::optional<ChatToken> token = response == nullptr ? std::nullopt : api_.read_token(*response);
  if (!token.has_value()) {
    why = JudgeResult(api_, result);
    // Whatever became of the question, the answer was not sent.
    if (why.kind != ChatSent::Kind::kLimited)
      why.kind = why.kind == ChatSent::Kind::kRefused ? ChatSent::Kind::kNoToken : ChatSent::Kind::kNotSent;
    return {};
  }
  token_ = token->text;
  const auto margin = std::min<std::chrono::seconds>(kTokenMargin, token->life / 2);
  token_until_ = clock_.Monotonic() + token->life - margin;
  return token_;
}

bool ChatClient::HasAddress(const ChatPlace& place) const {
  return !place.reply_url.empty() && clock_.Now() + kReplyMargin < place.reply_until;
}

ChatSent ChatClient::Send(const ChatPlace& place, const ChatAnswer& answer, std::string_view key) {
  ChatSent sent = SendOnce(place, answer, key);
  if (sent.kind != ChatSent::Kind::kRefused || answer.plain) return sent;
  ChatAnswer plain = answer;
  plain.plain = true;
  ChatSent second = SendOnce(place, plain, key);
  // Where the second did no better, the first refusal says more.
  using Kind = ChatSent::Kind;
  const bool better = second.kind == Kind::kSent || second.kind == Kind::kUnknown || second.kind == Kind::kLimited;
  return better ? second : sent;
}

ChatSent ChatClient::SendAgain(const ChatPlace& place, const ChatAnswer& answer, std::string_view key) {
  const bool by_api = api_.has_credentials != nullptr && api_.has_credentials(config_);
  if (api_.one_of_a_key && by_api && !HasAddress(place)) return Send(place, answer, key);
  ChatSent nobody_knows = {
      ChatSent::Kind::kUnknown, "", "the platform does not show whether it is there, so it is not sent again", {}};
  if (api_.look == nullptr || !by_api) return nobody_knows;
  const HttpResult result = http_.Send(api_.look(config_, place));
  const auto* response = std::get_if<OutgoingResponse>(&result);
  if (response == nullptr) return {ChatSent::Kind::kLimited, "", std::get<HttpFailure>(result).detail, {}};
  if (response->status == 429 || response->status >= 500) {
    return {ChatSent::Kind::kLimited, "", JudgeResult(api_, result).reason, {}};
  }
  return api_.find(*response, key);
}

ChatSent ChatClient::SendOnce(const ChatPlace& place, const ChatAnswer& answer, std::string_view key) {
  if (HasAddress(place)) {
    return JudgeResult(api_, http_.Send(ReplyRequest(api_.platform, place, answer)));
  }
  if (api_.post == nullptr || !api_.has_credentials(config_)) {
    return {ChatSent::Kind::kNoPlace,
            "",
            "the address for answers has ended, and there are no credentials for the API",
            {}};
  }
  if (api_.ask_token == nullptr) return JudgeResult(api_, http_.Send(api_.post(config_, place, answer, "", key)));
  std::string refused;
  ChatSent sent;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string token = Token(refused, sent);
    if (token.empty()) return sent;
    sent = JudgeResult(api_, http_.Send(api_.post(config_, place, answer, token, key)));
    if (sent.kind != ChatSent::Kind::kNoToken) return sent;
    refused = token;
  }
  return sent;
}

}  // namespace yardmaster::chat
