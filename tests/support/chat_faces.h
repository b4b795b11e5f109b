// The chat platforms as senders: what a person says, as each of them sends it, signed and encrypted with the secrets
// below. tests/data/chat/vectors.json proves the same schemes by other programs.
#ifndef YARDMASTER_TESTS_SUPPORT_CHAT_FACES_H_
#define YARDMASTER_TESTS_SUPPORT_CHAT_FACES_H_

#include <openssl/evp.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "clients/chat/crypto.h"
#include "clients/chat/wecom_crypto.h"
#include "services/core/sha256.h"

namespace yardmaster::testing {

// The value of every secret of every platform but one, and of every id.
inline constexpr std::string_view kChatSecret = "a-secret-of-the-chat";
inline constexpr std::string_view kChatAesKey = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
inline constexpr std::string_view kChatAppId = "app1";

struct SignedChatRequest {
  std::map<std::string, std::string, std::less<>> headers;
  std::string query;
  std::string body;
};

// AES-256-CBC with PKCS#7 up to `block` bytes.
inline std::string EncryptAes(std::string_view key, std::string_view iv, std::string text, size_t block) {
  const size_t padding = block - text.size() % block;
  text.append(padding, static_cast<char>(padding));
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                EVP_CIPHER_CTX_free);
  const auto bytes = [](std::string_view view) { return reinterpret_cast<const unsigned char*>(view.data()); };
  EVP_EncryptInit_ex(context.get(), EVP_aes_256_cbc(), nullptr, bytes(key), bytes(iv));
  EVP_CIPHER_CTX_set_padding(context.get(), 0);
  std::string out(text.size() + 16, '\0');
  int size = 0;
  EVP_EncryptUpdate(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size, bytes(text),
                    static_cast<int>(text.size()));
  out.resize(static_cast<size_t>(size));
  return out;
}

// Feishu's envelope of a text.
inline std::string FeishuEnvelope(std::string_view text, std::string_view secret = kChatSecret) {
  const Sha256Bytes key = Sha256(secret);
  const std::string iv(16, 'i');
  const std::string encrypted =
      EncryptAes({reinterpret_cast<const char*>(key.data()), key.size()}, iv, std::string(text), 16);
  return nlohmann::json({{"encrypt", chat::Base64(iv + encrypted)}}).dump();
}

// What WeCom encrypts: random bytes, the length, the message, the receiver.
inline std::string WecomPlain(std::string_view message) {
  std::string plain(16, 'r');
  for (int shift = 24; shift >= 0; shift -= 8) plain.push_back(static_cast<char>(message.size() >> shift));
  return plain.append(message).append(kChatAppId);
}

// A body with what the platform puts around it. Of WeCom it is what is encrypted.
inline SignedChatRequest SignChatBody(std::string_view platform, std::string body,
                                      std::chrono::system_clock::time_point now,
                                      const std::string& secret = std::string(kChatSecret)) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const std::string time = std::to_string(seconds);
  SignedChatRequest request;
  request.headers["Content-Type"] = "application/json";
  request.body = std::move(body);
  if (platform == "slack") {
    request.headers["X-Slack-Request-Timestamp"] = time;
    request.headers["X-Slack-Signature"] = "v0=" + chat::HmacSha256Hex(secret, "v0:" + time + ":" + request.body);
  } else if (platform == "mattermost") {
    request.headers["Authorization"] = "Token " + secret;
  } else if (platform == "dingtalk") {
    request.headers["timestamp"] = time + "000";
    request.headers["sign"] = chat::Base64(chat::HmacSha256(secret, time + "000\n" + secret));
  } else if (platform == "feishu") {
    request.headers["X-Lark-Request-Timestamp"] = time;
    request.headers["X-Lark-Request-Nonce"] = "n";
    request.headers["X-Lark-Signature"] = Sha256Hex(time + "n" + secret + request.body);
  } else if (platform == "wecom") {
    const std::string key = *chat::FromBase64(std::string(kChatAesKey) + "=");
    const std::string text = chat::Base64(EncryptAes(key, key.substr(0, 16), request.body, 32));
    request.headers["Content-Type"] = "text/xml";
    request.query = "timestamp=" + time + "&nonce=n&msg_signature=" + chat::WecomSignature(secret, time, "n", text);
    request.body = "<xml><Encrypt>" + text + "</Encrypt></xml>";
  }
  return request;
}

struct SaidInChat {
  std::string id;  // of the event; digits
  std::string user;
  std::string channel;
  std::string text;            // a button's value where it is pressed
  std::string reply_url = {};  // for answers; of the platforms that send one
  bool slash = false;          // said as a slash command; of the platforms that have some
  std::string message = {};    // pressed: whose button it is
  std::string secret = std::string(kChatSecret);
};

// Bytes that are no text are replaced, as every platform does.
inline std::string ChatJson(const nlohmann::json& body) {
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

inline std::string FormEncoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
  }
  return out;
}

inline SignedChatRequest SignChatForm(std::string_view platform, const std::map<std::string, std::string>& fields,
                                      std::chrono::system_clock::time_point now, const std::string& secret) {
  std::string form;
  for (const auto& [name, value] : fields) form += (form.empty() ? "" : "&") + name + "=" + FormEncoded(value);
  SignedChatRequest request = SignChatBody(platform, form, now, secret);
  request.headers["Content-Type"] = "application/x-www-form-urlencoded";
  return request;
}

