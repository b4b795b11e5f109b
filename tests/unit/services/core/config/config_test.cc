#include "services/core/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <type_traits>

#include "clients/chat/chat_config.h"
#include "tests/support/certificate.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Parses texts with an environment and a folder of the test's own.
class ConfigTest : public ::testing::Test {
 protected:
  std::optional<Config> Parse(std::string_view text) {
    problems_.clear();
    ConfigOptions options;
    options.getenv = [this](const std::string& name) -> std::optional<std::string> {
      auto it = environment_.find(name);
      if (it == environment_.end()) return std::nullopt;
      return it->second;
    };
    options.jobs = jobs_;
    return ParseConfig("config.json", text, dir_.path(), problems_, options);
  }
  // The only problem of a text that must be refused.
  Problem OnlyProblem(std::string_view text) {
    EXPECT_FALSE(Parse(text).has_value()) << text;
    EXPECT_THAT(problems_, SizeIs(1)) << text << "\n" << AllProblems();
    return problems_.empty() ? Problem() : problems_[0];
  }
  std::string AllProblems() const {
    std::ostringstream out;
    for (const Problem& problem : problems_) out << problem.ToString() << "\n";
    return out.str();
  }

  testing::TempDir dir_;
  std::map<std::string, std::string> environment_ = {{"GITHUB_TOKEN", "github-token-value"},
                                                     {"GITHUB_WEBHOOK_SECRET", "github-webhook-value"},
                                                     {"GITCODE_WEBHOOK_SECRET", "gitcode-webhook-value"},
                                                     {"YARD_TOKEN", "operator-token-value"},
                                                     {"EMPTY", ""}};
  std::map<std::string, std::string> jobs_;
  Problems problems_;
};

constexpr char kDocumentedExample[] =
    R"({ "data_dir": "data", "listen": {"http": "127.0.0.1:8080", "grpc": "127.0.0.1:9090"},
  "mode": "apply", "packs_dir": "rules/packs",
  "forges": {
    "github":  {"api_url": "https://api.github.com", "token": {"env": "GITHUB_TOKEN"}, "webhook_secrets": [{"env": "GITHUB_WEBHOOK_SECRET"}]},
    "gitcode": {"api_url": "https://api.gitcode.com/api/v5", "token": {"file": "gitcode.token"}, "webhook_secrets": [{"env": "GITCODE_WEBHOOK_SECRET"}], "accept_plain_token": false} },
  "repositories": [ {"forge": "github", "repository": "pytorch/pytorch", "packs": ["pytorch-distributed"], "mode": "dry-run"} ],
  "schedules": [ {"name": "nightly", "cron": "0 2 * * *", "run": "sweep", "repository": "github:pytorch/pytorch"} ],
  "tokens": [ {"name": "ops", "role": "operator", "secret": {"env": "YARD_TOKEN"}} ], "allow_anonymous_loopback": false })";

TEST_F(ConfigTest, TheDocumentedExampleIsReadCompletely) {
  dir_.Write("gitcode.token", "gitcode-token-value\n");
  const std::optional<Config> config = Parse(kDocumentedExample);
  ASSERT_TRUE(config.has_value()) << AllProblems();
  EXPECT_EQ(config->data_dir, dir_.path() / "data");
  EXPECT_EQ(config->packs_dir, dir_.path() / "rules/packs");
  EXPECT_EQ(config->http.ToString(), "127.0.0.1:8080");
  EXPECT_EQ(config->grpc.ToString(), "127.0.0.1:9090");
  EXPECT_EQ(config->mode, RunMode::kApply);
  ASSERT_THAT(config->forges, SizeIs(2));
  const ForgeConfig& github = config->forges.at("github");
  EXPECT_EQ(github.api_url, "https://api.github.com");
  EXPECT_EQ(github.token.Reveal(), "github-token-value");
  ASSERT_THAT(github.webhook_secrets, SizeIs(1));
  EXPECT_EQ(github.webhook_secrets[0].secret.Reveal(), "github-webhook-value");
  EXPECT_THAT(github.webhook_secrets[0].repositories, IsEmpty());
  EXPECT_EQ(github.settle.size(), 3u);
  // The newline at the end of the file is no part of the secret.
  EXPECT_EQ(config->forges.at("gitcode").token.Reveal(), "gitcode-token-value");
  ASSERT_THAT(config->repositories, SizeIs(1));
  EXPECT_THAT(config->repositories[0].packs, ElementsAre("pytorch-distributed"));
  EXPECT_EQ(config->repositories[0].mode, RunMode::kDryRun);
  EXPECT_THAT(config->repositories[0].pack_lines, ElementsAre(6));
  ASSERT_THAT(config->schedules, SizeIs(1));
  EXPECT_EQ(config->schedules[0].forge, "github");
  EXPECT_EQ(config->schedules[0].repository, "pytorch/pytorch");
  ASSERT_THAT(config->tokens, SizeIs(1));
  EXPECT_EQ(config->tokens[0].role, Role::kOperator);
  EXPECT_EQ(config->tokens[0].secret.Reveal(), "operator-token-value");
  EXPECT_FALSE(config->allow_anonymous_loopback);
}

