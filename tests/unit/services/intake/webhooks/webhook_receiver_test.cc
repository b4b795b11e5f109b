#include "services/intake/webhooks/webhook_receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/github/github_profile.h"
#include "services/core/reasons.h"
#include "services/core/sha256.h"
#include "services/core/store/store.h"
#include "services/intake/own_deliveries.h"
#include "services/intake/webhooks/signature.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kBody = R"({"action":"opened","issue":{"number":1},"repository":{"full_name":"octo/repo"}})";

class WebhookReceiverTest : public ::testing::Test {
 protected:
  WebhookReceiverTest() : logger_(Quiet()) {
    ForgeConfig github;
    github.name = "github";
    github.profile = &GitHubProfile();
    github.webhook_secrets = {{Secret("everything"), {}}, {Secret("limited"), {"octo/*"}}};
    config_.forges["github"] = github;
    ForgeConfig gitcode;
    gitcode.name = "gitcode";
    gitcode.profile = &GitCodeProfile();
    gitcode.webhook_secrets = {{Secret("password"), {}}};
    config_.forges["gitcode"] = gitcode;
    RepositoryConfig repository;
    repository.forge = "github";
    repository.repository = "octo/repo";
    repository.packs = {"tiny"};
    config_.repositories.push_back(repository);
    Open();
  }

  static LoggerOptions Quiet() {
    LoggerOptions options;
    options.level = LogLevel::kError;
    options.async = false;
    return options;
  }

  void Open(uint64_t free_disk = uint64_t{1} << 40) {
    receiver_.reset();
    store_.reset();
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1'000;
    options.single_threaded = true;
    options.free_disk_bytes = [free_disk](const std::filesystem::path&) { return free_disk; };
    auto store = store::Store::Open(std::move(options), clock_, nullptr);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    receiver_ = std::make_unique<WebhookReceiver>(config_, store_->inbox(), clock_, logger_);
  }

  // Headers of a good request of GitHub; a test changes what it is about.
  std::map<std::string, std::string> Headers(const std::string& body, const std::string& secret = "everything") {
    return {{"Content-Type", "application/json"},
            {"X-GitHub-Event", "issues"},
            {"X-GitHub-Delivery", "d-" + std::to_string(++ids_)},
            {"X-Hub-Signature-256", Sign(secret, body)}};
  }
  WebhookAnswer Send(const std::string& forge, const std::map<std::string, std::string>& headers,
                     const std::string& body) {
    WebhookRequest request;
    request.forge = forge;
    request.body = body;
    request.header = [&](std::string_view name) -> std::string_view {
      const auto it = headers.find(std::string(name));
      return it == headers.end() ? std::string_view() : std::string_view(it->second);
    };
    std::optional<WebhookAnswer> answer;
    receiver_->Receive(request, [&](WebhookAnswer given) {
      EXPECT_FALSE(answer.has_value()) << "answered twice";
      answer = std::move(given);
    });
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(WebhookAnswer());
  }
  WebhookAnswer Send(const std::string& body) { return Send("github", Headers(body), body); }
  static nlohmann::json Json(const WebhookAnswer& answer) { return nlohmann::json::parse(answer.body); }
  int64_t Kept() {
    const auto page = store_->inbox().List({}, {0, 500});
    return page.ok() ? static_cast<int64_t>(page->items.size()) : -1;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  Logger logger_;
  Config config_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<WebhookReceiver> receiver_;
  int ids_ = 0;
};

TEST_F(WebhookReceiverTest, SignedDeliveryIsKeptWithItsRawBytes) {
  const auto headers = Headers(kBody);
  const WebhookAnswer answer = Send("github", headers, kBody);
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(
      Json(answer),
      (nlohmann::json{{"delivery", headers.at("X-GitHub-Delivery")}, {"duplicate", false}, {"state", "received"}}));
  const auto kept = store_->inbox().Find("github", headers.at("X-GitHub-Delivery"));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->event, "issues");
  EXPECT_EQ(kept->body_sha256, Sha256Hex(kBody));
  EXPECT_EQ(RepositoryOnReceipt(kept->headers), "octo/repo");
  EXPECT_EQ(*store_->inbox().Body(kept->id), kBody);
}

TEST_F(WebhookReceiverTest, DuplicateIsAnsweredLikeTheFirstWithItsStateNow) {
  const auto headers = Headers(kBody);
  Send("github", headers, kBody);
  const auto kept = store_->inbox().Find("github", headers.at("X-GitHub-Delivery"));
  ASSERT_TRUE(store_->inbox().MarkDone(kept->id).ok());
  const WebhookAnswer again = Send("github", headers, kBody);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(Json(again)["duplicate"], true);
  EXPECT_EQ(Json(again)["state"], "done");
  EXPECT_EQ(Kept(), 1);
}

