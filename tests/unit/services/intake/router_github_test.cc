#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "services/intake/reasons.h"
#include "services/intake/router.h"

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

RouteResult Route(const std::string& event, const json& body, const std::string& repository = "") {
  const RouteContext context{.forge = "github",
                             .event = event,
                             .delivery_id = "d-1",
                             .bot_login = "yardmaster[bot]",
                             .repository = repository};
  return RouteGitHub(context, body.dump());
}

TEST(RouteGitHub, OpenedIssueBecomesAnEventWithFacts) {
  const RouteResult result = Route("issues", IssueBody("opened"), "pytorch/pytorch");
  ASSERT_TRUE(result.routed.has_value()) << result.reason;
  const RoutedEvent& routed = *result.routed;
  EXPECT_EQ(routed.event.id(), "d-1");
  EXPECT_EQ(routed.event.kind(), v1::Event::KIND_OPENED);
  EXPECT_EQ(routed.event.origin(), v1::Event::ORIGIN_WEBHOOK);
  EXPECT_EQ(routed.event.actor(), "alice");
  EXPECT_FALSE(routed.event.actor_is_bot());
  EXPECT_EQ(routed.event.subject().forge(), "github");
  EXPECT_EQ(routed.event.subject().repository(), "pytorch/pytorch");
  EXPECT_EQ(routed.event.subject().kind(), v1::SUBJECT_KIND_ISSUE);
  EXPECT_EQ(routed.event.subject().number(), 12);
  EXPECT_TRUE(routed.facts.Complete());
  EXPECT_EQ(routed.facts.labels, std::vector<std::string>{"oncall: distributed"});
  EXPECT_EQ(routed.facts.open, true);
  EXPECT_EQ(result.action, "opened");
}

TEST(RouteGitHub, EachActionHasItsKind) {
  const std::pair<const char*, v1::Event::Kind> expected[] = {
      {"reopened", v1::Event::KIND_REOPENED},      {"edited", v1::Event::KIND_EDITED},
      {"labeled", v1::Event::KIND_LABELS_CHANGED}, {"unlabeled", v1::Event::KIND_LABELS_CHANGED},
      {"closed", v1::Event::KIND_CLOSED},
  };
  for (const auto& [action, kind] : expected) {
    const RouteResult result = Route("issues", IssueBody(action));
    ASSERT_TRUE(result.routed.has_value()) << action;
    EXPECT_EQ(result.routed->event.kind(), kind) << action;
  }
  for (const char* action : {"assigned", "pinned", "transferred", "deleted", ""}) {
    const RouteResult result = Route("issues", IssueBody(action));
    EXPECT_FALSE(result.routed.has_value());
    EXPECT_EQ(reasons::WordOf(result.reason), reasons::kUnusedAction);
    EXPECT_EQ(result.subject.number(), 12) << "an ignored delivery is listed with its subject";
  }
}

TEST(RouteGitHub, LabelThatWasAddedIsNamedIfTheForgeNamesIt) {
  json body = IssueBody("labeled");
  EXPECT_EQ(Route("issues", body).routed->label_added, "");
  body["label"] = {{"name", "bug"}};
  EXPECT_EQ(Route("issues", body).routed->label_added, "bug");
  body["action"] = "unlabeled";
  const RouteResult result = Route("issues", body);
  EXPECT_EQ(result.routed->label_added, "");
  EXPECT_EQ(result.routed->label_removed, "bug");
}

TEST(RouteGitHub, EventsCarryWhatWasWrittenAndByWhom) {
  const RouteResult opened = Route("issues", IssueBody("opened"));
  EXPECT_EQ(opened.routed->event.text(), "It hangs.");
  EXPECT_EQ(opened.routed->event.text_author(), "alice");
  EXPECT_EQ(opened.routed->event.comment(), "");
  EXPECT_EQ(Route("issues", IssueBody("edited")).routed->event.text(), "It hangs.");
  EXPECT_EQ(Route("issues", IssueBody("labeled")).routed->event.text(), "");

  json body = IssueBody("created");
  body["comment"] = {{"id", 99}, {"body", "/help"}, {"user", {{"login", "bob"}, {"type", "User"}}}};
  body["sender"]["login"] = "maria";
  RouteResult result = Route("issue_comment", body);
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_COMMENTED);
  EXPECT_EQ(result.routed->event.comment(), "99");
  EXPECT_EQ(result.routed->event.text(), "/help");
  EXPECT_EQ(result.routed->event.actor(), "maria");
  EXPECT_EQ(result.routed->event.text_author(), "bob");
  EXPECT_FALSE(result.routed->event.text_author_is_bot());
  body["action"] = "edited";
  body["comment"]["user"]["type"] = "Bot";
  result = Route("issue_comment", body);
  ASSERT_TRUE(result.routed.has_value()) << result.reason;
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_COMMENT_EDITED);
  EXPECT_TRUE(result.routed->event.text_author_is_bot());
  body["action"] = "deleted";
  EXPECT_EQ(reasons::WordOf(Route("issue_comment", body).reason), reasons::kUnusedAction);
}

TEST(RouteGitHub, CommentOnAnIssueAndOnAPullRequest) {
  json body = IssueBody("created");
  body["comment"] = {{"id", 99}, {"body", "me too"}, {"user", {{"login", "bob"}}}};
  RouteResult result = Route("issue_comment", body);
  ASSERT_TRUE(result.routed.has_value());
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_COMMENTED);
  EXPECT_EQ(result.routed->comment_id, 99);
  EXPECT_EQ(result.subject.kind(), v1::SUBJECT_KIND_ISSUE);
  body["issue"]["pull_request"] = {{"url", "u"}};
  EXPECT_EQ(Route("issue_comment", body).subject.kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  body["action"] = "deleted";
  EXPECT_EQ(reasons::WordOf(Route("issue_comment", body).reason), reasons::kUnusedAction);
}

