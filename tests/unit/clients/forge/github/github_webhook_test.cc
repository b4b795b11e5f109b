#include "clients/forge/github/github_webhook.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "services/core/reasons.h"

namespace yardmaster {
namespace {

using nlohmann::json;

// The least that the contract promises.
json IssueBody(const std::string& action) {
  return {{"action", action},
          {"issue",
           {{"number", 12},
            {"title", "FSDP hangs"},
            {"body", "It hangs."},
            {"state", "open"},
            {"labels", {{{"name", "oncall: distributed"}}}},
            {"user", {{"login", "alice"}}}}},
          {"repository", {{"full_name", "pytorch/pytorch"}}},
          {"sender", {{"login", "alice"}, {"type", "User"}}}};
}

WebhookReading Read(const std::string& event, const json& body, const std::string& repository = "") {
  const WebhookDelivery delivery{.event = event, .bot_login = "yardmaster[bot]", .repository = repository};
  return ReadGitHubWebhook(delivery, body.dump());
}

TEST(GitHubWebhook, OpenedIssueBecomesAnEventWithFacts) {
  const WebhookReading result = Read("issues", IssueBody("opened"), "pytorch/pytorch");
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  const ForgeEvent& event = *result.event;
  EXPECT_EQ(event.kind, ForgeEventKind::kOpened);
  EXPECT_EQ(event.actor, "alice");
  EXPECT_FALSE(event.actor_is_bot);
  EXPECT_EQ(event.subject.repository, "pytorch/pytorch");
  EXPECT_FALSE(event.subject.pull_request);
  EXPECT_EQ(event.subject.number, 12);
  EXPECT_TRUE(event.facts.Complete());
  EXPECT_EQ(event.facts.labels, std::vector<std::string>{"oncall: distributed"});
  EXPECT_EQ(event.facts.open, true);
  EXPECT_EQ(result.action, "opened");
}

TEST(GitHubWebhook, EachActionHasItsKind) {
  const std::pair<const char*, ForgeEventKind> expected[] = {
      {"reopened", ForgeEventKind::kReopened},     {"edited", ForgeEventKind::kEdited},
      {"labeled", ForgeEventKind::kLabelsChanged}, {"unlabeled", ForgeEventKind::kLabelsChanged},
      {"closed", ForgeEventKind::kClosed},
  };
  for (const auto& [action, kind] : expected) {
    const WebhookReading result = Read("issues", IssueBody(action));
    ASSERT_TRUE(result.event.has_value()) << action;
    EXPECT_EQ(result.event->kind, kind) << action;
  }
  for (const char* action : {"assigned", "pinned", "transferred", "deleted", ""}) {
    const WebhookReading result = Read("issues", IssueBody(action));
    EXPECT_FALSE(result.event.has_value());
    EXPECT_EQ(reasons::CodeOf(result.reason), reasons::kUnusedAction);
    EXPECT_EQ(result.subject.number, 12) << "an ignored delivery is listed with its subject";
  }
}

TEST(GitHubWebhook, LabelThatWasAddedIsNamedIfTheForgeNamesIt) {
  json body = IssueBody("labeled");
  EXPECT_EQ(Read("issues", body).event->label_added, "");
  body["label"] = {{"name", "bug"}};
  EXPECT_EQ(Read("issues", body).event->label_added, "bug");
  body["action"] = "unlabeled";
  const WebhookReading result = Read("issues", body);
  EXPECT_EQ(result.event->label_added, "");
  EXPECT_EQ(result.event->label_removed, "bug");
}

TEST(GitHubWebhook, EventsCarryWhatWasWrittenAndByWhom) {
  const WebhookReading opened = Read("issues", IssueBody("opened"));
  EXPECT_EQ(opened.event->text, "It hangs.");
  EXPECT_EQ(opened.event->text_author, "alice");
  EXPECT_EQ(opened.event->comment, 0);
  EXPECT_EQ(Read("issues", IssueBody("edited")).event->text, "It hangs.");
  EXPECT_EQ(Read("issues", IssueBody("labeled")).event->text, "");

  json body = IssueBody("created");
  body["comment"] = {{"id", 99}, {"body", "/help"}, {"user", {{"login", "bob"}, {"type", "User"}}}};
  body["sender"]["login"] = "maria";
  WebhookReading result = Read("issue_comment", body);
  EXPECT_EQ(result.event->kind, ForgeEventKind::kCommented);
  EXPECT_EQ(result.event->comment, 99);
  EXPECT_EQ(result.event->text, "/help");
  EXPECT_EQ(result.event->actor, "maria");
  EXPECT_EQ(result.event->text_author, "bob");
  EXPECT_FALSE(result.event->text_author_is_bot);
  body["action"] = "edited";
  body["comment"]["user"]["type"] = "Bot";
  result = Read("issue_comment", body);
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kCommentEdited);
  EXPECT_TRUE(result.event->text_author_is_bot);
  body["action"] = "deleted";
  EXPECT_EQ(reasons::CodeOf(Read("issue_comment", body).reason), reasons::kUnusedAction);
}

TEST(GitHubWebhook, CommentOnAnIssueAndOnAPullRequest) {
  json body = IssueBody("created");
  body["comment"] = {{"id", 99}, {"body", "me too"}, {"user", {{"login", "bob"}}}};
  WebhookReading result = Read("issue_comment", body);
  ASSERT_TRUE(result.event.has_value());
  EXPECT_EQ(result.event->kind, ForgeEventKind::kCommented);
  EXPECT_EQ(result.event->comment, 99);
  EXPECT_FALSE(result.subject.pull_request);
  body["issue"]["pull_request"] = {{"url", "u"}};
  EXPECT_TRUE(Read("issue_comment", body).subject.pull_request);
  body["action"] = "deleted";
  EXPECT_EQ(reasons::CodeOf(Read("issue_comment", body).reason), reasons::kUnusedAction);
}

TEST(GitHubWebhook, PullRequestPushAndChecks) {
  json body = IssueBody("synchronize");
  body["pull_request"] = body["issue"];
  body.erase("issue");
  WebhookReading result = Read("pull_request", body);
  ASSERT_TRUE(result.event.has_value());
  EXPECT_EQ(result.event->kind, ForgeEventKind::kPushed);
  EXPECT_TRUE(result.subject.pull_request);

  json push = {{"ref", "refs/heads/main"},
               {"repository", {{"full_name", "o/r"}}},
               {"sender", {{"login", "alice"}, {"type", "User"}}}};
  result = Read("push", push);
  ASSERT_TRUE(result.event.has_value());
  EXPECT_EQ(result.event->kind, ForgeEventKind::kPushed);
  EXPECT_EQ(result.subject.number, 0);

  json check = push;
  check["action"] = "rerequested";
  check["check_run"] = {{"pull_requests", {{{"number", 5}}}}, {"head_sha", std::string(40, 'a')}};
  result = Read("check_run", check);
  ASSERT_TRUE(result.event.has_value());
  EXPECT_EQ(result.event->kind, ForgeEventKind::kRequested);
  EXPECT_EQ(result.subject.number, 5);
  check["check_run"]["pull_requests"] = json::array();
  EXPECT_TRUE(Read("check_run", check).event.has_value());
  check["action"] = "completed";
  EXPECT_EQ(reasons::CodeOf(Read("check_run", check).reason), reasons::kUnusedAction);
}

json CheckBody(const std::string& action, const std::string& name, const std::string& app) {
  return {{"action", action},
          {"repository", {{"full_name", "o/r"}}},
          {"sender", {{"login", "yardmaster[bot]"}, {"type", "Bot"}}},
          {"check_run",
           {{"name", name},
            {"app", {{"slug", app}}},
            {"head_sha", std::string(40, 'a')},
            {"pull_requests", json::array()}}}};
}

TEST(GitHubWebhook, ACheckThatIsWantedAgainIsKnownByItsHeadWhereThePullRequestIsAForks) {
  const WebhookReading result = Read("check_run", CheckBody("rerequested", "yardmaster/review", "other"));
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kRequested) << "though GitHub names ourselves as the sender";
  EXPECT_TRUE(result.event->subject.pull_request);
  EXPECT_EQ(result.event->subject.number, 0);
  EXPECT_EQ(result.event->head, std::string(40, 'a'));
  json headless = CheckBody("rerequested", "yardmaster/review", "other");
  headless["check_run"].erase("head_sha");
  EXPECT_EQ(reasons::CodeOf(Read("check_run", headless).reason), reasons::kMalformed);
}

