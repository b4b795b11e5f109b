// The chat platforms as listeners: one small HTTP server with five faces, which keeps what the bot says as the
// platforms would. The api_url of a platform is url(PLATFORM).
#ifndef YARDMASTER_TESTS_SUPPORT_CHAT_LISTENER_H_
#define YARDMASTER_TESTS_SUPPORT_CHAT_LISTENER_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/local_http_server.h"

namespace yardmaster::testing {

struct HeardInChat {
  std::string platform;
  std::string text;    // as it is shown
  std::string raw;     // the body
  std::string button;  // the value of its first button; empty: none
};

class ChatListener {
 public:
  ChatListener() : server_([this](LocalHttpServer::Connection& connection) { Serve(connection); }) {}

  std::string url(const std::string& platform) const { return server_.url() + "/" + platform; }
  // Answers come so much later; what was said is kept at once.
  void DelayAnswers(std::chrono::milliseconds delay) { delay_ = delay; }
  // Its own form of messages is refused: only plain text is taken.
  void RefuseForms(bool refuse) { refuse_forms_ = refuse; }

  std::vector<HeardInChat> Heard(std::string_view platform = "") const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<HeardInChat> out;
    for (const HeardInChat& one : heard_) {
      if (platform.empty() || one.platform == platform) out.push_back(one);
    }
    return out;
  }
  // True once so many messages were heard.
  bool WaitFor(std::string_view platform, size_t count,
               std::chrono::milliseconds most = std::chrono::seconds(8)) const {
    const auto end = std::chrono::steady_clock::now() + most;
    while (Heard(platform).size() < count) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

 private:
  using json = nlohmann::json;

  static std::string TextOf(const json& body) {
    if (body.contains("blocks")) {
      std::string text;
      for (const json& block : body["blocks"]) {
        if (block["type"] == "section") text += block["text"]["text"].get<std::string>();
      }
      return text;
    }
    if (body.contains("content") && body["content"].is_string()) {
      const json content = json::parse(body["content"].get<std::string>());
      return content.contains("text") ? content["text"] : content["elements"][0]["text"]["content"];
    }
    if (body.contains("markdown")) return body["markdown"].value("text", body["markdown"].value("content", ""));
    if (body.contains("props") && body["props"].contains("attachments")) {
      return body["props"]["attachments"][0]["text"];
    }
    if (body.contains("attachments")) return body["attachments"][0]["text"];
    if (body.contains("text")) return body["text"].is_object() ? body["text"]["content"] : body["text"];
    return body.value("message", "");
  }
  static std::string ButtonOf(const json& body) {
    if (body.contains("blocks") && body["blocks"].back()["type"] == "actions") {
      return body["blocks"].back()["elements"][0]["value"];
    }
    if (body.contains("content") && body["content"].is_string()) {
      const json content = json::parse(body["content"].get<std::string>());
      if (content.contains("elements") && content["elements"].back()["tag"] == "action") {
        return content["elements"].back()["actions"][0]["value"]["value"];
      }
    }
    return "";
  }

  // The number of what was said; 0 if it was refused. What the platform knows by its key is not said again.
  size_t Keep(const std::string& platform, const std::string& raw) {
    const json body = json::parse(raw);
    const bool form = body.contains("blocks") || body.contains("attachments") ||
                      (body.contains("props") && body["props"].contains("attachments")) ||
                      body.value("msgtype", "") == "markdown" || body.value("msg_type", "") == "interactive";
    if (form && refuse_forms_) return 0;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < heard_.size(); ++i) {
      const json other = json::parse(heard_[i].raw);
      const bool same = (platform == "feishu" && other.value("uuid", "") == body.value("uuid", "?")) ||
                        (platform == "wecom" && heard_[i].raw == raw);
      if (heard_[i].platform == platform && same) return i + 1;
    }
    heard_.push_back({platform, TextOf(body), raw, ButtonOf(body)});
    return heard_.size();
  }

  std::string SlackMessages() const {
    json messages = json::array();
    for (const HeardInChat& one : Heard("slack")) messages.push_back(json::parse(one.raw));
    return json({{"ok", true}, {"messages", messages}, {"has_more", false}}).dump();
  }
  std::string MattermostPosts() const {
    json posts = json::object();
    for (const HeardInChat& one : Heard("mattermost")) posts["p" + std::to_string(posts.size())] = json::parse(one.raw);
    return json({{"posts", posts}}).dump();
  }

  void Serve(LocalHttpServer::Connection& connection) {
    const std::string request = connection.ReadRequest();
    if (request.empty()) return;
    const size_t path_begin = request.find(' ') + 1;
    const std::string path = request.substr(path_begin, request.find(' ', path_begin) - path_begin);
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    const std::string platform = path.substr(1, path.find('/', 1) - 1);
    constexpr const char* kJson = "Content-Type: application/json\r\nConnection: close\r\n";
    if (path.find("conversations.") != std::string::npos) {
      connection.Answer(200, SlackMessages(), kJson);
    } else if (request.starts_with("GET ") && path.find("/posts") != std::string::npos) {
      connection.Answer(200, MattermostPosts(), kJson);
    } else if (path.find("tenant_access_token") != std::string::npos) {
      connection.Answer(200, R"({"code": 0, "tenant_access_token": "t", "expire": 7200})", kJson);
    } else if (path.find("gettoken") != std::string::npos) {
      connection.Answer(200, R"({"errcode": 0, "access_token": "t", "expires_in": 7200})", kJson);
    } else {
      const size_t number = Keep(platform, body);
      connection.Sleep(delay_.load());
      const std::string name = std::to_string(number);
      if (platform == "slack") {
        connection.Answer(
            200,
            number == 0 ? R"({"ok": false, "error": "invalid_blocks"})" : R"({"ok": true, "ts": ")" + name + R"(.1"})",
            kJson);
      } else if (platform == "mattermost") {
        connection.Answer(number == 0 ? 400 : 201, R"({"id": "p)" + name + R"("})", kJson);
      } else if (platform == "feishu") {
        connection.Answer(200,
                          number == 0 ? R"({"code": 230001, "msg": "no such form"})"
                                      : R"({"code": 0, "data": {"message_id": "m)" + name + R"("}})",
                          kJson);
      } else {
        connection.Answer(200,
                          number == 0 ? R"({"errcode": 40008, "errmsg": "no such form"})"
                                      : R"({"errcode": 0, "msgid": "w)" + name + R"("})",
                          kJson);
      }
    }
  }

  mutable std::mutex mutex_;  // guards heard_
  std::vector<HeardInChat> heard_;
  std::atomic<std::chrono::milliseconds> delay_{std::chrono::milliseconds(0)};
  std::atomic<bool> refuse_forms_{false};
  LocalHttpServer server_;  // last: it ends first
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_CHAT_LISTENER_H_