TEST_F(ConfigTest, AnEmptyObjectGivesTheDefaults) {
  const std::optional<Config> config = Parse("{}");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  EXPECT_EQ(config->mode, RunMode::kDryRun);
  EXPECT_EQ(config->data_dir, dir_.path() / "data");
  EXPECT_TRUE(config->packs_dir.empty());
  EXPECT_EQ(config->http.ToString(), "127.0.0.1:8080");
  EXPECT_FALSE(config->allow_anonymous_loopback);
  // Nobody can call such a daemon: that is said.
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("every call")));
}

TEST_F(ConfigTest, TheDefaultsWithoutAFileLetAnonymousLoopbackIn) {
  const Config config = DefaultConfig();
  EXPECT_TRUE(config.allow_anonymous_loopback);
  EXPECT_EQ(config.mode, RunMode::kDryRun);
  EXPECT_TRUE(config.data_dir.empty());
  EXPECT_TRUE(config.forges.empty());
}

TEST_F(ConfigTest, EveryFurtherKeyIsRead) {
  ASSERT_TRUE(testing::MakeSelfSigned(dir_, "server"));
  const std::optional<Config> config = Parse(R"({
    "$schema": "config.schema.json",
    "forges": {"github": {
      "git_url": "https://github.com", "bot_login": "yardmaster[bot]",
      "app": {"id": 12345, "installation": "678", "private_key": {"file": "server.key"}},
      "webhook_secrets": [{"env": "GITHUB_WEBHOOK_SECRET", "repositories": ["pytorch/*", "octo/hello"]}],
      "budget": {"mutations_per_minute": 40, "mutations_per_hour": 400, "spacing_ms": 1000, "requests_per_minute": 600},
      "settle_ms": [100, 200], "timeout_ms": 5000,
      "hooks": [{"repository": "octo/hello", "id": 42}]},
      "gitcode": {"accept_plain_token": true, "api_url": "http://127.0.0.1:8088/api/v5/"}},
    "repositories": [{"forge": "github", "repository": "octo/hello", "packs": ["a", "b"]},
                     {"forge": "github", "repository": "octo/*"}],
    "limits": {"http_connections": 10, "http_header_bytes": 2048, "http_body_bytes": 4096, "http_header_timeout_ms": 1000,
               "http_body_timeout_ms": 1001, "http_idle_timeout_ms": 1002, "rpc_message_bytes": 1048576, "drain_timeout_ms": 1003},
    "retention": {"bodies_days": 3, "bodies_bytes": 1048576, "digests_days": 30, "decisions_days": 31, "ledger_days": 32,
                  "jobs_days": 33},
    "chat": {"slack": {"signing_secret": {"env": "GITHUB_WEBHOOK_SECRET"}, "users": {"U1": {"github": "alice"}},
                       "channels": {"C9": {"repository": "github:octo/hello", "may": ["read", "write"]}}}},
    "tls": {"certificate": "server.pem", "key": {"file": "server.key"}, "listeners": ["grpc"]},
    "log": {"level": "debug", "format": "human"},
    "allow_anonymous_loopback": true
  })");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  const ForgeConfig& github = config->forges.at("github");
  ASSERT_TRUE(github.app.has_value());
  EXPECT_EQ(github.app->id, "12345");
  EXPECT_EQ(github.app->installation, "678");
  EXPECT_THAT(github.app->private_key.Reveal(), HasSubstr("PRIVATE KEY"));
  EXPECT_EQ(github.bot_login, "yardmaster[bot]");
  EXPECT_EQ(github.git_url, "https://github.com");
  EXPECT_THAT(github.webhook_secrets[0].repositories, ElementsAre("pytorch/*", "octo/hello"));
  EXPECT_EQ(github.budget.mutations_per_minute, 40u);
  EXPECT_EQ(github.budget.requests_per_minute, 600u);
  EXPECT_THAT(github.settle, ElementsAre(std::chrono::milliseconds(100), std::chrono::milliseconds(200)));
  EXPECT_EQ(github.timeout, std::chrono::milliseconds(5000));
  ASSERT_THAT(github.hooks, SizeIs(1));
  EXPECT_EQ(github.hooks[0].id, "42");
  const ForgeConfig& gitcode = config->forges.at("gitcode");
  EXPECT_TRUE(gitcode.accept_plain_token);
  EXPECT_EQ(gitcode.api_url, "http://127.0.0.1:8088/api/v5");
  EXPECT_EQ(config->limits.http_connections, 10u);
  EXPECT_EQ(config->limits.http_body_bytes, 4096u);
  EXPECT_EQ(config->limits.drain_timeout, std::chrono::milliseconds(1003));
  EXPECT_EQ(config->retention.bodies, std::chrono::hours(72));
  EXPECT_EQ(config->retention.ledger, std::chrono::hours(32 * 24));
  EXPECT_EQ(config->retention.jobs, std::chrono::hours(33 * 24));
  ASSERT_NE(config->chat, nullptr);
  EXPECT_THAT(config->chat->platforms, SizeIs(1));
  ASSERT_TRUE(config->tls.has_value());
  EXPECT_TRUE(config->tls->grpc);
  EXPECT_FALSE(config->tls->http);
  EXPECT_EQ(config->log.level, LogLevel::kDebug);
}