TEST_F(WebhookReceiverTest, ReplayUnderANewIdIsIgnored) {
  Send(kBody);
  const WebhookAnswer replay = Send(kBody);
  EXPECT_EQ(replay.status, 202);
  EXPECT_EQ(Json(replay)["state"], "ignored");
  EXPECT_THAT(Json(replay)["reason"].get<std::string>(), StartsWith("replay"));
}

TEST_F(WebhookReceiverTest, RefusalsKeepNothing) {
  EXPECT_EQ(Send("gitlab", Headers(kBody), kBody).status, 404);
  auto headers = Headers(kBody);
  headers["Content-Type"] = "application/x-www-form-urlencoded";
  EXPECT_EQ(Send("github", headers, kBody).status, 415);
  headers = Headers(kBody);
  headers.erase("X-Hub-Signature-256");
  EXPECT_EQ(Send("github", headers, kBody).status, 401);
  EXPECT_EQ(Send("github", Headers(kBody, "wrong"), kBody).status, 401);
  EXPECT_EQ(Send("github", Headers(kBody), std::string(kBody) + " ").status, 401);
  headers = Headers(kBody);
  headers.erase("X-GitHub-Delivery");
  EXPECT_EQ(Send("github", headers, kBody).status, 400);
  headers["X-GitHub-Delivery"] = std::string(300, 'x');
  EXPECT_EQ(Send("github", headers, kBody).status, 400);
  headers["X-GitHub-Delivery"] = "a b";
  EXPECT_EQ(Send("github", headers, kBody).status, 400);
  EXPECT_EQ(Kept(), 0);
}

TEST_F(WebhookReceiverTest, WhateverTheServerLetsInIsKept) {
  // The default limit of the server is 8 MiB, and an operator may raise it.
  const std::string body = R"({"repository":{"full_name":"octo/repo"},"pad":")" + std::string(9 << 20, 'x') + "\"}";
  EXPECT_EQ(Send(body).status, 202);
  EXPECT_EQ(Kept(), 1);
}

TEST_F(WebhookReceiverTest, GitCodesBodyNamesTheDeliveryWhereNoHeaderDoes) {
  config_.forges["gitcode"].accept_plain_token = true;
  Open();
  const std::map<std::string, std::string> headers = {
      {"Content-Type", "application/json"}, {"X-GitCode-Event", "Issue Hook"}, {"X-GitCode-Token", "password"}};
  const std::string named = R"({"project":{"path_with_namespace":"o/r"},"uuid":"4_abc"})";
  EXPECT_EQ(Json(Send("gitcode", headers, named))["delivery"], "4_abc");
  EXPECT_EQ(Json(Send("gitcode", headers, named))["duplicate"], true);
  EXPECT_EQ(Send("gitcode", headers, R"({"project":{"path_with_namespace":"o/r"}})").status, 400);
  EXPECT_EQ(Send("gitcode", headers, R"({"project":{"path_with_namespace":"o/r"},"uuid":"a b"})").status, 400);
  EXPECT_EQ(Kept(), 1);
}