TEST(GitHubWebhook, ChecksOfOtherAppsAreIgnored) {
  EXPECT_TRUE(Read("check_run", CheckBody("rerequested", "lint", "yardmaster")).event.has_value()) << "the app is ours";
  const WebhookReading other = Read("check_run", CheckBody("rerequested", "lint", "linter"));
  EXPECT_FALSE(other.event.has_value());
  EXPECT_EQ(other.reason, "unused-action: a check of another app");
  json suite = CheckBody("rerequested", "", "linter");
  suite["check_suite"] = suite["check_run"];
  suite["check_suite"].erase("name");
  EXPECT_FALSE(Read("check_suite", suite).event.has_value());
  suite["check_suite"]["app"]["slug"] = "yardmaster";
  EXPECT_TRUE(Read("check_suite", suite).event.has_value());
}

TEST(GitHubWebhook, TheButtonOfACheckAsksForItAgain) {
  json body = CheckBody("requested_action", "yardmaster/review", "yardmaster");
  body["requested_action"] = {{"identifier", "rerun"}};
  const WebhookReading result = Read("check_run", body);
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kRequested);
  body["requested_action"] = {{"identifier", "other"}};
  EXPECT_EQ(reasons::CodeOf(Read("check_run", body).reason), reasons::kUnusedAction);
}