TEST_F(ConfigTest, WhatHoldsForRunsOfSuitesIsRead) {
  const std::optional<Config> config = Parse(R"({
    "tokens": [{"name": "box", "role": "runner", "secret": {"env": "GITHUB_TOKEN"}, "runners": ["box-*"], "pool": "untrusted"}],
    "dispatch": {"max_attempts": 2, "lease_seconds": 5, "fork_policy": "never",
                 "pools": {"trusted": {}, "untrusted": {"network": ["pypto/*"]}},
                 "times": {"queue_minutes": 60, "start_minutes": 5, "run_minutes": 7, "finish_minutes": 3},
                 "artifacts": {"days": 2, "bytes": 1048576}, "limits": {"processes": 100, "memory_mb": 2048, "files": 5000}}})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  ASSERT_THAT(config->tokens, SizeIs(1));
  EXPECT_THAT(config->tokens[0].runner.names, ElementsAre("box-*"));
  EXPECT_EQ(config->tokens[0].runner.pool, "untrusted");
  const DispatchConfig& dispatch = config->dispatch;
  EXPECT_EQ(dispatch.max_attempts, 2u);
  EXPECT_EQ(dispatch.lease, std::chrono::seconds(5));
  EXPECT_EQ(dispatch.fork_policy, ForkPolicy::kNever);
  EXPECT_THAT(dispatch.untrusted_network, ElementsAre("pypto/*"));
  EXPECT_EQ(dispatch.times.queue, std::chrono::minutes(60));
  EXPECT_EQ(dispatch.times.start, std::chrono::minutes(5));
  EXPECT_EQ(dispatch.times.run, std::chrono::minutes(7));
  EXPECT_EQ(dispatch.times.finish, std::chrono::minutes(3));
  EXPECT_EQ(dispatch.artifact_age, std::chrono::hours(48));
  EXPECT_EQ(dispatch.limits.processes, 100u);
  EXPECT_EQ(dispatch.limits.memory_mb, 2048u);
  EXPECT_EQ(dispatch.limits.files, 5000u);
}

TEST_F(ConfigTest, PoolsAndRightsOfRunnersAreStrict) {
  EXPECT_EQ(OnlyProblem(R"({"dispatch": {"pools": {"lab": {}}}})").pointer, "/dispatch/pools/lab");
  EXPECT_EQ(OnlyProblem(R"({"dispatch": {"pools": {"trusted": {"network": ["a/b"]}}}})").pointer,
            "/dispatch/pools/trusted/network");
  EXPECT_EQ(OnlyProblem(R"({"dispatch": {"times": {"queue_minutes": 0}}})").pointer, "/dispatch/times/queue_minutes");
  EXPECT_EQ(
      OnlyProblem(
          R"({"tokens": [{"name": "a", "role": "viewer", "secret": {"env": "GITHUB_TOKEN"}, "pool": "trusted"}]})")
          .pointer,
      "/tokens/0/pool");
  EXPECT_EQ(
      OnlyProblem(R"({"tokens": [{"name": "a", "role": "runner", "secret": {"env": "GITHUB_TOKEN"}, "pool": "mine"}]})")
          .pointer,
      "/tokens/0/pool");
}

TEST_F(ConfigTest, AnUnknownKeyNamesFilePointerLineAndTheKeyThatWasMeant) {
  const Problem problem = OnlyProblem("{\n  \"mode\": \"dry-run\",\n  \"lisen\": {}\n}");
  EXPECT_EQ(problem.file, "config.json");
  EXPECT_EQ(problem.pointer, "/lisen");
  EXPECT_EQ(problem.line, 3u);
  EXPECT_THAT(problem.message, HasSubstr("did you mean \"listen\"?"));
}

TEST_F(ConfigTest, AnUnknownKeyInsideOfASectionIsAnError) {
  const Problem problem = OnlyProblem("{\"forges\": {\"github\": {\n\"webhook\": 1}}}");
  EXPECT_EQ(problem.pointer, "/forges/github/webhook");
  EXPECT_EQ(problem.line, 2u);
  EXPECT_THAT(problem.message, HasSubstr("webhook_secrets"));
}

TEST_F(ConfigTest, AllProblemsAreFoundAtOnceInTheOrderOfTheFile) {
  EXPECT_FALSE(Parse(R"({
    "listen": {"http": "nowhere"},
    "mode": "maybe",
    "tokens": [
      {"name": "a", "role": "king", "secret": {"env": "NOT_SET"}},
      {"role": "viewer", "secret": "in the file"}
    ],
    "allow_anonymous_loopback": "yes"
  })")
                   .has_value());
  std::vector<std::pair<std::string, uint32_t>> places;
  for (const Problem& problem : problems_) places.emplace_back(problem.pointer, problem.line);
  EXPECT_THAT(places,
              ElementsAre(std::pair("/listen/http", 2u), std::pair("/mode", 3u), std::pair("/tokens/0/role", 5u),
                          std::pair("/tokens/0/secret/env", 5u), std::pair("/tokens/1", 6u),
                          std::pair("/tokens/1/secret", 6u), std::pair("/allow_anonymous_loopback", 8u)))
      << AllProblems();
}

TEST_F(ConfigTest, ADuplicateKeyIsAnError) {
  EXPECT_FALSE(Parse("{\"mode\": \"dry-run\",\n\"mode\": \"apply\"}").has_value());
  ASSERT_FALSE(problems_.empty());
  EXPECT_EQ(problems_[0].line, 2u) << AllProblems();
}

