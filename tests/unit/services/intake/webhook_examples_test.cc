// Every example payload that GitHub's own libraries ship ends as a known event or as ignored with a reason.
#include "tests/support/webhook_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "services/intake/reasons.h"
#include "services/intake/webhook_forge.h"

namespace yardmaster {
namespace {

TEST(WebhookExamples, EveryOneEndsAsAnEventOrWithAReason) {
  const nlohmann::json examples = testing::GithubExamples();
  ASSERT_TRUE(examples.is_array());
  const WebhookForge& forge = GitHubWebhooks();
  size_t payloads = 0;
  std::map<std::string, int> events;
  std::map<std::string, int> ignored;
  for (const nlohmann::json& entry : examples) {
    const std::string event = entry["name"];
    for (const nlohmann::json& payload : entry["examples"]) {
      ++payloads;
      SCOPED_TRACE(event + " example " + std::to_string(payloads));
      const std::string body = payload.dump();
      const ScanResult scan = FindRepository(body, forge.repository);
      EXPECT_NE(scan.state, ScanState::kNotJson);
      RouteContext context;
      context.forge = "github";
      context.event = event;
      context.delivery_id = "d";
      const RouteResult result = RouteGitHub(context, body);
      const bool known =
          event == forge.ping_event || std::find(forge.events.begin(), forge.events.end(), event) != forge.events.end();
      if (result.routed.has_value()) {
        EXPECT_TRUE(known) << "the door would not let it in";
        EXPECT_EQ(scan.repository, result.subject.repository());
        ++events[event];
      } else {
        const std::string word(reasons::WordOf(result.reason));
        EXPECT_NE(word, reasons::kNotJson) << result.reason;
        EXPECT_NE(word, reasons::kMalformed) << result.reason;
        EXPECT_FALSE(word.empty());
        ++ignored[word];
      }
    }
  }
  EXPECT_EQ(payloads, 329U);
  // What the pipe works on is among them.
  for (const char* event : {"issues", "issue_comment", "pull_request", "push", "check_run", "check_suite"}) {
    EXPECT_GT(events[event], 0) << event;
  }
  EXPECT_GT(ignored[std::string(reasons::kPing)], 0);
  EXPECT_GT(ignored[std::string(reasons::kUnknownEvent)], 0);
}

}  // namespace
}  // namespace yardmaster
