// What the platforms' calls have in common: requests of JSON, and answers that are a number.
#ifndef YARDMASTER_CLIENTS_CHAT_CHAT_CALLS_H_
#define YARDMASTER_CLIENTS_CHAT_CHAT_CALLS_H_

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "clients/chat/chat_api.h"

namespace yardmaster::chat {

using CallJson = nlohmann::ordered_json;

std::string DumpBody(const CallJson& body);

OutgoingRequest JsonPost(std::string url, const CallJson& body, std::string_view bearer);
OutgoingRequest JsonGet(std::string url, std::string_view bearer);

// A rendered answer, to be completed; its text without what the platform does not show (plain_markdown.h).
CallJson Rendered(std::string_view platform, const ChatAnswer& answer);

// The message that the thread of an answer begins with; empty: none.
const std::string& ThreadOf(const ChatPlace& place);

ChatSent Refusal(std::string_view reason);
ChatSent Unreadable();

// The whole number at `key`; nullopt: there is none.
std::optional<int64_t> CodeOf(const nlohmann::json& body, std::string_view key);

// An answer that is a number at `key`: 0, one of those for a token or a limit, or a refusal.
struct CodeWords {
  std::string_view key;
  std::string_view text_key;
  std::initializer_list<int64_t> no_token;
  std::initializer_list<int64_t> limited;
};
ChatSent JudgeCode(const nlohmann::json& body, const CodeWords& words, std::string_view message);

// A token in an answer; nullopt: there is none, or its life is none.
std::optional<ChatToken> TokenAt(const nlohmann::json& body, std::string_view token_key, std::string_view life_key);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_CHAT_CALLS_H_
