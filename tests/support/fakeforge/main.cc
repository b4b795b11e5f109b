// yard-fakeforge: a forge for tests and for trying things out.
#include <curl/curl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "clients/command_line/parse.h"
#include "services/core/address.h"
#include "services/core/files.h"
#include "services/core/version.h"
#include "tests/support/fakeforge/admin.h"
#include "tests/support/fakeforge/server.h"

namespace yardmaster::fakeforge {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitSystem = 4;
constexpr size_t kMaxSecret = 64 * 1024;

constexpr char kFooter[] = R"(
GitHub's API is at http://HOST:PORT, GitCode's at http://HOST:PORT/api/v5, the test's own calls at
http://HOST:PORT/_fake/ (issues, pulls, comments, labels, edit, push, check, repository, account, teams, faults, limits,
redeliver, calls, unexpected, deliveries, state, pending; of chat: say, press, heard). An App's credentials work, too; it writes as --bot-login, which
must then end in "[bot]".

With --git-root DIR, DIR/OWNER/REPO.git is served at http://HOST:PORT/git/OWNER/REPO.git, and pull requests are what their
branches there say.

The chat platforms are at http://HOST:PORT/chat/PLATFORM, which is their api_url; what people say there goes to --chat-url.

Faults, in percent of calls or deliveries: error_before, error_after, limited, reset_before, reset_after, slow, late,
wrong_types, webhook_duplicate, webhook_reorder, webhook_drop; "all" sets every one.

Exit: 0 ended as asked; 2 usage or a file is wrong; 4 the address can't be listened on.

Examples:
  yard-fakeforge --listen 127.0.0.1:0 --ready-file /tmp/forge.json
      any free port; the file gets {"pid", "http", "github", "gitcode", "git"} when calls are answered
  yard-fakeforge --webhook-url-github http://127.0.0.1:8080/webhooks/github --secret-file-github secret
      every change is told by a signed webhook
  yard-fakeforge --faults late=5,error_after=5,webhook_duplicate=10 --seed 7
      the same seed and the same calls give the same faults
  yard-fakeforge --issues issues.jsonl
      opens an issue for each line: {"forge", "repository", "title", "body", "labels"}
  curl -d '{"forge":"github","repository":"o/r","title":"t","body":"b"}' http://127.0.0.1:8090/_fake/issues
  curl -d '{"platform":"slack","user":"U1","channel":"C1","text":"/why #1"}' http://127.0.0.1:8090/_fake/say
)";

// The first line's bytes without the line's end.
bool ReadSecret(const std::string& file, std::string& value) {
  if (file.empty()) return true;
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxSecret);
  if (!text.ok()) {
    std::cerr << "yard-fakeforge: " << file << ": " << text.status().message() << "\n";
    return false;
  }
  value = text->substr(0, text->find_first_of("\r\n"));
  return true;
}

bool OpenIssues(Server& server, const std::string& file) {
  if (file.empty()) return true;
  std::ifstream in(file);
  if (!in) {
    std::cerr << "yard-fakeforge: " << file << " can't be read\n";
    return false;
  }
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const nlohmann::json issue = nlohmann::json::parse(line, nullptr, false);
    nlohmann::json answer;
    std::string error = "not JSON";
    bool opened = false;
    server.WithState(
        [&](State& state, Time now) { opened = issue.is_object() && OpenFromJson(state, issue, now, answer, error); });
    if (!opened) {
      std::cerr << "yard-fakeforge: " << file << ":" << number << ": " << error << "\n";
      return false;
    }
  }
  return true;
}

