#include "clients/chat/chat_calls.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/chat/plain_markdown.h"
#include "clients/chat/platform.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {

std::string DumpBody(const CallJson& body) { return body.dump(-1, ' ', false, CallJson::error_handler_t::replace); }

OutgoingRequest JsonPost(std::string url, const CallJson& body, std::string_view bearer) {
  OutgoingRequest request = JsonGet(std::move(url), bearer);
  request.method = "POST";
  request.headers.push_back({"Content-Type", "application/json; charset=utf-8"});
  request.body = DumpBody(body);
  return request;
}

OutgoingRequest JsonGet(std::string url, std::string_view bearer) {
  OutgoingRequest request;
  request.url = std::move(url);
  if (!bearer.empty()) request.headers.push_back({"Authorization", absl::StrCat("Bearer ", Abs(bearer))});
  request.limits.body_bytes = kMaxChatBodyBytes;
  request.timeout = std::chrono::seconds(10);
  return request;
}

CallJson Rendered(std::string_view platform, const ChatAnswer& answer) {
  const ChatPlatform& row = *FindChatPlatform(platform);
  ChatAnswer shown = answer;
  shown.text = PlainMarkdown(answer.text, row.is_markdown);
  return CallJson::parse(shown.plain ? RenderPlain(platform, shown) : row.render(shown), nullptr, false);
}

const std::string& ThreadOf(const ChatPlace& place) { return place.thread.empty() ? place.message : place.thread; }

ChatSent Refusal(std::string_view reason) { return {ChatSent::Kind::kRefused, "", std::string(reason), {}}; }

ChatSent Unreadable() { return {ChatSent::Kind::kUnknown, "", "the platform's answer can't be read", {}}; }

std::optional<int64_t> CodeOf(const nlohmann::json& body, std::string_view key) {
  const nlohmann::json* code = ValueAt(body, {key});
  if (code == nullptr || !code->is_number_integer()) return std::nullopt;
  return code->get<int64_t>();
}

ChatSent JudgeCode(const nlohmann::json& body, const CodeWords& words, std::string_view message) {
  using Kind = ChatSent::Kind;
  const std::optional<int64_t> code = CodeOf(body, words.key);
  if (!code.has_value()) return Unreadable();
  if (*code == 0) return {Kind::kSent, std::string(message), "", {}};
  const std::string reason = absl::StrCat(*code, " ", Abs(TextAt(body, {words.text_key})));
  const auto is_in = [&](std::initializer_list<int64_t> list) {
    return std::find(list.begin(), list.end(), *code) != list.end();
  };
  return {is_in(words.no_token)  ? Kind::kNoToken
          : is_in(words.limited) ? Kind::kLimited
                                 : Kind::kRefused,
          "",
          reason,
          {}};
}

std::optional<ChatToken> TokenAt(const nlohmann::json& body, std::string_view token_key, std::string_view life_key) {
  const std::optional<int64_t> life = CodeOf(body, life_key);
  ChatToken token{std::string(TextAt(body, {token_key})), std::chrono::seconds(life.value_or(0))};
  // A day is more than any of them gives.
  if (token.text.empty() || token.life.count() <= 0 || token.life > std::chrono::hours(24)) return std::nullopt;
  return token;
}

}  // namespace yardmaster::chat
