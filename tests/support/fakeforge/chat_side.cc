#include "tests/support/fakeforge/chat_side.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tests/support/chat_faces.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;

// What the platforms document, for one channel, application or member.
struct ChatLimit {
  std::string_view platform;
  size_t messages;
  std::chrono::milliseconds within;
};
// A second on the way is not a second here.
constexpr std::chrono::milliseconds kSecond{700};
constexpr ChatLimit kChatLimits[] = {{"slack", 1, kSecond},
                                     {"mattermost", 10, kSecond},
                                     {"feishu", 5, kSecond},
                                     {"dingtalk", 20, std::chrono::minutes(1)},
                                     {"wecom", 30, std::chrono::minutes(1)}};

Answer ChatAnswer(int status, const json& body) {
  return {.status = status, .body = body.dump(-1, ' ', false, json::error_handler_t::replace)};
}

// A message that is given by a text of JSON inside of its body, as Feishu and DingTalk do it; else the body itself.
json Inner(const json& body, const char* key) {
  return body.contains(key) && body[key].is_string() ? json::parse(body[key].get<std::string>(), nullptr, false) : body;
}

json AttachmentOf(const json& body) {
  if (body.contains("attachments")) return body["attachments"][0];
  if (body.contains("props") && body["props"].contains("attachments")) return body["props"]["attachments"][0];
  return json::object();
}

std::string ShownText(const json& body) {
  if (body.contains("blocks") && !body["blocks"].empty()) {
    std::string text;
    for (const json& block : body["blocks"]) {
      if (block["type"] == "section") text += block["text"]["text"].get<std::string>();
    }
    return text;
  }
  if (body.contains("content")) {
    const json content = Inner(body, "content");
    return content.contains("text") ? content["text"] : content["elements"][0]["text"]["content"];
  }
  if (body.contains("msgParam")) {
    const json shown = Inner(body, "msgParam");
    return shown.value("text", shown.value("content", ""));
  }
  if (body.contains("template_card")) return body["template_card"]["sub_title_text"];
  if (body.contains("actionCard")) return body["actionCard"]["text"];
  if (body.contains("markdown")) return body["markdown"].value("text", body["markdown"].value("content", ""));
  if (const json attachment = AttachmentOf(body); attachment.contains("text")) return attachment["text"];
  if (body.contains("text")) return body["text"].is_object() ? body["text"]["content"] : body["text"];
  return body.value("message", "");
}

std::vector<std::string> ButtonValues(const json& body) {
  std::vector<std::string> values;
  if (body.contains("blocks") && !body["blocks"].empty() && body["blocks"].back()["type"] == "actions") {
    for (const json& button : body["blocks"].back()["elements"]) values.push_back(button["value"]);
  } else if (body.contains("content")) {
    const json content = Inner(body, "content");
    if (content.contains("elements") && content["elements"].back()["tag"] == "action") {
      for (const json& button : content["elements"].back()["actions"]) values.push_back(button["value"]["value"]);
    }
  } else if (body.contains("actionCard")) {
    for (const json& button : body["actionCard"]["btns"]) values.push_back(button["actionURL"]);
  } else if (body.contains("msgParam")) {
    const json shown = Inner(body, "msgParam");
    for (const auto& [key, value] : shown.items()) {
      if (key.starts_with("actionURL") || key == "singleURL") values.push_back(value);
    }
  } else if (body.contains("template_card")) {
    for (const json& button : body["template_card"]["button_list"]) values.push_back(button["key"]);
  } else if (const json attachment = AttachmentOf(body); attachment.contains("actions")) {
    for (const json& button : attachment["actions"]) values.push_back(button["integration"]["context"]["value"]);
  }
  return values;
}

bool IsOwnForm(const json& body) {
  return (body.contains("blocks") && !body["blocks"].empty()) || !AttachmentOf(body).empty() ||
         body.value("msgtype", "") == "markdown" || body.value("msgtype", "") == "actionCard" ||
         body.value("msgtype", "") == "template_card" || body.value("msg_type", "") == "interactive" ||
         body.value("msgKey", "") == "sampleMarkdown" || body.value("msgKey", "").starts_with("sampleActionCard");
}