TEST_F(ConfigTest, WhatIsNoJsonNamesItsLine) {
  EXPECT_FALSE(Parse("{\n\"mode\": }").has_value());
  ASSERT_FALSE(problems_.empty());
  EXPECT_EQ(problems_[0].line, 2u);
}

TEST_F(ConfigTest, TheRootMustBeAnObject) { EXPECT_THAT(OnlyProblem("[]").message, HasSubstr("expected an object")); }

TEST_F(ConfigTest, ADeepDocumentIsRefused) {
  std::string deep = "{\"chat\": {\"slack\": ";
  for (int i = 0; i < 100; ++i) deep += "{\"a\": ";
  deep += "1";
  deep += std::string(102, '}');
  EXPECT_FALSE(Parse(deep).has_value());
}

// --- Secrets ---

TEST_F(ConfigTest, AMissingEnvironmentVariableIsNamed) {
  const Problem problem = OnlyProblem(R"({"forges": {"github": {"token": {"env": "NOT_SET"}}}})");
  EXPECT_EQ(problem.pointer, "/forges/github/token/env");
  EXPECT_THAT(problem.message, HasSubstr("NOT_SET is not set"));
}

TEST_F(ConfigTest, AnEmptySecretIsAnError) {
  EXPECT_THAT(OnlyProblem(R"({"forges": {"github": {"token": {"env": "EMPTY"}}}})").message, HasSubstr("is empty"));
  dir_.Write("empty", "\n");
  EXPECT_THAT(OnlyProblem(R"({"forges": {"github": {"token": {"file": "empty"}}}})").message, HasSubstr("is empty"));
}

TEST_F(ConfigTest, AMissingSecretFileIsNamedWithTheReason) {
  const Problem problem = OnlyProblem(R"({"forges": {"github": {"token": {"file": "no/such.token"}}}})");
  EXPECT_EQ(problem.pointer, "/forges/github/token/file");
  EXPECT_THAT(problem.message, HasSubstr("no/such.token"));
  EXPECT_THAT(problem.message, HasSubstr("No such file"));
}

TEST_F(ConfigTest, OneNewlineIsTrimmedOffASecretFileAndNoMore) {
  dir_.Write("a", "value-with-blank \n\n");
  const std::optional<Config> config = Parse(R"({"forges": {"github": {"token": {"file": "a"}}}})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  EXPECT_EQ(config->forges.at("github").token.Reveal(), "value-with-blank \n");
}

TEST_F(ConfigTest, ASecretInTheFileItselfIsRefusedWithoutRepeatingIt) {
  const Problem problem = OnlyProblem(R"({"forges": {"github": {"token": "ghp_abcdefghijklmnopqrstuvwxyz"}}})");
  EXPECT_THAT(problem.message, HasSubstr("{\"env\": NAME}"));
  EXPECT_THAT(problem.message, ::testing::Not(HasSubstr("ghp_")));
}

TEST_F(ConfigTest, ASecretIsEitherOfTheTwoForms) {
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {"token": {}}}})").pointer, "/forges/github/token");
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {"token": {"env": "YARD_TOKEN", "file": "x"}}}})").pointer,
            "/forges/github/token");
}

TEST_F(ConfigTest, WithoutResolvingNoSecretIsLookedFor) {
  ConfigOptions options;
  options.resolve_secrets = false;
  options.getenv = [](const std::string&) -> std::optional<std::string> {
    ADD_FAILURE() << "the environment was asked";
    return std::nullopt;
  };
  EXPECT_TRUE(ParseConfig("config.json", kDocumentedExample, dir_.path(), problems_, options).has_value())
      << AllProblems();
}

template <typename T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <typename T>
concept Comparable = requires(const T& a, const T& b) {
  a == b;
};

TEST_F(ConfigTest, CommandsOfARepositoryAreMergedWithThoseOfAll) {
  const auto config = Parse(R"({"forges": {"github": {}},
      "commands": {"squash": {"who": ["maintainer"], "at_most": ["collaborator"]}, "test": {"enabled": false}},
      "bots": {"commands": ["verify"]},
      "repositories": [
        {"forge": "github", "repository": "a/b", "commands": {"squash": {"who": ["author", "team:core"]}}},
        {"forge": "github", "repository": "a/*"}]})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  const CommandSettings& own = config->FindRepository("github", "a/b")->commands;
  EXPECT_EQ(own.commands.at("squash").who->size(), 2u);
  EXPECT_EQ(own.commands.at("squash").who->at(1).team, "core");
  EXPECT_EQ(own.commands.at("squash").at_most->size(), 1u);
  EXPECT_EQ(own.commands.at("test").enabled, false);
  EXPECT_THAT(own.bot_commands, ElementsAre("verify"));
  const CommandSettings& other = config->FindRepository("github", "a/c")->commands;
  EXPECT_EQ(other.commands.at("squash").who->at(0).kind, rules::CommandRight::Kind::kMaintainer);
}

constexpr std::string_view kWithReview = R"({"forges": {"github": {}}, "repositories": [
  {"forge": "github", "repository": "o/r", "packs": ["p"]REVIEW}]})";

