// `yard workflow` with servers as people have them: git behind nginx with Basic auth, and git behind OpenSSH.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/faces.h"
#include "tests/support/git_programs.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::FreePort;
using testing::GitEnvironment;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Process;
using testing::Program;
using testing::ReadWholeFile;

constexpr const char* kAliceToken = "token-of-alice-0123";

class WorkflowServersTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    dir_.Write("token", kAliceToken);
    for (const std::string name : {"octo/repo", "alice/repo"}) {
      Shell("git init -q --bare -b main root/" + name + ".git");
      Shell("git -C root/" + name + ".git config http.receivepack true");
    }
    Shell("git init -q -b main clone");
    dir_.Write("clone/a.py", "def one():\n    return 1\n");
    Git("add -A && git commit -q -m base");
    for (const std::string name : {"octo/repo", "alice/repo"}) Git("push -q ../root/" + name + ".git main");
    forge_ = std::make_unique<Process>(std::vector<std::string>{Program("yard-fakeforge"), "--listen", "127.0.0.1:0",
                                                                "--ready-file", Path("forge.json"), "--token-file",
                                                                Path("token"), "--git-root", Path("root")});
    WaitFor([this] { return fs::exists(Path("forge.json")); });
    http_ = json::parse(ReadWholeFile(Path("forge.json")))["http"];
    testing::AskFake(http_, "repository",
                     {{"forge", GetParam()}, {"repository", "octo/repo"}, {"default_branch", "main"}});
    Git("config user.name Alice && git config user.email alice@example.com && git switch -q -c feat/two");
    dir_.Write("clone/a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
  }

  template <typename Condition>
  static void WaitFor(Condition condition) {
    for (int i = 0; i < 600 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  static bool Listens(uint16_t port) {
    Process bash({"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port)});
    return bash.Wait(std::chrono::seconds(5)).value_or(1) == 0;
  }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  std::string Shell(const std::string& command) const {
    Process process({"sh", "-c", "cd " + dir_.path().string() + " && " + command}, GitEnvironment(dir_.path()));
    if (process.Wait(std::chrono::seconds(60)).value_or(-1) != 0) throw std::runtime_error(process.Stderr());
    std::string text = process.Stdout();
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  std::string Git(const std::string& arguments) const { return Shell("cd clone && git " + arguments); }
  std::string There(const std::string& branch) const {
    return Shell("git -C root/alice/repo.git rev-parse -q --verify " + branch + " || echo none");
  }
  void Remotes(const std::string& base) const {
    Git("remote add origin " + base + "/alice/repo.git && git remote add upstream " + base + "/octo/repo.git");
  }
  void Configure(const std::string& git_url, const json& hosts) const {
    const bool github = std::string_view(GetParam()) == "github";
    json own = {{"api_url", "http://" + http_ + (github ? "" : "/api/v5")}, {"token", {{"file", "token"}}}};
    if (!git_url.empty()) own["git_url"] = git_url;
    if (!hosts.empty()) own["hosts"] = hosts;
    dir_.Write("config.json", json({{"forges", {{GetParam(), own}}}}).dump());
  }

  struct Answer {
    int code = -1;
    std::string out;
    std::string err;
    bool token_in_arguments = false;  // of any process, while it ran
  };
  Answer Yard(std::vector<std::string> arguments) const { return YardWith("config.json", std::move(arguments)); }
  Answer YardWith(const std::string& config, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {Program("yard"), "--json", "workflow"});
    arguments.insert(arguments.end(), {"--repo", Path("clone")});
    if (arguments[3] != "undo") arguments.insert(arguments.end(), {"--config", Path(config)});
    Process process(arguments, GitEnvironment(dir_.path()));
    Answer answer;
    for (int i = 0; i < 3'000; ++i) {
      const auto code = process.Wait(std::chrono::milliseconds(20));
      answer.token_in_arguments = answer.token_in_arguments || SomebodyShows(kAliceToken);
      if (!code.has_value()) continue;
      answer.code = *code;
      break;
    }
    answer.out = process.Stdout();
    answer.err = process.Stderr();
    return answer;
  }
  static bool SomebodyShows(const std::string& secret) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
      // A process that ends meanwhile can't be read, and streams throw at that.
      const int file = open((entry.path() / "cmdline").c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) continue;
      std::string text(128 * 1024, '\0');
      const ssize_t length = read(file, text.data(), text.size());
      close(file);
      text.resize(length > 0 ? static_cast<size_t>(length) : 0);
      if (text.find(secret) != std::string::npos) return true;
    }
    return false;
  }

  const testing::TempDir dir_;
  std::unique_ptr<Process> forge_;
  std::string http_;
};

INSTANTIATE_TEST_SUITE_P(Faces, WorkflowServersTest, ::testing::ValuesIn(testing::Faces<const char*>("gitcode")),
                         [](const auto& face) { return std::string(face.param); });

TEST_P(WorkflowServersTest, GitBehindNginxWithBasicAuthGetsTheTokenAsAHeader) {
  const uint16_t port = FreePort();
  const std::string user = std::string_view(GetParam()) == "github" ? "x-access-token" : "oauth2";
  dir_.Write("htpasswd", user + ":" + Shell("openssl passwd -apr1 -in token") + "\n");
  dir_.Write("nginx.conf", "daemon off; master_process off; pid " + Path("nginx.pid") + "; error_log " +
                               Path("nginx.log") + ";\nevents {}\nhttp { access_log off; client_body_temp_path " +
                               Path("body") + "; proxy_temp_path " + Path("proxy") + "; fastcgi_temp_path " +
                               Path("fastcgi") + "; uwsgi_temp_path " + Path("uwsgi") + "; scgi_temp_path " +
                               Path("scgi") + ";\nserver { listen 127.0.0.1:" + std::to_string(port) +
                               "; client_max_body_size 100m; auth_basic git; auth_basic_user_file " + Path("htpasswd") +
                               ";\nlocation / { proxy_pass http://" + http_ + "/git/; } } }\n");
  const Process nginx({"/usr/sbin/nginx", "-c", Path("nginx.conf"), "-p", dir_.path().string()});
  WaitFor([port] { return Listens(port); });
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  Remotes(url);
  Configure(url, {});

  // 1. Without the token nobody gets in, and nothing has changed.
  dir_.Write("empty.json", "{}");
  const std::string before = Git("status --porcelain && git log --format=%H");
  const Answer refused = YardWith("empty.json", {"commit", "-m", "feat(a): add two"});
  EXPECT_EQ(refused.code, 3) << refused.out << refused.err << ReadWholeFile(Path("nginx.log"));
  EXPECT_EQ(Git("status --porcelain && git log --format=%H"), before);

  // 2. With it: commands that only push and fetch, and one that asks the forge, too.
  const Answer committed = Yard({"commit", "-m", "feat(a): add two"});
  EXPECT_EQ(committed.code, 0) << committed.out << committed.err << ReadWholeFile(Path("nginx.log"));
  EXPECT_EQ(There("feat/two"), Git("rev-parse HEAD"));
  EXPECT_FALSE(committed.token_in_arguments);
  EXPECT_EQ(YardWith("empty.json", {"sync"}).code, 3);
  EXPECT_EQ(Yard({"sync"}).code, 0);
  EXPECT_EQ(Yard({"backport", "HEAD", "--to", "main"}).code, 0);
  const Answer made = Yard({"pr", "--yes"});
  EXPECT_EQ(made.code, 0) << made.out << made.err << ReadWholeFile(Path("nginx.log"));
  EXPECT_EQ(There("feat/two"), Git("rev-parse HEAD"));
  EXPECT_FALSE(made.token_in_arguments);
  EXPECT_THAT(made.out + made.err, Not(HasSubstr(kAliceToken)));

  // 3. A wrong one.
  dir_.Write("clone/b.py", "x = 1\n");
  Git("add b.py && git commit -q -m 'feat(b): add x'");
  dir_.Write("token2", "another-token");
  const std::string config = ReadWholeFile(Path("config.json"));
  dir_.Write("htpasswd", user + ":" + Shell("openssl passwd -apr1 -in token2") + "\n");
  const std::string there = There("feat/two");
  const Answer wrong = Yard({"pr", "--yes"});
  EXPECT_EQ(wrong.code, 3) << wrong.out << wrong.err;
  EXPECT_EQ(There("feat/two"), there);
  EXPECT_THAT(wrong.out + wrong.err, Not(HasSubstr(kAliceToken)));
}

// What git's credential helpers know of the public server stays with it.
TEST_P(WorkflowServersTest, CredentialHelpersAreAskedForTheServerOfTheClone) {
  const std::string helper =
      "!f() { cat >> " + Path("asked") + "; echo username=u; echo password=" + kAliceToken + "; }; f";
  Git("config credential.helper '" + helper + "'");
  const std::string base = "http://" + http_ + "/git";
  Remotes(base);
  Git("fetch -q upstream && git commit -q -a -m 'feat(a): add two'");
  const bool github = std::string_view(GetParam()) == "github";
  const std::string api = "http://" + http_ + (github ? "" : "/api/v5");
  dir_.Write("config.json", json({{"forges", {{GetParam(), {{"api_url", api}, {"git_url", base}}}}}}).dump());
  const Answer made = Yard({"pr", "--yes"});
  EXPECT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_THAT(ReadWholeFile(Path("asked")), HasSubstr("host=" + http_));
  EXPECT_THAT(ReadWholeFile(Path("asked")), Not(HasSubstr(std::string(GetParam()) + ".com")));
  // With only another API named, a clone of the public server gives it nothing.
  fs::remove(Path("asked"));
  dir_.Write("asked", "");
  for (const std::string name : {"origin", "upstream"}) {
    Git("remote set-url " + name + " ssh://git@" + GetParam() + ".com/octo/repo.git");
  }
  dir_.Write("config.json", json({{"forges", {{GetParam(), {{"api_url", api}}}}}}).dump());
  EXPECT_NE(Yard({"status", "1"}).code, 0);
  EXPECT_EQ(ReadWholeFile(Path("asked")), "");
}

TEST_P(WorkflowServersTest, GitBehindOpenSshIsReachedWithTheUsersKeyAndKnownHosts) {
  const uint16_t port = FreePort();
  const std::string host = "127.0.0.1:" + std::to_string(port);
  if (geteuid() == 0) fs::create_directories("/run/sshd");
  Shell("ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f key && cp key.pub authorized");
  // As forges do: whatever the path is, it is below their own folder.
  dir_.Write("serve",
             "#!/bin/sh\ncommand=${SSH_ORIGINAL_COMMAND%% *}\npath=$(printf %s \"$SSH_ORIGINAL_COMMAND\" | "
             "sed \"s/^[^']*'\\/*//; s/'.*//\")\nexec \"$command\" \"" +
                 Path("root") + "/$path\"\n");
  Shell("chmod +x serve");
  dir_.Write("sshd_config", "Port " + std::to_string(port) + "\nListenAddress 127.0.0.1\nHostKey " + Path("host") +
                                "\nPidFile none\nAuthorizedKeysFile " + Path("authorized") +
                                "\nStrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\n"
                                "PasswordAuthentication no\nForceCommand " +
                                Path("serve") + "\n");
  const Process sshd({"/usr/sbin/sshd", "-D", "-e", "-f", Path("sshd_config")});
  WaitFor([port] { return Listens(port); });
  Git("config core.sshCommand 'ssh -F " + Path("ssh_config") + "'");
  dir_.Write("ssh_config", "Host *\n  IdentityFile " + Path("key") + "\n  IdentitiesOnly yes\n  UserKnownHostsFile " +
                               Path("known_hosts") + "\n  StrictHostKeyChecking yes\n  BatchMode yes\n");
  Remotes("ssh://" + Shell("id -un") + "@" + host);
  Configure("", {host});

  // 1. A host that nobody knows is not talked to, and the commit is taken back.
  const std::string before = Git("status --porcelain && git log --format=%H");
  const Answer unknown = Yard({"commit", "-m", "feat(a): add two"});
  EXPECT_EQ(unknown.code, 3) << unknown.out << unknown.err;
  EXPECT_THAT(unknown.out + unknown.err, HasSubstr("Host key verification failed"));
  EXPECT_EQ(Git("status --porcelain && git log --format=%H"), before);

  // 2. One that is known.
  dir_.Write("known_hosts", "[127.0.0.1]:" + std::to_string(port) + " " + ReadWholeFile(Path("host.pub")));
  const Answer done = Yard({"commit", "-m", "feat(a): add two"});
  EXPECT_EQ(done.code, 0) << done.out << done.err << sshd.Stderr();
  EXPECT_EQ(There("feat/two"), Git("rev-parse HEAD"));
  const Answer made = Yard({"pr", "--yes"});
  EXPECT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_FALSE(made.token_in_arguments);

  // 3. A key that it does not take.
  Shell("rm key key.pub && ssh-keygen -q -t ed25519 -N '' -f key");
  dir_.Write("clone/a.py", "pass\n");
  const Answer refused = Yard({"commit", "-m", "fix(a): less"});
  EXPECT_EQ(refused.code, 3) << refused.out << refused.err;
  EXPECT_THAT(refused.out + refused.err, HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace yardmaster