// Addresses for answers are credentials by themselves.
bool IsAddress(const Request& request) { return request.path().find("/session") != std::string_view::npos; }

bool HasToken(const std::string& platform, const Request& request, const std::string& secret) {
  if (platform == "wecom") return request.Parameter("access_token") == "t";
  if (platform == "dingtalk") return request.Header("x-acs-dingtalk-access-token") == "t";
  const std::string token = platform == "feishu" ? "t" : secret;
  return request.Header("Authorization") == "Bearer " + token;
}

Answer Refuse(const std::string& platform, std::string_view why) {
  if (platform == "slack") return ChatAnswer(200, {{"ok", false}, {"error", why}});
  if (platform == "mattermost") return ChatAnswer(why == "invalid_auth" ? 401 : 400, {{"message", why}});
  if (platform == "feishu") return ChatAnswer(200, {{"code", why == "invalid_auth" ? 99991663 : 230001}, {"msg", why}});
  return ChatAnswer(200, {{"errcode", why == "invalid_auth" ? 40014 : 40008}, {"errmsg", why}});
}

Answer Sent(const std::string& platform, const std::string& id, bool by_address) {
  if (platform == "slack") {
    return by_address ? Answer{.content_type = "text/plain", .body = "ok"}
                      : ChatAnswer(200, {{"ok", true}, {"ts", id}});
  }
  if (platform == "mattermost")
    return ChatAnswer(by_address ? 200 : 201, by_address ? json::object() : json{{"id", id}});
  if (platform == "feishu") return ChatAnswer(200, {{"code", 0}, {"data", {{"message_id", id}}}});
  if (platform == "dingtalk" && !by_address) return ChatAnswer(200, {{"processQueryKey", id}});
  return ChatAnswer(200, {{"errcode", 0}, {"msgid", id}});
}

Answer TooFast(const std::string& platform) {
  if (platform == "feishu") return ChatAnswer(400, {{"code", 99991400}, {"msg", "too fast"}});
  if (platform == "dingtalk") return ChatAnswer(200, {{"errcode", 130101}, {"errmsg", "too fast"}});
  if (platform == "wecom") return ChatAnswer(200, {{"errcode", 45009}, {"errmsg", "too fast"}});
  Answer answer{.status = 429};
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

// Whom a message goes to, where that is one person.
std::string OnlyFor(const json& body, const Request& request) {
  if (request.path().ends_with("chat.postEphemeral")) return body.value("user", "");
  if (body.contains("user_id")) return body["user_id"];
  if (body.value("response_type", "") == "ephemeral") return "the one who asked";
  if (request.Parameter("receive_id_type") == "open_id") return body.value("receive_id", "");
  if (body.contains("userIds")) return body["userIds"][0];
  return body.value("touser", "");
}

}  // namespace

ChatSide::ChatSide(std::string secret)
    : secret_(secret.empty() ? std::string(testing::kChatSecret) : std::move(secret)) {}

bool ChatSide::IsOverLimit(const std::string& platform, const std::string& place) {
  const auto* const limit = std::find_if(std::begin(kChatLimits), std::end(kChatLimits),
                                         [&](const ChatLimit& one) { return one.platform == platform; });
  const auto now = std::chrono::steady_clock::now();
  auto& recent = recent_[platform + " " + place];
  while (!recent.empty() && recent.front() + limit->within <= now) recent.pop_front();
  if (recent.size() >= limit->messages) return true;
  recent.push_back(now);
  return false;
}

void ChatSide::NoteSaid(const std::string& message, const std::string& channel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  said_in_[message] = channel;
}