std::string WithReview(std::string_view review) {
  std::string text(kWithReview);
  return text.replace(text.find("REVIEW"), 6, review);
}

TEST_F(ConfigTest, ReviewsAreMadeOnlyWhenAskedForUnlessSaidOtherwise) {
  const std::optional<Config> config = Parse(WithReview(""));
  ASSERT_TRUE(config.has_value()) << AllProblems();
  const ReviewConfig& review = config->repositories[0].review;
  EXPECT_FALSE(review.events);
  EXPECT_EQ(review.publish, (ReviewOutputs{true, true, true}));
  EXPECT_FALSE(review.gate_blocks);
  EXPECT_EQ(review.max_inline, 20u);
  EXPECT_FALSE(review.drafts);
}

TEST_F(ConfigTest, WhatIsSaidAboutReviewsIsRead) {
  const std::optional<Config> config = Parse(WithReview(
      R"(, "review": {"events": true, "publish": ["comment"], "gate": "block", "max_inline": 3, "drafts": true,
           "debounce_ms": 100})"));
  ASSERT_TRUE(config.has_value()) << AllProblems();
  const ReviewConfig& review = config->repositories[0].review;
  EXPECT_TRUE(review.events);
  EXPECT_EQ(review.publish, (ReviewOutputs{false, true, false}));
  EXPECT_TRUE(review.gate_blocks);
  EXPECT_EQ(review.max_inline, 3u);
  EXPECT_TRUE(review.drafts);
  EXPECT_EQ(review.debounce.count(), 100);
}

TEST_F(ConfigTest, MistakesAboutReviewsAreNamedByPointer) {
  EXPECT_EQ(OnlyProblem(WithReview(R"(, "review": {"publish": ["chat"]})")).pointer,
            "/repositories/0/review/publish/0");
  EXPECT_THAT(OnlyProblem(WithReview(R"(, "review": {"publish": ["check", "check"]})")).message, HasSubstr("twice"));
  EXPECT_THAT(OnlyProblem(WithReview(R"(, "review": {"gate": "always"})")).message, HasSubstr("\"never\""));
  EXPECT_EQ(OnlyProblem(WithReview(R"(, "review": {"max_inline": 101})")).pointer, "/repositories/0/review/max_inline");
  EXPECT_EQ(OnlyProblem(WithReview(R"(, "review": {"event": true})")).pointer, "/repositories/0/review/event");
}

TEST_F(ConfigTest, TheProxyIsReadWithItsPassword) {
  const auto config = Parse(R"({"proxy": {"url": "http://proxy.example:3128", "no_proxy": ["forge.example", ".local"],
      "user": "yard", "password": {"env": "YARD_TOKEN"}}})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  EXPECT_EQ(config->proxy.url, "http://proxy.example:3128");
  EXPECT_THAT(config->proxy.no_proxy, ElementsAre("forge.example", ".local"));
  EXPECT_EQ(config->proxy.user, "yard");
  EXPECT_EQ(config->proxy.password.Reveal(), "operator-token-value");

  const auto none = Parse(R"({"proxy": {"url": ""}})");
  ASSERT_TRUE(none.has_value()) << AllProblems();
  EXPECT_EQ(none->proxy.url, "");
  const auto environment = Parse("{}");
  ASSERT_TRUE(environment.has_value()) << AllProblems();
  EXPECT_FALSE(environment->proxy.url.has_value());
}

