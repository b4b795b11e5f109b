// What the tests of chat share: five platforms before the real daemon, and people who say something there.
#ifndef YARDMASTER_TESTS_INTEGRATION_CHAT_FIXTURE_H_
#define YARDMASTER_TESTS_INTEGRATION_CHAT_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/chat_faces.h"
#include "tests/support/chat_listener.h"
#include "tests/support/git_programs.h"

namespace yardmaster::testing {

inline const std::vector<std::string> kListeners = {"slack", "mattermost", "feishu", "dingtalk", "wecom"};
inline constexpr const char* kChatRepository = "octo/repo";
// u1 is maria, who may write; u2 is bob, who may not; u3 is nobody. In channels 9 and 8 may be written, in 7 not.
inline constexpr const char* kWriter = "u1";
inline constexpr const char* kForbidden = "u2";
inline constexpr const char* kStranger = "u3";
// Wrote the pull request.
inline constexpr const char* kAuthor = "u4";

class ChatPipeTest : public PipeTest {
 protected:
  void StartChat(const std::string& faults = "") {
    dir_.Write("chat.secret", std::string(kChatSecret));
    dir_.Write("chat.aes", std::string(kChatAesKey));
    const json secret = {{"file", "chat.secret"}};
    const json users = {
        {kWriter, {{"github", "maria"}}}, {kForbidden, {{"github", "bob"}}}, {kAuthor, {{"github", "alice"}}}};
    const json channels = {{"9", {{"repository", "github:octo/repo"}, {"may", {"write"}}}},
                           {"8", {{"repository", "github:octo/repo"}, {"may", {"write"}}}},
                           {"7", {{"repository", "github:octo/repo"}, {"may", {"read"}}}},
                           {"5", {{"repository", "github:octo/dry"}, {"may", {"write"}}}}};
    chat_ = {
        {"slack", {{"signing_secret", secret}, {"bot_token", secret}}},
        {"mattermost",
         {{"token", secret}, {"bot_token", secret}, {"callback_url", "https://yard.example/chat/mattermost"}}},
        {"feishu", {{"encrypt_key", secret}, {"verification_token", secret}, {"app_id", "a1"}, {"app_secret", secret}}},
        {"dingtalk", {{"app_secret", secret}, {"app_key", "k1"}}},
        {"wecom",
         {{"corp_id", std::string(kChatAppId)},
          {"token", secret},
          {"encoding_aes_key", {{"file", "chat.aes"}}},
          {"agent_id", "9"},
          {"secret", secret}}}};
    for (auto& [platform, config] : chat_.items()) {
      config["api_url"] = listener_.url(platform);
      config["users"] = users;
      config["channels"] = channels;
    }
    Start(chat_packs_.empty() ? SourcePath("rules/packs").string() : chat_packs_, chat_pack_, faults);
    for (const std::string repository : {kChatRepository, "octo/dry"}) {
      Forge("repository", {{"forge", "github"}, {"repository", repository}, {"permissions", {{"maria", "write"}}}});
    }
  }

  void TearDown() override {
    // What a busy machine holds up may come together there; the platform then says when, and it comes again.
    EXPECT_LE(listener_.side().over_limit(), 5) << "more was said than the platforms take";
    EXPECT_EQ(listener_.side().without_token(), 0);
  }