// What a person's press of a button is.
inline SignedChatRequest PressInChat(std::string_view platform, const SaidInChat& pressed,
                                     std::chrono::system_clock::time_point now) {
  using nlohmann::json;
  if (platform == "slack") {
    json payload = {{"type", "block_actions"},
                    {"trigger_id", pressed.id},
                    {"channel", {{"id", pressed.channel}}},
                    {"user", {{"id", pressed.user}}},
                    {"container", {{"message_ts", pressed.message}}},
                    {"actions", {{{"value", pressed.text}}}}};
    if (!pressed.reply_url.empty()) payload["response_url"] = pressed.reply_url;
    return SignChatForm(platform, {{"payload", ChatJson(payload)}}, now, pressed.secret);
  }
  if (platform == "mattermost") {
    const json body = {{"user_id", pressed.user},
                       {"channel_id", pressed.channel},
                       {"post_id", pressed.message},
                       {"trigger_id", pressed.id},
                       {"context", {{"value", pressed.text}}}};
    // It carries no token.
    SignedChatRequest request;
    request.headers["Content-Type"] = "application/json";
    request.body = ChatJson(body);
    return request;
  }
  if (platform == "feishu") {
    const json body = {
        {"header", {{"event_id", pressed.id}, {"event_type", "card.action.trigger"}, {"token", pressed.secret}}},
        {"event",
         {{"operator", {{"open_id", pressed.user}}},
          {"action", {{"value", {{"value", pressed.text}}}}},
          {"context", {{"open_chat_id", pressed.channel}, {"open_message_id", pressed.message}}}}}};
    return SignChatBody(platform, FeishuEnvelope(ChatJson(body), pressed.secret), now, pressed.secret);
  }
  if (platform == "dingtalk") {
    const json content = {{"cardPrivateData", {{"params", {{"value", pressed.text}}}}}};
    const json body = {{"type", "actionCallback"},
                       {"outTrackId", pressed.message},
                       {"userId", pressed.user},
                       {"spaceId", pressed.channel},
                       {"content", ChatJson(content)}};
    return SignChatBody(platform, ChatJson(body), now, pressed.secret);
  }
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return SignChatBody(
      platform,
      WecomPlain("<xml><FromUserName>" + pressed.user + "</FromUserName><CreateTime>" + std::to_string(time) +
                 "</CreateTime><MsgType>event</MsgType><Event>template_card_event</Event><EventKey><![CDATA[" +
                 pressed.text + "]]></EventKey><TaskId>" + pressed.message + "</TaskId><ResponseCode>" + pressed.id +
                 "</ResponseCode><AgentID>" + pressed.channel + "</AgentID></xml>"),
      now, pressed.secret);
}

// What a person says to the bot, as the platform sends it at `now`.
inline SignedChatRequest SayInChat(std::string_view platform, const SaidInChat& said,
                                   std::chrono::system_clock::time_point now) {
  using nlohmann::json;
  if (said.slash) {
    const std::map<std::string, std::string> fields = {{"command", "/yard"},         {"trigger_id", said.id},
                                                       {"channel_id", said.channel}, {"user_id", said.user},
                                                       {"text", said.text},          {"response_url", said.reply_url}};
    return SignChatForm(platform, fields, now, said.secret);
  }
  json body;
  if (platform == "slack") {
    body = {{"type", "event_callback"},
            {"event_id", said.id},
            {"event",
             {{"type", "app_mention"},
              {"user", said.user},
              {"channel", said.channel},
              {"ts", said.id + ".1"},
              {"text", "<@UBOT> " + said.text}}}};
  } else if (platform == "mattermost") {
    body = {{"post_id", said.id}, {"user_id", said.user}, {"channel_id", said.channel}, {"text", said.text}};
  } else if (platform == "dingtalk") {
    body = {{"msgtype", "text"},       {"msgId", said.id},           {"conversationId", said.channel},
            {"conversationType", "2"}, {"senderStaffId", said.user}, {"text", {{"content", said.text}}}};
    if (!said.reply_url.empty()) {
      const auto end =
          std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() + 3'600'000;
      body["sessionWebhook"] = said.reply_url;
      body["sessionWebhookExpiredTime"] = end;
    }
  } else if (platform == "feishu") {
    const json content = {{"text", "@_user_1 " + said.text}};
    body = {{"header", {{"event_id", said.id}, {"event_type", "im.message.receive_v1"}, {"token", said.secret}}},
            {"event",
             {{"sender", {{"sender_id", {{"open_id", said.user}}}}},
              {"message",
               {{"message_id", "m" + said.id},
                {"chat_id", said.channel},
                {"chat_type", "group"},
                {"message_type", "text"},
                {"content", ChatJson(content)},
                {"mentions", {{{"key", "@_user_1"}, {"name", "yard"}, {"mentioned_type", "bot"}}}}}}}}};
    return SignChatBody(platform, FeishuEnvelope(ChatJson(body), said.secret), now, said.secret);
  } else {
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    return SignChatBody(
        platform,
        WecomPlain("<xml><FromUserName>" + said.user + "</FromUserName><CreateTime>" + std::to_string(time) +
                   "</CreateTime><MsgType>text</MsgType><Content><![CDATA[" + said.text + "]]></Content><MsgId>" +
                   said.id + "</MsgId><AgentID>" + said.channel + "</AgentID></xml>"),
        now, said.secret);
  }
  return SignChatBody(platform, ChatJson(body), now, said.secret);
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_CHAT_FACES_H_