int Main(int argc, char** argv) {
  ServerOptions options;
  std::string listen = "127.0.0.1:8090";
  std::string secret_github;
  std::string secret_gitcode;
  std::string token_file;
  std::string chat_secret;
  std::string faults;
  std::string ready_file;
  std::string issues;
  command_line::Command program("yard-fakeforge",
                                "yard-fakeforge: GitHub and GitCode for tests, in memory, with faults.");
  program.footer = kFooter;
  program.last_value_wins = true;
  program.Help("-h,--help", "Print this help and exit");
  program.Version("--version", "yard-fakeforge " + std::string(kVersion), "Print the version and exit");
  program.Value("--listen", &listen, "HOST:PORT", "Address (default 127.0.0.1:8090); port 0: any free one");
  program.Value("--webhook-url-github", &options.webhook_url_github, "URL", "Where GitHub's webhooks go");
  program.Value("--webhook-url-gitcode", &options.webhook_url_gitcode, "URL", "Where GitCode's webhooks go");
  program.Value("--secret-file-github", &secret_github, "FILE", "Signs GitHub's webhooks");
  program.Value("--secret-file-gitcode", &secret_gitcode, "FILE", "Signs GitCode's webhooks");
  program.Value("--token-file", &token_file, "FILE", "The token that calls must carry");
  program.Value("--chat-url", &options.chat_url, "URL", "The daemon, for what people say in chat: http://HOST:PORT");
  program.Value("--chat-secret-file", &chat_secret, "FILE", "The secret of every chat platform");
  program.Value("--bot-login", &options.state.bot_login, "The account of that token (default yardbot)");
  program.Value("--webhook-connections", &options.webhook_connections, "Webhooks in flight at once (default 1)")
      .Between(1, 64);
  program.Value("--seed", &options.state.seed, "Of all chance (default 1)");
  program.Value("--faults", &faults, "NAME=PERCENT,…", "What goes wrong");
  program.Value("--issues", &issues, "FILE", "Issues to open at the start, one JSON object a line");
  program.Value("--git-root", &options.state.git_root, "DIR", "Real repositories: DIR/OWNER/REPO.git");
  program.Value("--ready-file", &ready_file, "FILE", "Written when calls are answered");
  const command_line::Parsed parsed = command_line::Parse(program, {argv + 1, argv + argc});
  if (!parsed.error.empty()) {
    std::cerr << parsed.error << "\nRun with --help for more information.\n";
    return kExitUsage;
  }
  if (parsed.command == nullptr) {
    std::cout << parsed.answer;
    return 0;
  }
  const std::optional<HostPort> address = ParseHostPort(listen);
  if (!address.has_value() || !IsLoopbackHost(address->host)) {
    std::cerr << "yard-fakeforge: --listen: expected a loopback HOST:PORT, found \"" << listen << "\"\n";
    return kExitUsage;
  }
  options.host = address->host;
  options.port = address->port;
  std::string error;
  if (!ParseFaultRates(faults, options.state.faults, error)) {
    std::cerr << "yard-fakeforge: --faults: " << error << "\n";
    return kExitUsage;
  }
  if (!ReadSecret(secret_github, options.state.github.secret) ||
      !ReadSecret(secret_gitcode, options.state.gitcode.secret) ||
      !ReadSecret(token_file, options.state.github.token) || !ReadSecret(chat_secret, options.chat_secret)) {
    return kExitUsage;
  }
  options.state.gitcode.token = options.state.github.token;

  // Signals are waited for below; every thread inherits that they are blocked.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  curl_global_init(CURL_GLOBAL_DEFAULT);

  const std::unique_ptr<Server> server = Server::Start(options, error);
  if (server == nullptr) {
    std::cerr << "yard-fakeforge: " << error << "\n";
    return kExitSystem;
  }
  if (!OpenIssues(*server, issues)) return kExitUsage;
  const HostPort real{options.host, server->port()};
  std::cerr << "yard-fakeforge: listening on " << real.ToString() << "\n";
  if (!ready_file.empty()) {
    const nlohmann::json ready = {{"pid", ::getpid()},
                                  {"http", real.ToString()},
                                  {"github", server->ApiUrl("github")},
                                  {"gitcode", server->ApiUrl("gitcode")},
                                  {"git", server->GitUrl()},
                                  {"chat", server->ChatUrl("")}};
    if (const absl::Status status = WriteFileAtomically(ready_file, ready.dump() + "\n"); !status.ok()) {
      std::cerr << "yard-fakeforge: " << status.message() << "\n";
      return kExitSystem;
    }
  }
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}

}  // namespace
}  // namespace yardmaster::fakeforge

int main(int argc, char** argv) { return yardmaster::fakeforge::Main(argc, argv); }
