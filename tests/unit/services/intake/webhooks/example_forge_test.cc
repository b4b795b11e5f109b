// A forge that no product code knows: configured, heard, read and written to.
#include "tests/support/example_forge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "services/core/config/config.h"
#include "services/core/store/store.h"
#include "services/intake/webhooks/signature.h"
#include "services/intake/webhooks/webhook_receiver.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/fake_waiter.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kConfig = R"({
  "forges": {"example": {"token": {"env": "TOKEN"}, "webhook_secrets": [{"env": "SECRET"}]}},
  "repositories": [{"forge": "example", "repository": "o/r", "packs": ["tiny"]}]})";

class ExampleForge : public ::testing::Test {
 protected:
  ExampleForge() {
    static const ForgeProfile* const kForges[] = {&testing::ExampleProfile()};
    ConfigOptions options;
    options.forges = kForges;
    options.getenv = [](const std::string& name) { return name == "TOKEN" ? "the-token" : "the-secret"; };
    Problems problems;
    std::optional<Config> config = ParseConfig("config.json", kConfig, dir_.path(), problems, options);
    if (!config.has_value()) throw std::runtime_error(problems.at(0).ToString());
    config_ = *std::move(config);
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  Config config_;
};

TEST_F(ExampleForge, ItsWebhooksAreReceivedAndRead) {
  store::StoreOptions options;
  options.data_dir = dir_.path() / "data";
  options.disk_floor_bytes = 1;
  options.single_threaded = true;
  auto store = store::Store::Open(std::move(options), clock_, nullptr);
  ASSERT_TRUE(store.ok()) << store.status();
  Logger logger(LoggerOptions{.level = LogLevel::kError, .async = false, .sink = [](std::string_view) {}});
  WebhookReceiver receiver(config_, (*store)->inbox(), clock_, logger);

  const std::string body =
      R"({"action": "opened", "issue": {"number": 7}, "repository": {"full_name": "o/r"}, "sender": {"login": "alice"}})";
  std::map<std::string, std::string, std::less<>> headers = {{"Content-Type", "application/json"},
                                                             {"X-Example-Event", "issues"},
                                                             {"X-Example-Delivery", "d-1"},
                                                             {"X-Example-Signature", Sign("the-secret", body)}};
  WebhookRequest request;
  request.forge = "example";
  request.body = body;
  request.header = [&headers](std::string_view name) -> std::string_view {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  };
  int status = 0;
  const auto receive = [&] { receiver.Receive(request, [&](const WebhookAnswer& answer) { status = answer.status; }); };
  receive();
  EXPECT_EQ(status, 202);
  const auto kept = (*store)->inbox().List({}, {0, 10});
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_THAT(kept->items, SizeIs(1));
  EXPECT_EQ(kept->items[0].forge, "example");
  EXPECT_EQ(kept->items[0].delivery_id, "d-1");
  headers["X-Example-Signature"] = Sign("another-secret", body);
  receive();
  EXPECT_EQ(status, 401);

  const WebhookReading reading = config_.forges.at("example").profile->webhooks.read({"issues", "yardbot", ""}, body);
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.event->subject.number, 7);
}

TEST_F(ExampleForge, ItsClientReadsAndWrites) {
  testing::FakeHttpClient http;
  testing::VirtualWaiter waiter{clock_};
  auto forge = MakeForge(config_.forges.at("example"), ForgeEnvironment{http, clock_, waiter, nullptr, 1, nullptr});
  ASSERT_TRUE(forge.ok()) << forge.status();
  const ForgeSubject subject{"o/r", 7, false};

  http.Answer(200, R"({"number": 7, "title": "t", "body": "b", "state": "open", "labels": [{"name": "queue"}],
                       "user": {"login": "alice"}})");
  const auto issue = (*forge)->GetIssue({}, subject);
  ASSERT_TRUE(issue.ok()) << issue.status();
  EXPECT_EQ(issue->author.login, "alice");
  EXPECT_THAT(http.lines().at(0), HasSubstr("https://example.test/api/v1/repos/o/r/issues/7"));
  bool with_token = false;
  const OutgoingRequest request = http.requests().at(0);
  for (const HttpHeader& header : request.headers) {
    with_token = with_token || (header.name == "Authorization" && header.value == "token the-token");
  }
  EXPECT_TRUE(with_token);

  http.Answer(200, R"([{"name": "queue"}, {"name": "bug"}])");
  http.Answer(200, R"({"number": 7, "title": "t", "body": "b", "state": "open",
                       "labels": [{"name": "queue"}, {"name": "bug"}], "user": {"login": "alice"}})");
  const auto written = (*forge)->AddLabels({}, subject, {"bug"});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(http.lines().at(1), "POST https://example.test/api/v1/repos/o/r/issues/7/labels");

  http.Answer(404, "no such issue");
  EXPECT_EQ((*forge)->GetIssue({}, {"o/r", 8, false}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace yardmaster