TEST_F(WebhookReceiverTest, RefusalsAreLogged) {
  std::string log;
  LoggerOptions options;
  options.async = false;
  options.sink = [&](std::string_view line) { log += line; };
  Logger logger(options);
  WebhookReceiver receiver(config_, store_->inbox(), clock_, logger);
  WebhookRequest request;
  request.forge = "github";
  request.header = [](std::string_view) { return std::string_view(); };
  receiver.Receive(request, [](const WebhookAnswer& answer) { EXPECT_EQ(answer.status, 415); });
  EXPECT_THAT(log, AllOf(HasSubstr("webhook refused"), HasSubstr("application/json")));
  // A stranger fills no disk: the rest is counted.
  for (int i = 0; i < 1'000; ++i) receiver.Receive(request, [](const WebhookAnswer&) {});
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), kRefusalsLoggedPerMinute);
  clock_.Advance(std::chrono::minutes(2));
  receiver.Receive(request, [](const WebhookAnswer&) {});
  EXPECT_THAT(log, HasSubstr("\"left_out_before\":" + std::to_string(1'001 - kRefusalsLoggedPerMinute)));
}

TEST_F(WebhookReceiverTest, ContentTypeMayHaveParametersAndAnyCase) {
  auto headers = Headers(kBody);
  headers["Content-Type"] = "Application/JSON; charset=utf-8";
  EXPECT_EQ(Send("github", headers, kBody).status, 202);
}

TEST_F(WebhookReceiverTest, RepositoryMustBeInTheScopeOfTheSecretThatFits) {
  const std::string other = R"({"repository":{"full_name":"other/repo"}})";
  EXPECT_EQ(Send("github", Headers(kBody, "limited"), kBody).status, 202);
  EXPECT_EQ(Send("github", Headers(other, "limited"), other).status, 401);
  EXPECT_EQ(Send("github", Headers(other, "everything"), other).status, 202);
  // No repository is in no scope; what is no JSON is nobody's.
  const std::string none = R"({"organization":{"login":"octo"}})";
  EXPECT_EQ(Send("github", Headers(none, "limited"), none).status, 401);
  EXPECT_EQ(Send("github", Headers(none, "everything"), none).status, 202);
  EXPECT_EQ(Send("github", Headers("nonsense", "limited"), "nonsense").status, 202);
}

TEST_F(WebhookReceiverTest, SecretsAndPacksFollowARenamedRepository) {
  const std::string body = R"({"repository":{"full_name":"elsewhere/renamed"}})";
  EXPECT_EQ(Send("github", Headers(body, "limited"), body).status, 401);
  config_.aliases->Note("github", "octo/repo", "elsewhere/renamed");
  const WebhookAnswer answer = Send("github", Headers(body, "limited"), body);
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(Json(answer)["state"], "received");
}

TEST_F(WebhookReceiverTest, WhatIsNeverWorkedOnIsIgnoredAtOnceWithItsReason) {
  const auto reason = [&](const WebhookAnswer& answer) {
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(Json(answer)["state"], "ignored") << answer.body;
    return std::string(reasons::CodeOf(Json(answer).value("reason", "")));
  };
  EXPECT_EQ(reason(Send("not json")), reasons::kNotJson);
  EXPECT_EQ(reason(Send("")), reasons::kNotJson);
  EXPECT_EQ(reason(Send("[1]")), reasons::kNotJson);
  EXPECT_EQ(reason(Send(R"({"repository":{"full_name":"octo/other"}})")), reasons::kNoPack);
  EXPECT_EQ(reason(Send(R"({"action":"x"})")), reasons::kNoRepository);
  const std::string body = R"({"repository":{"full_name":"octo/repo"},"n":1})";
  auto headers = Headers(body);
  headers["X-GitHub-Event"] = "star";
  EXPECT_EQ(reason(Send("github", headers, body)), reasons::kUnknownEvent);
  headers = Headers(body + " ");
  headers["X-GitHub-Event"] = "ping";
  EXPECT_EQ(reason(Send("github", headers, body + " ")), reasons::kPing);
}

TEST_F(WebhookReceiverTest, OurOwnEventsCantComeFromOutside) {
  const std::string body = R"({"repository":{"full_name":"octo/repo"},"number":1})";
  auto headers = Headers(body);
  headers["X-GitHub-Event"] = "yardmaster.request";
  const WebhookAnswer answer = Send("github", headers, body);
  EXPECT_EQ(Json(answer)["state"], "ignored");
  EXPECT_EQ(store_->inbox().Find("github", headers.at("X-GitHub-Delivery"))->event, "");
}

TEST_F(WebhookReceiverTest, PlainPasswordCountsOnlyWhereItIsAccepted) {
  const std::string body = R"({"project":{"path_with_namespace":"o/r"}})";
  std::map<std::string, std::string> headers = {{"Content-Type", "application/json"},
                                                {"X-GitCode-Event", "Issue Hook"},
                                                {"X-GitCode-Delivery", "g-1"},
                                                {"X-GitCode-Token", "password"}};
  EXPECT_EQ(Send("gitcode", headers, body).status, 401);
  config_.forges["gitcode"].accept_plain_token = true;
  receiver_->ReplaceSecrets(config_);
  EXPECT_EQ(Send("gitcode", headers, body).status, 202);
  headers["X-GitCode-Signature-256"] = Sign("other", body);
  EXPECT_EQ(Send("gitcode", headers, body).status, 401) << "a signature that is there must fit";
}

TEST_F(WebhookReceiverTest, NewSecretsHoldFromTheNextRequestOn) {
  config_.forges["github"].webhook_secrets = {{Secret("rotated"), {}}};
  receiver_->ReplaceSecrets(config_);
  EXPECT_EQ(Send("github", Headers(kBody, "everything"), kBody).status, 401);
  EXPECT_EQ(Send("github", Headers(kBody, "rotated"), kBody).status, 202);
}

TEST_F(WebhookReceiverTest, FullDiskIsAnsweredWithRetryAfter) {
  Open(10);
  const WebhookAnswer answer = Send(kBody);
  EXPECT_EQ(answer.status, 503);
  EXPECT_GT(answer.retry_after_s, 0);
  EXPECT_EQ(Kept(), 0);
}

TEST_F(WebhookReceiverTest, StoreThatIsShutDownIsAnsweredWithRetryAfter) {
  store_->Shutdown();
  const WebhookAnswer answer = Send(kBody);
  EXPECT_EQ(answer.status, 503);
  EXPECT_GT(answer.retry_after_s, 0);
}

}  // namespace
}  // namespace yardmaster
