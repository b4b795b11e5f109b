// What the checks say about facts that the fake forge does not make: Apps, fine-grained tokens, renamed repositories.
#include "clients/doctor/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::doctor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DoctorChecks : public ::testing::Test {
 protected:
  DoctorChecks() {
    forge_.name = "github";
    forge_.token = Secret("a-token");
    config_.file = "config.json";
    entry_.forge = "github";
    entry_.repository = "octo/repo";
    entry_.packs = {"lantern"};
    entry_.line = 12;
    forge_facts_.account = ForgeAccount{{"yardbot", "1", false}, std::nullopt, std::nullopt};
    facts_.entry = &entry_;
    ForgeRepository repository;
    repository.full_name = "octo/repo";
    facts_.repository = repository;
  }

  template <typename Facts>
  static Finding Run(absl::Span<const Check<Facts>> checks, std::string_view name, const Facts& facts) {
    for (const Check<Facts>& check : checks) {
      if (check.name == name) return check.judge(facts);
    }
    ADD_FAILURE() << "no check " << name;
    return {};
  }
  Finding OfForge(std::string_view name) { return Run(ForgeChecks(), name, forge_facts_); }
  Finding OfRepository(std::string_view name) { return Run(RepositoryChecks(), name, facts_); }

  Config config_;
  ForgeConfig forge_;
  RepositoryConfig entry_;
  ForgeFacts forge_facts_{config_, forge_, *FindForge(ShippedForges(), "github"), ""};
  RepositoryFacts facts_{forge_facts_, "octo/repo"};
};

TEST_F(DoctorChecks, AnAppWithoutContentsLacksAPermission) {
  forge_.app = ForgeApp{"1", "2", Secret("key")};
  forge_facts_.account->permissions = {{"metadata", "read"}, {"issues", "write"}};
  const Finding finding = OfForge("permissions");
  EXPECT_EQ(finding.state, State::kProblem);
  EXPECT_EQ(finding.text, "missing: Contents: Read-only");
  EXPECT_THAT(finding.fix, HasSubstr("GitHub Apps > Permissions & events"));
}

TEST_F(DoctorChecks, WhatOnlySomeThingsNeedIsAWarning) {
  forge_facts_.account->permissions = {{"metadata", "read"}, {"issues", "write"}, {"contents", "read"}};
  const Finding finding = OfForge("permissions");
  EXPECT_EQ(finding.state, State::kWarning);
  EXPECT_THAT(finding.text, AllOf(HasSubstr("Pull requests: Read and write"), HasSubstr("Checks: Read and write"),
                                  HasSubstr("Webhooks")));
  EXPECT_THAT(finding.text, HasSubstr("Contents: Read and write (for commands that push"));
}

TEST_F(DoctorChecks, ReviewsOfAnAppNeedTheEventsOfItsChecks) {
  forge_.webhook_secrets = {{Secret("s"), {"octo/*"}}};
  ForgeWebhook webhook;
  webhook.id = "7";
  webhook.url = "https://bot.example/webhooks/github";
  webhook.events = {"issues", "issue_comment", "pull_request"};
  facts_.webhooks = std::vector<ForgeWebhook>{webhook};
  EXPECT_EQ(OfRepository("webhook").state, State::kOk) << "nothing is reviewed";
  entry_.review.events = true;
  EXPECT_EQ(OfRepository("webhook").state, State::kOk) << "a token makes statuses, which nobody can ask for again";
  forge_.app = ForgeApp{"1", "2", Secret("key")};
  EXPECT_EQ(OfRepository("webhook").state, State::kWarning);
  EXPECT_THAT(OfRepository("webhook").text, HasSubstr("check_run, check_suite"));
  facts_.webhooks->front().events = {"*"};
  EXPECT_EQ(OfRepository("webhook").state, State::kOk);
}

TEST_F(DoctorChecks, ReadingIssuesIsNotEnough) {
  forge_facts_.account->permissions = {{"metadata", "read"}, {"issues", "read"}, {"contents", "read"}};
  EXPECT_EQ(OfForge("permissions").text, "missing: Issues: Read and write");
}

TEST_F(DoctorChecks, AFineGrainedTokenTellsNothing) {
  forge_.token = Secret("github_pat_0123");
  const Finding finding = OfForge("permissions");
  EXPECT_EQ(finding.state, State::kSkipped);
  EXPECT_THAT(finding.text, HasSubstr("a fine-grained token"));
  EXPECT_THAT(finding.fix, AllOf(HasSubstr("Contents: Read-only"), HasSubstr("Issues: Read and write")));
}