TEST_F(ConfigTest, MistakesInTheProxyAreNamedByPointer) {
  EXPECT_THAT(OnlyProblem(R"({"proxy": {}})").ToString(), HasSubstr("/proxy: the key \"url\" is missing"));
  EXPECT_EQ(OnlyProblem(R"({"proxy": {"url": "socks5://proxy.example:1080"}})").pointer, "/proxy/url");
  EXPECT_EQ(OnlyProblem(R"({"proxy": {"url": "", "no_proxy": ["a.example, b.example"]}})").pointer,
            "/proxy/no_proxy/0");
  EXPECT_EQ(OnlyProblem(R"({"proxy": {"url": "", "password": "in the clear"}})").pointer, "/proxy/password");
  EXPECT_EQ(OnlyProblem(R"({"proxy": {"url": "", "token": "x"}})").pointer, "/proxy/token");
}

TEST_F(ConfigTest, TheOldNameOfBotsIsAccepted) {
  const auto config = Parse(R"({"bots": {"commands": ["deploy"]},
      "robots": {"commands": ["verify"], "logins": ["some-bot"]}})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  EXPECT_THAT(config->commands.bot_commands, ElementsAre("deploy", "verify"));
  EXPECT_THAT(config->commands.bot_logins, ElementsAre("some-bot"));
}

TEST_F(ConfigTest, CommandsWithMistakesAreNamedByPointer) {
  EXPECT_EQ(OnlyProblem(R"({"commands": {"squash": {"who": ["boss"]}}})").pointer, "/commands/squash/who/0");
  EXPECT_EQ(OnlyProblem(R"({"commands": {"squash": {"whom": ["author"]}}})").pointer, "/commands/squash/whom");
  EXPECT_EQ(OnlyProblem(R"({"commands": {"Squash it": {}}})").pointer, "/commands/Squash it");
  EXPECT_EQ(OnlyProblem(R"({"bots": {"commands": ["two words"]}})").pointer, "/bots/commands/0");
  EXPECT_EQ(OnlyProblem(R"({"commands": {"squash": {"who": []}}})").pointer, "/commands/squash/who");
}

TEST(Secret, CanNeitherBePrintedNorComparedByAccident) {
  EXPECT_FALSE(Printable<Secret>);
  EXPECT_FALSE(Comparable<Secret>);
  EXPECT_FALSE((std::is_convertible_v<Secret, std::string>));
}

// --- Forges ---

TEST_F(ConfigTest, PlainHttpIsForLoopbackOnly) {
  const Problem problem = OnlyProblem(R"({"forges": {"github": {"api_url": "http://api.github.com"}}})");
  EXPECT_EQ(problem.pointer, "/forges/github/api_url");
  EXPECT_THAT(problem.message, HasSubstr("loopback"));
  for (const char* url : {"http://127.0.0.1:1", "http://localhost/api", "http://[::1]:8080", "http://127.1.2.3"}) {
    EXPECT_TRUE(Parse(std::string(R"({"forges": {"github": {"api_url": ")") + url + "\"}}}").has_value())
        << url << AllProblems();
  }
  for (const char* url :
       {"http://127.0.0.1.evil.example", "http://127.evil.example", "http://localhost.evil.example"}) {
    EXPECT_FALSE(Parse(std::string(R"({"forges": {"github": {"api_url": ")") + url + "\"}}}").has_value()) << url;
  }
}

TEST_F(ConfigTest, AUrlWithAUserNameOrAQueryIsRefused) {
  for (const char* url :
       {"https://user:pass@api.github.com", "https://api.github.com/?a=b", "api.github.com", "ftp://x", "https://"}) {
    EXPECT_EQ(OnlyProblem(std::string(R"({"forges": {"github": {"api_url": ")") + url + "\"}}}").pointer,
              "/forges/github/api_url");
  }
}

TEST_F(ConfigTest, AnUnknownForgeIsAnError) {
  EXPECT_EQ(OnlyProblem(R"({"forges": {"gitlab": {}}})").pointer, "/forges/gitlab");
}

TEST_F(ConfigTest, AForgeHasATokenOrAnAppNotBoth) {
  ASSERT_TRUE(testing::MakeSelfSigned(dir_, "app"));
  const Problem problem = OnlyProblem(R"({"forges": {"github": {"token": {"env": "GITHUB_TOKEN"},
      "app": {"id": 1, "installation": 2, "private_key": {"file": "app.key"}}}}})");
  EXPECT_EQ(problem.pointer, "/forges/github/app");
}

TEST_F(ConfigTest, AnAppNeedsItsThreeParts) {
  EXPECT_FALSE(Parse(R"({"forges": {"github": {"app": {}}}})").has_value());
  EXPECT_THAT(problems_, SizeIs(3)) << AllProblems();
}

TEST_F(ConfigTest, OnlyGitcodeCanAcceptPlainTokens) {
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {"accept_plain_token": true}}})").pointer,
            "/forges/github/accept_plain_token");
}

TEST_F(ConfigTest, AnEmptyScopeOfAWebhookSecretIsAnError) {
  const Problem problem =
      OnlyProblem(R"({"forges": {"github": {"webhook_secrets": [{"env": "YARD_TOKEN", "repositories": []}]}}})");
  EXPECT_EQ(problem.pointer, "/forges/github/webhook_secrets/0/repositories");
}

TEST_F(ConfigTest, SettleTimesMustAscend) {
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {"settle_ms": [2000, 1000]}}})").pointer,
            "/forges/github/settle_ms/1");
}

TEST_F(ConfigTest, NumbersOutOfRangeNameTheRange) {
  const Problem problem = OnlyProblem(R"({"forges": {"github": {"timeout_ms": 99999999999999999999}}})");
  EXPECT_EQ(problem.pointer, "/forges/github/timeout_ms");
  EXPECT_THAT(problem.message, HasSubstr("from 100 to 600000"));
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {"timeout_ms": 18446744073709551615}}})").pointer,
            "/forges/github/timeout_ms");
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {"timeout_ms": 500.5}}})").pointer, "/forges/github/timeout_ms");
}

// --- Repositories, schedules, tokens ---

TEST_F(ConfigTest, ARepositoryMustNameAConfiguredForge) {
  EXPECT_EQ(OnlyProblem(R"({"repositories": [{"forge": "github", "repository": "a/b"}]})").pointer,
            "/repositories/0/forge");
}