Answer ChatSide::Post(const std::string& platform, const Request& request, const json& given) {
  // Mattermost's message for one person holds the post.
  const json& body = given.contains("post") ? given["post"] : given;
  if (refuse_forms_ && IsOwnForm(body)) return Refuse(platform, "invalid_blocks");
  HeardInChat heard;
  heard.platform = platform;
  heard.only_for = OnlyFor(given, request);
  heard.channel = body.value("channel", body.value("channel_id", body.value("openConversationId", "")));
  if (heard.channel.empty() && heard.only_for.empty()) heard.channel = body.value("receive_id", "");
  heard.answers = body.value("thread_ts", body.value("root_id", ""));
  const std::vector<std::string> parts = request.Parts();
  if (parts.back() == "reply") heard.answers = parts[parts.size() - 2];
  heard.raw = body.dump();
  heard.text = ShownText(body);
  heard.texts = {heard.text};
  heard.buttons = ButtonValues(body);
  if (!heard.buttons.empty()) heard.button = heard.buttons.front();
  heard.time_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string place = platform == "wecom" ? heard.only_for : heard.channel;
  // A reply on Feishu names no channel.
  if (const auto said = said_in_.find(heard.answers); place.empty() && said != said_in_.end()) place = said->second;
  if (!IsAddress(request) && IsOverLimit(platform, place)) {
    ++over_limit_;
    return TooFast(platform);
  }
  // What the platform knows by its key is not said again.
  for (const HeardInChat& other : heard_) {
    const json before = json::parse(other.raw, nullptr, false);
    const bool same =
        other.platform == platform && ((platform == "feishu" && before.value("uuid", "") == body.value("uuid", "?")) ||
                                       (platform == "wecom" && other.raw == heard.raw));
    if (same) return Sent(platform, other.id, false);
  }
  heard.id = std::to_string(heard_.size() + 1) + (platform == "slack" ? ".1" : "");
  const std::string id = heard.id;
  heard_.push_back(std::move(heard));
  return Sent(platform, id, IsAddress(request));
}

Answer ChatSide::Change(const std::string& platform, const std::string& id, const json& body, std::string_view raw) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (HeardInChat& one : heard_) {
    if (one.platform != platform || one.id != id) continue;
    one.text = ShownText(body);
    one.texts.push_back(one.text);
    one.raw = raw;
    one.buttons = ButtonValues(body);
    one.button = one.buttons.empty() ? "" : one.buttons.front();
    return Sent(platform, id, false);
  }
  return Refuse(platform, "message_not_found");
}

Answer ChatSide::List(const std::string& platform, const Request& request) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool slack = platform == "slack";
  const double since =
      std::strtod(request.Parameter(slack ? "oldest" : "since").c_str(), nullptr) * (slack ? 1'000 : 1);
  json messages = json::array();
  json posts = json::object();
  for (const HeardInChat& one : heard_) {
    if (one.platform != platform || !one.only_for.empty() || static_cast<double>(one.time_ms) < since) continue;
    json message = json::parse(one.raw, nullptr, false);
    message["ts"] = one.id;
    posts[one.id] = message;
    messages.push_back(std::move(message));
  }
  return slack ? ChatAnswer(200, {{"ok", true}, {"messages", messages}, {"has_more", false}})
               : ChatAnswer(200, {{"posts", posts}});
}

Answer ChatSide::Handle(const Request& request) {
  const std::vector<std::string> parts = request.Parts();
  if (parts.empty()) return {.status = 404};
  const std::string& platform = parts.front();
  const std::string call = parts.size() > 1 ? parts.back() : "";
  if (call == "internal" || call == "accessToken") {
    return ChatAnswer(
        200, {{"code", 0}, {"tenant_access_token", "t"}, {"expire", 7200}, {"accessToken", "t"}, {"expireIn", 7200}});
  }
  if (call == "gettoken") return ChatAnswer(200, {{"errcode", 0}, {"access_token", "t"}, {"expires_in", 7200}});
  if (!IsAddress(request) && !HasToken(platform, request, secret_)) {
    ++without_token_;
    return Refuse(platform, "invalid_auth");
  }
  if (request.method == "GET") return List(platform, request);
  const json body = json::parse(request.body, nullptr, false);
  if (!body.is_object()) return {.status = 400};
  if (call == "chat.update") return Change(platform, body.value("ts", ""), body, request.body);
  if (request.method == "PATCH") return Change(platform, call, body, request.body);
  if (request.method == "PUT" && parts.size() > 2) return Change(platform, parts[parts.size() - 2], body, request.body);
  return Post(platform, request, body);
}

std::vector<HeardInChat> ChatSide::Heard(std::string_view platform) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<HeardInChat> out;
  for (const HeardInChat& one : heard_) {
    if (platform.empty() || one.platform == platform) out.push_back(one);
  }
  return out;
}

}  // namespace yardmaster::fakeforge