TEST_F(DoctorChecks, AClassicTokenNeedsOneOfTheScopes) {
  forge_facts_.account->scopes = {"public_repo"};
  EXPECT_EQ(OfForge("permissions").state, State::kOk);
  forge_facts_.account->scopes = {"gist"};
  EXPECT_EQ(OfForge("permissions").state, State::kProblem);
  forge_facts_.account->scopes = std::vector<std::string>();
  EXPECT_EQ(OfForge("permissions").text, "scopes of the token: none");
}

TEST_F(DoctorChecks, AClockIsOffAboveAMinute) {
  EXPECT_EQ(OfForge("clock").state, State::kSkipped);
  forge_facts_.clock_ahead = std::chrono::seconds(-60);
  EXPECT_EQ(OfForge("clock").state, State::kOk);
  forge_facts_.clock_ahead = std::chrono::seconds(61);
  EXPECT_EQ(OfForge("clock").text, "this machine's clock is 61 s ahead of the forge's");
}

TEST_F(DoctorChecks, ARenamedRepositoryNamesTheLineToChange) {
  facts_.repository->full_name = "octo/renamed";
  const Finding finding = OfRepository("repository");
  EXPECT_EQ(finding.state, State::kProblem);
  EXPECT_EQ(finding.fix, "config.json:12: write \"repository\": \"octo/renamed\"");
}

TEST_F(DoctorChecks, WhereNothingIsWrittenReadingIsEnough) {
  facts_.repository->own = ForgePermission::kRead;
  EXPECT_EQ(OfRepository("writing").state, State::kWarning);
  config_.mode = RunMode::kApply;
  EXPECT_EQ(OfRepository("writing").state, State::kProblem);
}

TEST_F(DoctorChecks, TheAnswersToDeliveriesSayWhatToDo) {
  forge_.webhook_secrets = {{Secret("s"), {"octo/*"}}};
  ForgeWebhook webhook;
  webhook.id = "7";
  webhook.url = "https://bot.example/webhooks/github";
  facts_.webhooks = std::vector<ForgeWebhook>{webhook};
  const auto delivery = [](int64_t status) {
    ForgeHookDelivery out;
    out.event = "issues";
    out.status_code = status;
    return out;
  };
  facts_.deliveries = std::vector<ForgeHookDelivery>{delivery(415), delivery(202)};
  EXPECT_EQ(OfRepository("deliveries").state, State::kProblem);
  EXPECT_THAT(OfRepository("deliveries").fix, HasSubstr("application/json"));
  facts_.deliveries = std::vector<ForgeHookDelivery>{delivery(202), delivery(401)};
  EXPECT_EQ(OfRepository("deliveries").state, State::kWarning);
  facts_.deliveries = std::vector<ForgeHookDelivery>();
  EXPECT_EQ(OfRepository("deliveries").state, State::kWarning);
}

TEST_F(DoctorChecks, TheWebhookOfMissedDeliveriesMustExist) {
  forge_.webhook_secrets = {{Secret("s"), {}}};
  forge_.hooks = {{"octo/repo", "99"}};
  ForgeWebhook webhook;
  webhook.id = "7";
  webhook.url = "https://bot.example/webhooks/github?x=1";
  webhook.content_type = "json";
  webhook.events = {"*"};
  facts_.webhooks = std::vector<ForgeWebhook>{webhook};
  EXPECT_THAT(OfRepository("webhook").text, HasSubstr("there is no webhook 99"));
  forge_.hooks = {{"octo/repo", "7"}};
  EXPECT_EQ(OfRepository("webhook").state, State::kOk);
}

TEST(DoctorProxy, IsNamedWithoutItsPassword) {
  const auto variable = [](const char* name) {
    return std::string(std::string_view(name) == "https_proxy" ? "http://user:secret@proxy:1" : "");
  };
  EXPECT_EQ(DescribeProxy({}, "https://api.github.com", variable), "the proxy of $https_proxy");
  EXPECT_EQ(DescribeProxy({}, "http://127.0.0.1:1", variable), "");
  ProxyConfig none;
  none.url = "";
  EXPECT_EQ(DescribeProxy(none, "https://api.github.com", variable), "");
}

}  // namespace
}  // namespace yardmaster::doctor