TEST(RouteGitHub, PullRequestPushAndChecks) {
  json body = IssueBody("synchronize");
  body["pull_request"] = body["issue"];
  body.erase("issue");
  RouteResult result = Route("pull_request", body);
  ASSERT_TRUE(result.routed.has_value());
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_PUSHED);
  EXPECT_EQ(result.subject.kind(), v1::SUBJECT_KIND_PULL_REQUEST);

  json push = {{"ref", "refs/heads/main"},
               {"repository", {{"full_name", "o/r"}}},
               {"sender", {{"login", "alice"}, {"type", "User"}}}};
  result = Route("push", push);
  ASSERT_TRUE(result.routed.has_value());
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_PUSHED);
  EXPECT_EQ(result.subject.number(), 0);

  json check = push;
  check["action"] = "rerequested";
  check["check_run"] = {{"pull_requests", {{{"number", 5}}}}};
  result = Route("check_run", check);
  ASSERT_TRUE(result.routed.has_value());
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_REQUESTED);
  EXPECT_EQ(result.subject.number(), 5);
  check["check_run"]["pull_requests"] = json::array();
  EXPECT_TRUE(Route("check_run", check).routed.has_value());
  check["action"] = "completed";
  EXPECT_EQ(reasons::WordOf(Route("check_run", check).reason), reasons::kUnusedAction);
}

TEST(RouteGitHub, OwnActionsAndPingAreIgnored) {
  json body = IssueBody("labeled");
  body["sender"] = {{"login", "Yardmaster[bot]"}, {"type", "Bot"}};
  EXPECT_EQ(Route("issues", body).reason, reasons::kOwnAction);
  EXPECT_EQ(Route("ping", {{"zen", "x"}}).reason, reasons::kPing);
}

TEST(RouteGitHub, BotsAreMarked) {
  json body = IssueBody("opened");
  body["sender"] = {{"login", "dependabot[bot]"}};
  EXPECT_TRUE(Route("issues", body).routed->event.actor_is_bot());
  body["sender"] = {{"login", "ci-account"}, {"type", "Bot"}};
  EXPECT_TRUE(Route("issues", body).routed->event.actor_is_bot());
}

TEST(RouteGitHub, MissingAndMistypedMembersAreNamed) {
  const std::pair<const char*, json> cases[] = {
      {"/issue", nullptr},     {"/issue", "text"},         {"/issue/number", "twelve"},
      {"/issue/number", true}, {"/issue/number", -1},      {"/issue/number", 0},
      {"/issue/number", 1.5},  {"/issue/number", nullptr}, {"/issue/number", "99999999999999999999"},
  };
  for (const auto& [pointer, value] : cases) {
    json body = IssueBody("opened");
    body[json::json_pointer(pointer)] = value;
    const RouteResult result = Route("issues", body);
    EXPECT_FALSE(result.routed.has_value()) << pointer << value;
    EXPECT_EQ(reasons::WordOf(result.reason), reasons::kMalformed) << pointer << value;
  }
}

TEST(RouteGitHub, OptionalMembersMayBeMissingOrOfAnyType) {
  for (const char* pointer :
       {"/issue/title", "/issue/body", "/issue/labels", "/issue/state", "/issue/user", "/sender"}) {
    for (const json& value : {json(nullptr), json(7), json::array({1, nullptr}), json("x"), json(true)}) {
      json body = IssueBody("opened");
      body[json::json_pointer(pointer)] = value;
      EXPECT_TRUE(Route("issues", body).routed.has_value()) << pointer << value;
    }
  }
  json body = IssueBody("opened");
  body["issue"]["body"] = nullptr;
  EXPECT_EQ(Route("issues", body).routed->facts.body, "");
}

TEST(RouteGitHub, RepositoryMustBeANameAndTheOneOfTheDoor) {
  json body = IssueBody("opened");
  EXPECT_EQ(Route("issues", body, "pytorch/vision").reason, reasons::kRepositoryMismatch);
  for (const char* name : {"pytorch", "a/b/c", "../etc", "a/..", "a/b?x=1", "a b/c", "/x", "x/"}) {
    body["repository"]["full_name"] = name;
    EXPECT_EQ(reasons::WordOf(Route("issues", body).reason), reasons::kMalformed) << name;
  }
  body.erase("repository");
  EXPECT_EQ(Route("organization", body).reason, reasons::kNoRepository);
}

TEST(RouteGitHub, HostileBodiesGetAReason) {
  const RouteContext context{
      .forge = "github", .event = "issues", .delivery_id = "d", .bot_login = "", .repository = ""};
  std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), deep, std::string("{\"a\":\"\xff\"}"),
        std::string(R"({"repository":{"full_name":"a/b"},"repository":{"full_name":"c/d"}})"),
        std::string("\0\0\0", 3)}) {
    const RouteResult result = RouteGitHub(context, body);
    EXPECT_FALSE(result.routed.has_value());
    EXPECT_EQ(reasons::WordOf(result.reason), reasons::kNotJson) << body.substr(0, 40);
  }
  const RouteResult unknown = Route("marketplace_purchase", IssueBody("purchased"));
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
