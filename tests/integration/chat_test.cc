// The real yardmasterd behind five chat platforms: receipts in time, each message kept once, also over a kill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/chat_faces.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;
using testing::RawConnection;
using testing::SayInChat;
using testing::SignedChatRequest;
using ::testing::StartsWith;

const std::vector<std::string> kChatFaces = {"slack", "mattermost", "feishu", "dingtalk", "wecom"};

class ChatTest : public testing::PipeTest {
 protected:
  void SetUp() override {
    dir_.Write("chat.secret", std::string(testing::kChatSecret));
    dir_.Write("chat.aes", std::string(testing::kChatAesKey));
    http_ = "127.0.0.1:" + std::to_string(testing::FreePort());
    grpc_ = "127.0.0.1:" + std::to_string(testing::FreePort());
    const json secret = {{"file", "chat.secret"}};
    const json channels = {{"9", {{"repository", "github:octo/repo"}, {"may", {"read"}}}}};
    const json config = {
        {"listen", {{"http", http_}, {"grpc", grpc_}}},
        {"forges", {{"github", {{"api_url", "http://127.0.0.1:1"}}}}},
        {"allow_anonymous_loopback", true},
        {"chat",
         {{"slack", {{"signing_secret", secret}, {"channels", channels}}},
          {"mattermost", {{"token", secret}, {"api_url", "https://chat.example.org"}, {"channels", channels}}},
          {"feishu", {{"encrypt_key", secret}, {"verification_token", secret}, {"channels", channels}}},
          {"dingtalk", {{"app_secret", secret}, {"channels", channels}}},
          {"wecom",
           {{"corp_id", std::string(testing::kChatAppId)},
            {"token", secret},
            {"encoding_aes_key", {{"file", "chat.aes"}}},
            {"channels", channels}}}}}};
    dir_.Write("config.json", config.dump());
    StartDaemon();
  }

  // The whole answer; empty if the daemon is away.
  std::string Send(const std::string& platform, const SignedChatRequest& request, const std::string& method = "POST") {
    RawConnection connection(static_cast<uint16_t>(std::stoi(http_.substr(http_.find(':') + 1))));
    std::string text = method + " /chat/" + platform + (request.query.empty() ? "" : "?" + request.query) +
                       " HTTP/1.1\r\nHost: " + http_ + "\r\nContent-Length: " + std::to_string(request.body.size()) +
                       "\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers) text.append(name).append(": ").append(value).append("\r\n");
    connection.Send(text.append("\r\n").append(request.body));
    return connection.ReadToEnd();
  }

  size_t Kept() {
    const Answer listed = Yard({"deliveries", "list", "--limit", "0", "--json"});
    EXPECT_EQ(listed.code, 0) << listed.out << listed.err;
    const json document = listed.document();
    return document.is_object() && document.contains("deliveries") ? document["deliveries"].size() : 0;
  }
};

TEST_F(ChatTest, EveryPlatformGetsItsReceiptInTimeAndEachMessageIsKeptOnce) {
  for (const std::string& platform : kChatFaces) {
    SCOPED_TRACE(platform);
    const SignedChatRequest request = SayInChat(platform, {"1001", "u1", "9", "/help"}, system_clock::now());
    const auto before = steady_clock::now();
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
    EXPECT_LT(steady_clock::now() - before, seconds(1)) << "the shortest of the platforms' deadlines";
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 ")) << "sent again by the platform";
  }
  EXPECT_EQ(Kept(), kChatFaces.size());
}

TEST_F(ChatTest, WhatIsNotThePlatformsIsRefused) {
  for (const std::string& platform : kChatFaces) {
    SCOPED_TRACE(platform);
    SignedChatRequest request = SayInChat(platform, {"1001", "u1", "9", "/help"}, system_clock::now());
    request.headers.erase("X-Slack-Signature");
    request.headers.erase("Authorization");
    request.headers.erase("X-Lark-Signature");
    request.headers.erase("sign");
    request.query.clear();
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 401 "));
    request.body.assign(1024 * 1024 + 1, 'x');
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 413 "));
  }
  EXPECT_THAT(Send("irc", {}), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Send("slack", {}, "GET"), StartsWith("HTTP/1.1 405 "));
  EXPECT_EQ(Kept(), 0U);
}

TEST_F(ChatTest, WhatWasConfirmedIsThereAfterAKill) {
  std::vector<std::pair<std::string, SignedChatRequest>> sent;
  for (int i = 0; i < 40; ++i) {
    const std::string& platform = kChatFaces[static_cast<size_t>(i) % kChatFaces.size()];
    sent.emplace_back(platform,
                      SayInChat(platform, {std::to_string(2000 + i), "u1", "9", "/help"}, system_clock::now()));
  }
  size_t confirmed = 0;
  for (size_t i = 0; i < sent.size(); ++i) {
    if (i == sent.size() / 2) daemon_->Signal(SIGKILL);
    if (Send(sent[i].first, sent[i].second).starts_with("HTTP/1.1 200 ")) ++confirmed;
  }
  EXPECT_GE(confirmed, sent.size() / 2);
  EXPECT_LT(confirmed, sent.size()) << "the kill came too late to prove anything";
  EXPECT_EQ(daemon_->Wait(seconds(10)), 128 + SIGKILL);
  StartDaemon();
  EXPECT_GE(Kept(), confirmed);
  // Platforms send again what was not confirmed, and sometimes what was.
  for (const auto& [platform, request] : sent) {
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_EQ(Kept(), sent.size());
}

}  // namespace
}  // namespace yardmaster
