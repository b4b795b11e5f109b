#include "clients/chat/chat_client.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace yardmaster::chat {
namespace {

using Kind = ChatSent::Kind;

// Pages of messages that are looked through for one of ours.
constexpr int kMostPages = 10;
// The platform's clock and ours differ by less.
constexpr std::chrono::seconds kLookMargin{60};

// What came of a second way after a refusal. Where it did no better, the refusal says more.
ChatSent Better(const ChatSent& refused, const ChatSent& second) {
  const bool better = second.kind == Kind::kSent || second.kind == Kind::kUnknown || second.kind == Kind::kLimited;
  return better ? second : refused;
}

}  // namespace

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

bool ChatClient::HasApi() const {
  return api_.post != nullptr && api_.has_credentials != nullptr && api_.has_credentials(config_);
}

ChatSent ChatClient::Send(const ChatPlace& place, const ChatAnswer& answer, std::string_view key) {
  ChatSent sent = SendOnce(place, answer, key);
  ChatAnswer other = answer;
  if (sent.kind == Kind::kRefused && other.only_for_asker) {
    other.only_for_asker = false;
    sent = Better(sent, SendOnce(place, other, key));
  }
  if (sent.kind == Kind::kRefused && !other.plain) {
    other.plain = true;
    sent = Better(sent, SendOnce(place, other, key));
  }
  return sent;
}

ChatSent ChatClient::SendAgain(const ChatPlace& place, const ChatAnswer& answer, std::string_view key,
                               std::chrono::system_clock::time_point sent_at) {
  const bool by_key = api_.one_of_a_key.count() > 0 && HasApi() && !HasAddress(place);
  if (by_key && clock_.Now() - sent_at < api_.one_of_a_key) return Send(place, answer, key);
  const ChatSent nobody_knows = {
      Kind::kUnknown, "", "the platform does not show whether it is there, so it is not sent again", {}};
  // What one person alone sees is in no list.
  if (api_.look == nullptr || !HasApi() || answer.only_for_asker) return nobody_knows;
  std::string cursor;
  for (int page = 0; page < kMostPages; ++page) {
    const HttpResult result = http_.Send(api_.look(config_, place, sent_at - kLookMargin, cursor));
    const auto* response = std::get_if<OutgoingResponse>(&result);
    // It is looked for again later.
    if (response == nullptr) return {Kind::kLimited, "", std::get<HttpFailure>(result).detail, {}};
    if (response->status == 429 || response->status >= 500) {
      ChatSent later = JudgeResult(api_, result);
      later.kind = Kind::kLimited;
      return later;
    }
    const ChatFound found = api_.find(*response, key);
    if (found.sent.kind == Kind::kNoToken) return {Kind::kLimited, "", found.sent.reason, {}};
    if (found.sent.kind == Kind::kRefused) return {Kind::kUnknown, "", found.sent.reason, {}};
    if (found.sent.kind != Kind::kNotSent || found.cursor.empty()) return found.sent;
    cursor = found.cursor;
  }
  return nobody_knows;
}

ChatSent ChatClient::Edit(const ChatPlace& place, std::string_view message, const ChatAnswer& answer) {
  if (!CanEdit()) return {Kind::kNoPlace, "", "messages can't be changed here", {}};
  return Call([&](const std::string& token) { return api_.edit(config_, place, message, answer, token); });
}

ChatSent ChatClient::SendOnce(const ChatPlace& place, const ChatAnswer& answer, std::string_view key) {
  const bool api_first = answer.changes && CanEdit();
  if (HasAddress(place) && !api_first) {
    ChatSent sent = SendByAddress(place, answer);
    // An address ends before its time, too.
    return sent.kind == Kind::kRefused && HasApi() ? Better(sent, SendByApi(place, answer, key)) : sent;
  }
  if (!HasApi()) {
    return {Kind::kNoPlace, "", "the address for answers has ended, and there are no credentials for the API", {}};
  }
  ChatSent sent = SendByApi(place, answer, key);
  const bool elsewhere = sent.kind == Kind::kRefused || sent.kind == Kind::kNoToken;
  return elsewhere && HasAddress(place) ? Better(sent, SendByAddress(place, answer)) : sent;
}

ChatSent ChatClient::SendByAddress(const ChatPlace& place, const ChatAnswer& answer) {
  return JudgeResult(api_, http_.Send(ReplyRequest(api_.platform, place, answer)));
}

ChatSent ChatClient::SendByApi(const ChatPlace& place, const ChatAnswer& answer, std::string_view key) {
  return Call([&](const std::string& token) { return api_.post(config_, place, answer, token, key); });
}

template <typename MakeRequest>
ChatSent ChatClient::Call(MakeRequest make) {
  if (api_.ask_token == nullptr) return JudgeResult(api_, http_.Send(make(std::string())));
  std::string refused;
  ChatSent sent;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string token = Token(refused, sent);
    if (token.empty()) return sent;
    sent = JudgeResult(api_, http_.Send(make(token)));
    if (sent.kind != Kind::kNoToken) return sent;
    refused = token;
  }
  return sent;
}

}  // namespace yardmaster::chat