  std::string Send(const std::string& platform, const SignedChatRequest& request) {
    RawConnection connection(static_cast<uint16_t>(std::stoi(http_.substr(http_.find(':') + 1))));
    std::string text = "POST /chat/" + platform + (request.query.empty() ? "" : "?" + request.query) +
                       " HTTP/1.1\r\nHost: " + http_ + "\r\nContent-Length: " + std::to_string(request.body.size()) +
                       "\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers) text.append(name).append(": ").append(value).append("\r\n");
    connection.Send(text.append("\r\n").append(request.body));
    return connection.ReadToEnd();
  }
  SignedChatRequest Says(const std::string& platform, const std::string& user, const std::string& text,
                         const std::string& channel = "9") {
    const std::string reply = platform == "dingtalk" ? listener_.url(platform) + "/session" : "";
    const std::string message = std::to_string(++said_);
    if (platform == "feishu") listener_.side().NoteSaid("m" + message, channel);
    return SayInChat(platform, {message, user, channel, text, reply}, std::chrono::system_clock::now());
  }
  SignedChatRequest Presses(const std::string& platform, const std::string& user, const std::string& value,
                            const std::string& channel = "9") {
    return PressInChat(platform, {std::to_string(++said_), user, channel, value}, std::chrono::system_clock::now());
  }
  // What is answered to it, once everything is done; exactly one message.
  HeardInChat Ask(const std::string& platform, const std::string& user, const std::string& text,
                  const std::string& channel = "9") {
    const size_t before = listener_.Heard(platform).size();
    EXPECT_THAT(Send(platform, Says(platform, user, text, channel)), ::testing::StartsWith("HTTP/1.1 200 "));
    if (!listener_.WaitFor(platform, before + 1)) {
      ADD_FAILURE() << platform << ": no answer to " << text << "\n"
                    << Yard({"deliveries", "list"}).out << Yard({"ledger", "list"}).out;
      return {};
    }
    Drain();
    const std::vector<HeardInChat> heard = listener_.Heard(platform);
    EXPECT_THAT(heard, ::testing::SizeIs(before + 1)) << platform << ": " << text;
    return heard.empty() ? HeardInChat{} : heard.back();
  }
  // An issue that is in the pack's queue.
  int64_t Issue(const std::string& repository = kChatRepository) {
    return Open("github", repository, "Crash in fully_shard", "`fully_shard` fails with an error.", {});
  }

  std::string Git(const std::string& arguments, const std::string& folder = "work") const {
    Process process({"sh", "-c", "cd '" + Path(folder) + "' && git " + arguments}, GitEnvironment(dir_.path()));
    EXPECT_EQ(process.Wait(std::chrono::seconds(60)), 0) << arguments << process.Stderr();
    return process.Stdout();
  }
  void Commit(const std::string& file, const std::string& message) {
    dir_.Write("work/" + file, message + "\n");
    Git("add -A");
    Git("-c user.name=Alice -c user.email=alice@example.com commit -q -m '" + message + "'");
  }
  // alice's pull request of two commits.
  int64_t StartPull() {
    git_root_ = Path("served");
    for (const std::string name : {"octo/repo", "alice/repo"}) {
      Git("init -q --bare -b main " + git_root_ + "/" + name + ".git", ".");
      Git("-C " + git_root_ + "/" + name + ".git config http.receivepack true", ".");
    }
    Git("init -q -b main work", ".");
    Commit("a.py", "base");
    for (const std::string name : {"octo/repo", "alice/repo"}) Git("push -q " + git_root_ + "/" + name + ".git main");
    Git("checkout -q -b topic");
    Commit("b.py", "feat(b): add two");
    Commit("c.py", "feat(c): add three");
    Git("push -q " + git_root_ + "/alice/repo.git topic");
    StartChat();
    for (const std::string name : {"octo/repo", "alice/repo"}) {
      Forge("repository",
            {{"forge", "github"}, {"repository", name}, {"permissions", {{"maria", "write"}, {"yardbot", "write"}}}});
    }
    const json opened = Forge("pulls", {{"forge", "github"},
                                        {"repository", kChatRepository},
                                        {"title", "Two more"},
                                        {"body", "By hand."},
                                        {"user", "alice"},
                                        {"head_repository", "alice/repo"},
                                        {"head_ref", "topic"},
                                        {"base_ref", "main"},
                                        {"follow", true}});
    Drain();
    return opened.value("number", int64_t{0});
  }
  std::string Commits() const { return Git("log --format=%s main..topic", "served/alice/repo.git"); }

  std::string chat_packs_;  // before StartChat: a folder of packs; empty: those that are shipped
  std::string chat_pack_ = "hyper-parallel";
  ChatListener listener_;
  int said_ = 1'000;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_INTEGRATION_CHAT_FIXTURE_H_