TEST_F(ConfigTest, WhatASchedulesJobWantsToKnow) {
  const auto config =
      Parse(R"({"forges": {"github": {}}, "schedules": [{"name": "n", "cron": "0 2 * * *", "run": "sweep",
      "repository": "github:o/r", "time_zone": "Europe/Berlin", "jitter_seconds": 300, "limit_minutes": 20, "issue": 7,
      "days": 14, "issues": 50, "pack": "p@next"}]})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  const ScheduleConfig& schedule = config->schedules.at(0);
  EXPECT_EQ(schedule.time_zone, "Europe/Berlin");
  EXPECT_EQ(schedule.jitter, std::chrono::seconds(300));
  EXPECT_EQ(schedule.limit, std::chrono::minutes(20));
  EXPECT_EQ(schedule.issue, 7);
  EXPECT_EQ(schedule.days, 14);
  EXPECT_EQ(schedule.issues, 50);
  EXPECT_EQ(schedule.pack, "p");
  EXPECT_EQ(schedule.pack_folder, dir_.path() / "next");

  const auto problem = [&](const std::string& more) {
    return OnlyProblem(R"({"schedules": [{"name": "n", "cron": "0 2 * * *", "run": "sweep", )" + more + "}]}").pointer;
  };
  EXPECT_EQ(problem(R"("time_zone": "Europe/Atlantis")"), "/schedules/0/time_zone");
  EXPECT_EQ(problem(R"("issue": 7)"), "/schedules/0/issue") << "of which repository?";
  EXPECT_EQ(problem(R"("chat": "slack")"), "/schedules/0/chat");
  EXPECT_EQ(problem(R"("chat": "slack:C1")"), "/schedules/0/chat") << "it is not configured";
  EXPECT_EQ(problem(R"("language": "de")"), "/schedules/0/language");
  EXPECT_EQ(problem(R"("pack": "@x")"), "/schedules/0/pack");
  EXPECT_EQ(problem(R"("limit_minutes": 0)"), "/schedules/0/limit_minutes");
}

TEST_F(ConfigTest, RepositoryNamesAreOwnerAndName) {
  for (const char* name : {"pytorch", "a/b/c", "*/b", "a/b*", "../x", "a/..", "a b/c", "/"}) {
    EXPECT_EQ(
        OnlyProblem(std::string(R"({"forges": {"github": {}}, "repositories": [{"forge": "github", "repository": ")") +
                    name + "\"}]}")
            .pointer,
        "/repositories/0/repository")
        << name;
  }
}

TEST_F(ConfigTest, TheFirstMatchingRepositoryWinsAndAShadowedOneIsSaid) {
  const std::optional<Config> config = Parse(R"({"forges": {"github": {}}, "mode": "apply", "repositories": [
    {"forge": "github", "repository": "octo/hello", "mode": "dry-run"},
    {"forge": "github", "repository": "octo/*", "mode": "apply"},
    {"forge": "github", "repository": "octo/late"}]})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  EXPECT_EQ(config->FindRepository("github", "Octo/Hello"), &config->repositories[0]);
  EXPECT_EQ(config->FindRepository("github", "octo/late"), &config->repositories[1]);
  EXPECT_EQ(config->FindRepository("github", "octo/a/b"), nullptr);
  EXPECT_EQ(config->FindRepository("github", "octopus/x"), nullptr);
  EXPECT_EQ(config->FindRepository("gitcode", "octo/hello"), nullptr);
  EXPECT_EQ(config->ModeFor(&config->repositories[0]), RunMode::kDryRun);
  EXPECT_EQ(config->ModeFor(&config->repositories[1]), RunMode::kApply);
  EXPECT_THAT(config->warnings, ::testing::Contains(HasSubstr("/repositories/2 is never used")));
}

TEST_F(ConfigTest, AShadowNamesOneOfThePacksAndAFolder) {
  const std::string head = R"({"forges": {"github": {}}, "repositories": [
    {"forge": "github", "repository": "a/b", "packs": ["tiny"], "shadow": )";
  const std::optional<Config> config = Parse(head + R"("tiny@next/tiny"}]})");
  ASSERT_TRUE(config.has_value()) << AllProblems();
  ASSERT_TRUE(config->repositories[0].shadow.has_value());
  EXPECT_EQ(config->repositories[0].shadow->pack, "tiny");
  EXPECT_TRUE(config->repositories[0].shadow->folder.is_absolute());
  EXPECT_TRUE(config->repositories[0].shadow->folder.native().ends_with("/next/tiny"));
  EXPECT_THAT(OnlyProblem(head + R"("other@next"}]})").message, HasSubstr("\"other\" is none of the repository's"));
  for (const char* bad : {R"("tiny"}]})", R"("@next"}]})", R"("tiny@"}]})"}) {
    EXPECT_THAT(OnlyProblem(head + bad).message, HasSubstr("expected PACK@PATH"));
  }
}

TEST_F(ConfigTest, ARepositoryNeverWidensTheDaemonsMode) {
  const std::optional<Config> config = Parse(
      R"({"forges": {"github": {}}, "repositories": [{"forge": "github", "repository": "a/b", "mode": "apply"}]})");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->ModeFor(&config->repositories[0]), RunMode::kDryRun);
}

TEST_F(ConfigTest, TheSameRepositoryTwiceIsAnError) {
  EXPECT_EQ(OnlyProblem(R"({"forges": {"github": {}}, "repositories": [{"forge": "github", "repository": "a/b"},
                            {"forge": "github", "repository": "A/B"}]})")
                .pointer,
            "/repositories/1");
}

TEST_F(ConfigTest, ABadCronExpressionIsAnErrorThatNamesTheField) {
  const Problem problem = OnlyProblem(R"({"schedules": [{"name": "n", "cron": "0 25 * * *", "run": "sweep"}]})");
  EXPECT_EQ(problem.pointer, "/schedules/0/cron");
  EXPECT_THAT(problem.message, HasSubstr("hour"));
}

