// What the tests of the whole pipe share: yardmasterd behind the webhooks of a forge that generates them, and `yard` to
// look at it.
#ifndef YARDMASTER_TESTS_INTEGRATION_PIPE_FIXTURE_H_
#define YARDMASTER_TESTS_INTEGRATION_PIPE_FIXTURE_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/app_key.h"
#include "tests/support/process.h"
#include "tests/support/raw_http.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

using nlohmann::json;

inline constexpr const char* kSecret = "a-secret-of-the-webhooks";
inline constexpr const char* kRunnerToken = "runner-token-of-the-tests";
// A cron expression of a schedule that does not run by itself.
inline constexpr const char* kNewYear = "0 3 1 1 *";
inline constexpr const char* kToken = "token-of-the-bot-0123";

inline std::string Program(const std::string& name) { return std::string(YARD_PROGRAMS) + "/" + name; }

// A port that is free, and that the daemon can come back on after each death: from below those that the kernel gives to
// connections, so that none takes it meanwhile. No two calls of a program get the same.
inline uint16_t FreePort() {
  static std::mt19937 random{std::random_device{}()};
  static std::set<uint16_t> given;
  while (true) {
    const auto port = std::uniform_int_distribution<uint16_t>(10'000, 32'000)(random);
    if (!given.insert(port).second) continue;
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool free = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    ::close(socket);
    if (free) return port;
  }
}

// A call of the test's own to the forge at HOST:PORT: POST with a body, else GET.
inline json AskFake(const std::string& host, const std::string& path, const json& body) {
  const std::string text = body.is_null() ? "" : body.dump();
  const std::string method = body.is_null() ? "GET" : "POST";
  RawConnection connection(static_cast<uint16_t>(std::stoi(host.substr(host.find(':') + 1))));
  connection.Send(method + " /_fake/" + path + " HTTP/1.1\r\nHost: " + host +
                  "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(text.size()) +
                  "\r\nConnection: close\r\n\r\n" + text);
  const std::string answer = connection.ReadToEnd();
  const size_t begin = answer.find("\r\n\r\n");
  EXPECT_NE(begin, std::string::npos) << path << ": " << answer.substr(0, 200);
  if (begin == std::string::npos) return nullptr;
  return json::parse(answer.substr(begin + 4), nullptr, false);
}

class PipeTest : public ::testing::Test {
 protected:
  // `packs_dir` and `pack` hold for all repositories.
  void Start(const std::string& packs_dir, const std::string& pack, const std::string& faults = "",
             const std::string& seed = "1") {
    packs_dir_ = packs_dir;
    pack_ = pack;
    dir_.Write("secret", kSecret);
    dir_.Write("token", kToken);
    http_ = "127.0.0.1:" + std::to_string(FreePort());
    grpc_ = "127.0.0.1:" + std::to_string(FreePort());
    std::vector<std::string> arguments = {Program("yard-fakeforge"),
                                          "--listen",
                                          "127.0.0.1:0",
                                          "--ready-file",
                                          Path("forge.json"),
                                          "--webhook-url-github",
                                          "http://" + http_ + "/webhooks/github",
                                          "--webhook-url-gitcode",
                                          "http://" + http_ + "/webhooks/gitcode",
                                          "--secret-file-github",
                                          Path("secret"),
                                          "--secret-file-gitcode",
                                          Path("secret"),
                                          "--token-file",
                                          Path("token"),
                                          "--seed",
                                          seed};
    if (!git_root_.empty()) arguments.insert(arguments.end(), {"--git-root", git_root_});
    if (!faults.empty()) arguments.insert(arguments.end(), {"--faults", faults});
    forge_ = std::make_unique<Process>(arguments);
    forge_http_ = WaitForReady("forge.json", *forge_)["http"];

    std::vector<std::string> packs = {pack};
    packs.insert(packs.end(), more_packs_.begin(), more_packs_.end());
    const json budget = {{"mutations_per_minute", 100'000},
                         {"mutations_per_hour", 1'000'000},
                         {"spacing_ms", 0},
                         {"requests_per_minute", 1'000'000}};
    const auto forge = [&](const std::string& path) {
      json one = {{"api_url", "http://" + forge_http_ + path},
                  {"webhook_secrets", {{{"file", "secret"}}}},
                  {"budget", budget},
                  // Late writes of the forge land within five seconds.
                  {"settle_ms", {200, 1'000, 6'000}}};
      if (!git_root_.empty()) one["git_url"] = "http://" + forge_http_ + "/git";
      if (app_ && path.empty()) {
        dir_.Write("app.pem", testing::AppKey::ToPem(testing::Key().get()));
        one["app"] = {{"id", 1}, {"installation", 2}, {"private_key", {{"file", "app.pem"}}}};
      } else {
        one["token"] = {{"file", "token"}};
      }
      return one;
    };
    json config = {{"data_dir", "data"},
                   {"listen", {{"http", http_}, {"grpc", grpc_}}},
                   {"mode", "apply"},
                   {"packs_dir", packs_dir},
                   {"forges", {{"github", forge("")}, {"gitcode", forge("/api/v5")}}},
                   {"repositories",
                    {{{"forge", "github"}, {"repository", "octo/repo"}, {"packs", packs}},
                     {{"forge", "github"}, {"repository", "octo/dry"}, {"packs", packs}, {"mode", "dry-run"}},
                     {{"forge", "gitcode"}, {"repository", "octo/repo"}, {"packs", packs}},
                     {{"forge", "gitcode"}, {"repository", "octo/dry"}, {"packs", packs}, {"mode", "dry-run"}}}},
                   {"tokens", {{{"name", "ops"}, {"role", "operator"}, {"secret", {{"file", "token"}}}}}},
                   {"allow_anonymous_loopback", true}};
    if (!review_.is_null()) {
      for (json& repository : config["repositories"]) repository["review"] = review_;
    }
    if (!chat_.is_null()) config["chat"] = chat_;
    config["schedules"] = schedules_;
    // What tells channels runs when a test says so, and never beside it by the clock.
    for (const char* own : {"news", "follow-gates", "watch-gates"}) {
      if (!chat_.is_null()) config["schedules"].push_back({{"name", own}, {"cron", kNewYear}, {"run", own}});
    }
    if (!dispatch_.is_null()) {
      dir_.Write("runner.token", kRunnerToken);
      config["dispatch"] = dispatch_;
      config["tokens"].push_back({{"name", "box"}, {"role", "runner"}, {"secret", {{"file", "runner.token"}}}});
    }
    dir_.Write("config.json", config.dump());
    StartDaemon();
  }

  void StartDaemon() {
    std::filesystem::remove(Path("ready.json"));
    daemon_ = std::make_unique<Process>(std::vector<std::string>{
        Program("yardmasterd"), "--config", Path("config.json"), "--ready-file", Path("ready.json")});
    WaitForReady("ready.json", *daemon_);
  }
  void KillDaemon() {
    daemon_->Signal(SIGKILL);
    ASSERT_EQ(daemon_->Wait(std::chrono::seconds(10)), 128 + SIGKILL);
  }

  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }

  json WaitForReady(const std::string& file, Process& process) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      json ready = json::parse(ReadWholeFile(Path(file)), nullptr, false);
      if (ready.is_object()) return ready;
      if (process.Wait(std::chrono::milliseconds(5)).has_value()) break;
    }
    ADD_FAILURE() << file << " did not appear: " << process.Stderr();
    return json::object();
  }

  // One request to the forge's own side for tests.
  json Forge(const std::string& path, const json& body = nullptr) { return AskFake(forge_http_, path, body); }
  int64_t Open(const std::string& forge, const std::string& repository, const std::string& title,
               const std::string& body, const std::vector<std::string>& labels) {
    const json answer = Forge(
        "issues", {{"forge", forge}, {"repository", repository}, {"title", title}, {"body", body}, {"labels", labels}});
    return answer.value("number", int64_t{0});
  }
  json Subject(const std::string& forge, const std::string& repository, int64_t number) {
    const json state = Forge("state");
    for (const json& subject : state[forge][repository]["subjects"]) {
      if (subject["number"] == number) return subject;
    }
    return json::object();
  }
  static std::set<std::string> Labels(const json& subject) {
    std::set<std::string> out;
    for (const json& label : subject["labels"]) out.insert(label.get<std::string>());
    return out;
  }
  static std::vector<std::string> Templates(const json& subject) {
    std::vector<std::string> out;
    for (const json& comment : subject["comments"]) {
      const std::string body = comment["body"];
      const size_t begin = body.find(" template=");
      if (begin != std::string::npos) out.push_back(body.substr(begin + 10, body.find(' ', begin + 10) - begin - 10));
    }
    return out;
  }

  struct Answer {
    int code = -1;
    std::string out;
    std::string err;
    json document() const { return json::parse(out, nullptr, false); }
  };
  Answer Yard(std::vector<std::string> arguments, bool with_token = false) {
    arguments.insert(arguments.begin(), {Program("yard"), "--server", grpc_});
    if (with_token) arguments.insert(arguments.end(), {"--token-file", Path("token")});
    Process process(arguments);
    Answer answer;
    answer.code = process.Wait(std::chrono::minutes(6)).value_or(-1);
    answer.out = process.Stdout();
    answer.err = process.Stderr();
    return answer;
  }
  // Everything that the forge had to say has been said, and worked on.
  void Drain() {
    for (int i = 0; i < 3'000; ++i) {
      if (Forge("pending").value("pending", 1) == 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const Answer drained = Yard({"deliveries", "drain", "--timeout", "300"});
    EXPECT_EQ(drained.code, 0) << drained.out << drained.err;
  }
  // The same after kills: what was refused while the daemon was away is sent again, as a forge does when it is asked
  // to.
  void DrainWithMissed() {
    Drain();
    for (int i = 0; i < 3 && Forge("redeliver", json::object()).value("redelivered", 0) > 0; ++i) Drain();
  }

  TempDir dir_;
  std::string packs_dir_;
  std::string pack_;
  std::string git_root_;                 // before Start: the folder with the forge's git repositories
  json chat_;                            // before Start: "chat"
  json dispatch_;                        // before Start: "dispatch", with a token for a worker
  json schedules_ = json::array();       // before Start: "schedules"
  json review_;                          // before Start: "review" of all repositories
  bool app_ = false;                     // GitHub is reached with the credentials of an App, else with a token
  std::vector<std::string> more_packs_;  // before Start: what repositories may use besides
  std::string http_;
  std::string grpc_;
  std::string forge_http_;
  std::unique_ptr<Process> forge_;
  std::unique_ptr<Process> daemon_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_INTEGRATION_PIPE_FIXTURE_H_
