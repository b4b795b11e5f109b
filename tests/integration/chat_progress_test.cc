// How what was asked for in chat goes on, in the message that answered it: long work, and jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/chat_fixture.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using testing::HeardInChat;
using ::testing::IsEmpty;
using testing::kAuthor;
using testing::kWriter;
using ::testing::Not;
using testing::Process;
using testing::Program;
using ::testing::SizeIs;
using testing::SourcePath;
using ::testing::StartsWith;

class ChatProgressTest : public testing::ChatPipeTest {
 protected:
  static bool Eventually(const std::function<bool()>& happens) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!happens()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
  }
  // A pull request of somebody with rights, under a pack with two suites, and a worker.
  int64_t StartWithSuites() {
    fs::create_directories(dir_.path() / "packs/repo/suites");
    fs::copy(SourcePath("rules/packs/common"), dir_.path() / "packs" / "common", fs::copy_options::recursive);
    dir_.Write("packs/repo/pack.json", R"({"name": "repo", "title": "A repository with suites", "extends": "common"})");
    dir_.Write("packs/repo/suites/all.json", R"({"suites": [
      {"id": "works", "title": "Works", "source": {"repository": "github:octo/repo", "ref": "main"},
       "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
       "layers": [{"id": "look", "kind": "correctness", "steps": [{"id": "look", "shell": "test -f b.py"}]}]},
      {"id": "breaks", "title": "Fails", "source": {"repository": "github:octo/repo", "ref": "main"},
       "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
       "layers": [{"id": "break", "kind": "correctness", "steps": [{"id": "break", "shell": "exit 1"}]}]}]})");
    chat_packs_ = Path("packs");
    chat_pack_ = "repo";
    dispatch_ = {{"lease_seconds", 20}};
    const int64_t number = StartPull();
    Forge("repository", {{"forge", "github"},
                         {"repository", "octo/repo"},
                         {"permissions", {{"maria", "write"}, {"alice", "write"}, {"yardbot", "write"}}}});
    worker_ = std::make_unique<Process>(std::vector<std::string>{
        Program("yard-worker"), "--server", grpc_, "--token-file", Path("runner.token"), "--name", "box", "--devices",
        "cpu:2", "--work-dir", Path("worker"), "--ready-file", Path("worker.json")});
    EXPECT_TRUE(Eventually([this] { return fs::exists(Path("worker.json")); })) << worker_->Stderr();
    return number;
  }

  std::unique_ptr<Process> worker_;
};

TEST_F(ChatProgressTest, AJobIsToldInTheMessageThatAnsweredItsCommand) {
  const std::string number = std::to_string(StartWithSuites());
  for (const std::string platform : {"slack", "mattermost", "feishu"}) {
    SCOPED_TRACE(platform);
    EXPECT_THAT(Send(platform, Says(platform, kWriter, "/test works #" + number)), StartsWith("HTTP/1.1 200 "));
    const auto last = [&] {
      const auto heard = listener_.Heard(platform);
      return heard.empty() ? std::string() : heard[0].text;
    };
    ASSERT_TRUE(Eventually([&] { return last().find("passed") != std::string::npos; }))
        << last() << Yard({"ledger", "list"}).out;
    Drain();
    const auto heard = listener_.Heard(platform);
    ASSERT_THAT(heard, SizeIs(1)) << "one message";
    std::vector<std::string> texts = heard[0].texts;
    // What takes long says so first.
    if (texts.front().starts_with("Working on it")) texts.erase(texts.begin());
    ASSERT_THAT(texts, Not(IsEmpty()));
    EXPECT_THAT(texts.front(), HasSubstr("repo/works"));
    EXPECT_THAT(texts.front(), HasSubstr("job "));
    EXPECT_LE(texts.size(), 3U);
  }
  // Where messages can't be changed the end is one message more.
  EXPECT_THAT(Send("wecom", Says("wecom", kWriter, "/test breaks #" + number)), StartsWith("HTTP/1.1 200 "));
  ASSERT_TRUE(listener_.WaitFor("wecom", 2, std::chrono::seconds(60)));
  Drain();
  const auto heard = listener_.Heard("wecom");
  ASSERT_THAT(heard, SizeIs(2));
  EXPECT_THAT(heard[1].text, HasSubstr("failed"));
  EXPECT_EQ(heard[1].only_for, kWriter) << "and not everybody's";
}

TEST_F(ChatProgressTest, AKillWhileAJobRunsLosesNothingOfIt) {
  const std::string number = std::to_string(StartWithSuites());
  EXPECT_THAT(Ask("slack", kWriter, "/test breaks #" + number).text, HasSubstr("repo/breaks"));
  KillDaemon();
  StartDaemon();
  const auto last = [&] { return listener_.Heard("slack")[0].text; };
  ASSERT_TRUE(Eventually([&] { return last().find("failed") != std::string::npos; })) << last();
  Drain();
  EXPECT_THAT(listener_.Heard("slack"), SizeIs(1));
}

TEST_F(ChatProgressTest, WhatTakesLongSaysSoAndItsAnswerTakesThePlaceOfThat) {
  const std::string number = std::to_string(StartPull());
  Forge("faults", {{"slow_ms", 1'200}});
  EXPECT_THAT(Send("slack", Says("slack", kAuthor, "/squash " + number)), StartsWith("HTTP/1.1 200 "));
  const auto last = [&] {
    const auto heard = listener_.Heard("slack");
    return heard.empty() ? std::string() : heard[0].text;
  };
  EXPECT_TRUE(Eventually([&] { return last().find("commits into one") != std::string::npos; })) << last();
  Forge("faults", {{"slow_ms", 0}});
  Drain();
  const auto heard = listener_.Heard("slack");
  ASSERT_THAT(heard, SizeIs(1));
  EXPECT_THAT(heard[0].texts.front(), HasSubstr("Working on it"));
}

}  // namespace
}  // namespace yardmaster