TEST_F(ConfigTest, AScheduleRunsAJobThatThereIs) {
  jobs_ = {{"missed-deliveries", "missed-deliveries"}, {"gaps", "missed-deliveries"}, {"sweep", "sweep"}};
  const auto schedule = [](const std::string& run) {
    return R"({"schedules": [{"name": "n", "cron": "0 2 * * *", "run": ")" + run + R"("}]})";
  };
  const Problem problem = OnlyProblem(schedule("swep"));
  EXPECT_EQ(problem.pointer, "/schedules/0/run");
  EXPECT_EQ(problem.message, R"(expected "missed-deliveries" or "sweep")");
  EXPECT_EQ(Parse(schedule("sweep"))->schedules.at(0).run, "sweep");
  EXPECT_EQ(Parse(schedule("gaps"))->schedules.at(0).run, "missed-deliveries");
}

TEST_F(ConfigTest, AScheduleNamesAForgeThatIsConfigured) {
  EXPECT_EQ(
      OnlyProblem(R"({"schedules": [{"name": "n", "cron": "0 2 * * *", "run": "sweep", "repository": "github:a/b"}]})")
          .pointer,
      "/schedules/0/repository");
}

TEST_F(ConfigTest, TokensNeedNamesAndSecretsOfTheirOwn) {
  EXPECT_EQ(OnlyProblem(R"({"tokens": [{"name": "a", "role": "viewer", "secret": {"env": "YARD_TOKEN"}},
                                       {"name": "a", "role": "viewer", "secret": {"env": "GITHUB_TOKEN"}}]})")
                .pointer,
            "/tokens/1/name");
  EXPECT_EQ(OnlyProblem(R"({"tokens": [{"name": "a", "role": "viewer", "secret": {"env": "YARD_TOKEN"}},
                                       {"name": "b", "role": "admin", "secret": {"env": "YARD_TOKEN"}}]})")
                .pointer,
            "/tokens/1/secret");
}

TEST_F(ConfigTest, ATokenThatNoHeaderCanCarryIsAnError) {
  environment_["BLANK"] = "two words";
  EXPECT_EQ(OnlyProblem(R"({"tokens": [{"name": "a", "role": "viewer", "secret": {"env": "BLANK"}}]})").pointer,
            "/tokens/0/secret");
}

TEST_F(ConfigTest, TokensWithoutTlsOnTheNetworkAreSaid) {
  const std::optional<Config> config = Parse(
      R"({"listen": {"grpc": "0.0.0.0:9090"}, "tokens": [{"name": "a", "role": "viewer", "secret": {"env": "YARD_TOKEN"}}]})");
  ASSERT_TRUE(config.has_value());
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("without TLS")));
}

TEST_F(ConfigTest, EverySecretIsShownToTheRedactor) {
  dir_.Write("gitcode.token", "gitcode-token-value");
  const std::optional<Config> config = Parse(kDocumentedExample);
  ASSERT_TRUE(config.has_value());
  std::vector<std::string> seen;
  config->ForEachSecret([&](const Secret& secret) { seen.push_back(secret.Reveal()); });
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre("github-token-value", "github-webhook-value", "gitcode-token-value",
                                                    "gitcode-webhook-value", "operator-token-value"));
}

// --- TLS ---

TEST_F(ConfigTest, ACertificateThatIsMissingOrBrokenIsNamed) {
  ASSERT_TRUE(testing::MakeSelfSigned(dir_, "server"));
  EXPECT_EQ(OnlyProblem(R"({"tls": {"certificate": "no.pem", "key": {"file": "server.key"}}})").pointer,
            "/tls/certificate");
  dir_.Write("broken.pem", "not a certificate");
  EXPECT_EQ(OnlyProblem(R"({"tls": {"certificate": "broken.pem", "key": {"file": "server.key"}}})").pointer,
            "/tls/certificate");
  EXPECT_EQ(OnlyProblem(R"({"tls": {"certificate": "server.pem"}})").pointer, "/tls");
  EXPECT_EQ(OnlyProblem(R"({"tls": {"certificate": "server.pem", "key": {"file": "server.pem"}}})").pointer,
            "/tls/key");
}

TEST_F(ConfigTest, AKeyOfAnotherCertificateIsAnError) {
  ASSERT_TRUE(testing::MakeSelfSigned(dir_, "server"));
  ASSERT_TRUE(testing::MakeSelfSigned(dir_, "other"));
  const Problem problem = OnlyProblem(R"({"tls": {"certificate": "server.pem", "key": {"file": "other.key"}}})");
  EXPECT_EQ(problem.pointer, "/tls/key");
  EXPECT_THAT(problem.message, HasSubstr("does not belong"));
}

TEST(LoadConfig, AMissingFileIsAProblem) {
  Problems problems;
  EXPECT_FALSE(LoadConfig("/no/such/config.json", problems).has_value());
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].file, "/no/such/config.json");
}

TEST(LoadConfig, RelativePathsCountFromTheFoldersConfig) {
  testing::TempDir dir;
  Problems problems;
  const std::optional<Config> config =
      LoadConfig(dir.Write("etc/config.json", R"({"data_dir": "../state", "packs_dir": "/packs"})"), problems);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->data_dir, dir.path() / "state");
  EXPECT_EQ(config->packs_dir, "/packs");
}

}  // namespace
}  // namespace yardmaster