TEST(GitHubWebhook, APullRequestTellsItsHeadAndWhetherItIsADraft) {
  json body = IssueBody("ready_for_review");
  body["pull_request"] = body["issue"];
  body.erase("issue");
  body["pull_request"]["head"] = {{"sha", std::string(40, 'b')}};
  body["pull_request"]["draft"] = false;
  WebhookReading result = Read("pull_request", body);
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kReady);
  EXPECT_EQ(result.event->head, std::string(40, 'b'));
  EXPECT_EQ(result.event->facts.draft, false);
  body["action"] = "converted_to_draft";
  EXPECT_EQ(reasons::CodeOf(Read("pull_request", body).reason), reasons::kUnusedAction);
  body["action"] = "synchronize";
  body["pull_request"]["head"] = {{"sha", "b; rm"}};
  EXPECT_EQ(Read("pull_request", body).event->head, "") << "no commit's name";
}

TEST(GitHubWebhook, OwnActionsAndPingAreIgnored) {
  json body = IssueBody("labeled");
  body["sender"] = {{"login", "Yardmaster[bot]"}, {"type", "Bot"}};
  EXPECT_EQ(Read("issues", body).reason, reasons::kOwnAction);
  EXPECT_EQ(Read("ping", {{"zen", "x"}}).reason, reasons::kPing);
}

TEST(GitHubWebhook, BotsAreMarked) {
  json body = IssueBody("opened");
  body["sender"] = {{"login", "dependabot[bot]"}};
  EXPECT_TRUE(Read("issues", body).event->actor_is_bot);
  body["sender"] = {{"login", "ci-account"}, {"type", "Bot"}};
  EXPECT_TRUE(Read("issues", body).event->actor_is_bot);
}

TEST(GitHubWebhook, MissingAndMistypedMembersAreNamed) {
  const std::pair<const char*, json> cases[] = {
      {"/issue", nullptr},     {"/issue", "text"},         {"/issue/number", "twelve"},
      {"/issue/number", true}, {"/issue/number", -1},      {"/issue/number", 0},
      {"/issue/number", 1.5},  {"/issue/number", nullptr}, {"/issue/number", "99999999999999999999"},
  };
  for (const auto& [pointer, value] : cases) {
    json body = IssueBody("opened");
    body[json::json_pointer(pointer)] = value;
    const WebhookReading result = Read("issues", body);
    EXPECT_FALSE(result.event.has_value()) << pointer << value;
    EXPECT_EQ(reasons::CodeOf(result.reason), reasons::kMalformed) << pointer << value;
  }
}

TEST(GitHubWebhook, OptionalMembersMayBeMissingOrOfAnyType) {
  for (const char* pointer :
       {"/issue/title", "/issue/body", "/issue/labels", "/issue/state", "/issue/user", "/sender"}) {
    for (const json& value : {json(nullptr), json(7), json::array({1, nullptr}), json("x"), json(true)}) {
      json body = IssueBody("opened");
      body[json::json_pointer(pointer)] = value;
      EXPECT_TRUE(Read("issues", body).event.has_value()) << pointer << value;
    }
  }
  json body = IssueBody("opened");
  body["issue"]["body"] = nullptr;
  EXPECT_EQ(Read("issues", body).event->facts.body, "");
}

TEST(GitHubWebhook, RepositoryMustBeANameAndTheOneOfTheDoor) {
  json body = IssueBody("opened");
  EXPECT_EQ(Read("issues", body, "pytorch/vision").reason, reasons::kRepositoryMismatch);
  for (const char* name : {"pytorch", "a/b/c", "../etc", "a/..", "a/b?x=1", "a b/c", "/x", "x/"}) {
    body["repository"]["full_name"] = name;
    EXPECT_EQ(reasons::CodeOf(Read("issues", body).reason), reasons::kMalformed) << name;
  }
  body.erase("repository");
  EXPECT_EQ(Read("organization", body).reason, reasons::kNoRepository);
}

TEST(GitHubWebhook, HostileBodiesGetAReason) {
  const WebhookDelivery delivery{.event = "issues", .bot_login = "", .repository = ""};
  std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), deep, std::string("{\"a\":\"\xff\"}"),
        std::string(R"({"repository":{"full_name":"a/b"},"repository":{"full_name":"c/d"}})"),
        std::string("\0\0\0", 3)}) {
    const WebhookReading result = ReadGitHubWebhook(delivery, body);
    EXPECT_FALSE(result.event.has_value());
    EXPECT_EQ(reasons::CodeOf(result.reason), reasons::kNotJson) << body.substr(0, 40);
  }
  const WebhookReading unknown = Read("marketplace_purchase", IssueBody("purchased"));
  EXPECT_EQ(unknown.reason, "unknown-event: marketplace_purchase");
}

TEST(SubjectFacts, DigestDependsOnTextLabelsAndStateOnly) {
  SubjectFacts facts;
  facts.title = "t";
  facts.body = "b";
  facts.labels = {"x", "y"};
  facts.open = true;
  SubjectFacts same = facts;
  same.labels = {"y", "x"};
  same.author = "somebody";
  EXPECT_EQ(facts.Digest(), same.Digest());
  SubjectFacts moved = facts;
  moved.title = "tb";
  moved.body = "";
  EXPECT_NE(facts.Digest(), moved.Digest());
  SubjectFacts closed = facts;
  closed.open = false;
  EXPECT_NE(facts.Digest(), closed.Digest());
}

}  // namespace
}  // namespace yardmaster
