// Every example payload that GitHub's own libraries ship ends as a known event or as ignored with a reason.
#include "tests/support/webhook_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "clients/forge/github/github_profile.h"
#include "services/core/reasons.h"
#include "services/intake/webhooks/webhook_scope.h"

namespace yardmaster {
namespace {

TEST(WebhookExamples, EveryOneEndsAsAnEventOrWithAReason) {
  const nlohmann::json examples = testing::GithubExamples();
  ASSERT_TRUE(examples.is_array());
  const WebhookProfile& webhooks = GitHubProfile().webhooks;
  size_t payloads = 0;
  std::map<std::string, int> events;
  std::map<std::string, int> ignored;
  for (const nlohmann::json& entry : examples) {
    const std::string event = entry["name"];
    for (const nlohmann::json& payload : entry["examples"]) {
      ++payloads;
      SCOPED_TRACE(event + " example " + std::to_string(payloads));
      const std::string body = payload.dump();
      const ScanResult scan = FindMember(body, webhooks.repository);
      EXPECT_NE(scan.state, ScanState::kNotJson);
      const WebhookReading result = webhooks.read({.event = event, .bot_login = {}, .repository = {}}, body);
      const bool known = event == webhooks.ping_event ||
                         std::find(webhooks.events.begin(), webhooks.events.end(), event) != webhooks.events.end();
      if (result.event.has_value()) {
        EXPECT_TRUE(known) << "the receiver would not let it in";
        EXPECT_EQ(scan.text, result.subject.repository);
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
