#include "clients/forge/http_transport.h"

#include <gtest/gtest.h>

#include "clients/forge/credentials.h"
#include "clients/forge/github/github_dialect.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_forge_transport.h"
#include "tests/support/fake_http_client.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using testing::FakeClock;
using testing::FakeHttpClient;
using testing::HeaderOf;
using testing::ReadRequest;
using testing::WriteRequest;

class HttpTransportTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  FakeHttpClient http_;
  GitHubDialect dialect_;
  HttpTransport transport_{"https://forge.test:8443/api", milliseconds(15'000), dialect_, http_, clock_};
};

TEST_F(HttpTransportTest, ARequestGetsTheForgesHeadersAndTheConfiguredUrl) {
  http_.Answer(200, "{}");
  const ForgeAnswer answer = transport_.Send(ReadRequest());
  EXPECT_FALSE(answer.error.has_value());
  const OutgoingRequest request = http_.requests().at(0);
  EXPECT_EQ(request.url, "https://forge.test:8443/api/repos/o/r/issues/1");
  EXPECT_EQ(HeaderOf(request, "X-GitHub-Api-Version"), "2022-11-28");
  EXPECT_EQ(HeaderOf(request, "Content-Type"), "");
  EXPECT_EQ(request.limits.body_bytes, 16u * 1024 * 1024);
}

TEST_F(HttpTransportTest, ABodyIsSentAsJson) {
  http_.Answer(201, "[]");
  transport_.Send(WriteRequest());
  EXPECT_EQ(HeaderOf(http_.requests().at(0), "Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(http_.requests().at(0).body, "{}");
}

TEST_F(HttpTransportTest, ARequestNeverOutlivesItsCall) {
  http_.Answer(200);
  ForgeRequest request = ReadRequest();
  request.deadline = clock_.Monotonic() + milliseconds(700);
  transport_.Send(request);
  EXPECT_EQ(http_.requests().at(0).timeout, milliseconds(700));
  EXPECT_LE(http_.requests().at(0).connect_timeout, milliseconds(700));
}

TEST_F(HttpTransportTest, ACallWhoseTimeIsOverIsNotSent) {
  ForgeRequest request = WriteRequest();
  request.deadline = clock_.Monotonic();
  const ForgeAnswer answer = transport_.Send(request);
  EXPECT_EQ(answer.error->reason, ForgeReason::kTimeout);
  EXPECT_EQ(answer.error->outcome, ForgeOutcome::kNotSent);
  EXPECT_EQ(http_.count(), 0u);
}

TEST_F(HttpTransportTest, ABrokenConnectionAfterSendingLeavesTheOutcomeOpen) {
  http_.Fail(HttpFailure::Kind::kReset, /*sent=*/true);
  EXPECT_EQ(transport_.Send(WriteRequest()).error->outcome, ForgeOutcome::kUnknown);
  http_.Fail(HttpFailure::Kind::kTimeout, /*sent=*/true);
  const ForgeAnswer late = transport_.Send(WriteRequest());
  EXPECT_EQ(late.error->outcome, ForgeOutcome::kUnknown);
  EXPECT_EQ(late.error->reason, ForgeReason::kTimeout);
}

TEST_F(HttpTransportTest, NoConnectionMeansNotSent) {
  http_.Fail(HttpFailure::Kind::kConnect, /*sent=*/false, "Connection refused");
  const ForgeAnswer answer = transport_.Send(WriteRequest());
  EXPECT_EQ(answer.error->outcome, ForgeOutcome::kNotSent);
  EXPECT_EQ(answer.message, "POST /repos/o/r/issues/1/labels: Connection refused");
}

TEST_F(HttpTransportTest, AReadFollowsARedirectWithinTheForge) {
  http_.Answer(301, "", {{"Location", "https://forge.test:8443/api/repositories/7/issues/1"}});
  http_.Answer(307, "", {{"location", "/api/repositories/8/issues/1"}});
  http_.Answer(200, "{\"number\": 1}");
  const ForgeAnswer answer = transport_.Send(ReadRequest());
  EXPECT_FALSE(answer.error.has_value());
  EXPECT_TRUE(answer.redirected);
  EXPECT_EQ(http_.requests().at(1).url, "https://forge.test:8443/api/repositories/7/issues/1");
  EXPECT_EQ(http_.requests().at(2).url, "https://forge.test:8443/api/repositories/8/issues/1");
}

TEST_F(HttpTransportTest, ARedirectToAnotherHostIsNotFollowed) {
  for (const char* location :
       {"https://evil.test/steal", "http://forge.test:8443/api/x", "https://forge.test/api/x", "//evil.test/x",
        "https://forge.test:8443@evil.test/x", "https://forge.test:84430/x", "relative", ""}) {
    FakeHttpClient http;
    HttpTransport transport("https://forge.test:8443/api", milliseconds(15'000), dialect_, http, clock_);
    http.Answer(302, "", {{"Location", location}});
    const ForgeAnswer answer = transport.Send(ReadRequest());
    ASSERT_TRUE(answer.error.has_value()) << location;
    EXPECT_EQ(answer.error->reason, ForgeReason::kMoved) << location;
    EXPECT_EQ(http.count(), 1u) << location;
  }
}

TEST_F(HttpTransportTest, RedirectsInACircleEnd) {
  http_.Otherwise([](const OutgoingRequest&) { return OutgoingResponse{301, {{"Location", "/api/again"}}, ""}; });
  const ForgeAnswer answer = transport_.Send(ReadRequest());
  EXPECT_EQ(answer.error->reason, ForgeReason::kMoved);
  EXPECT_EQ(http_.count(), 4u);
}

TEST_F(HttpTransportTest, AWriteFollowsARenamedRepositoryWithinTheForge) {
  http_.Answer(307, "", {{"Location", "/api/repositories/7/issues/1/labels"}});
  http_.Answer(200, "[]");
  const ForgeAnswer answer = transport_.Send(WriteRequest());
  EXPECT_FALSE(answer.error.has_value()) << answer.message;
  EXPECT_TRUE(answer.redirected);
  EXPECT_EQ(http_.lines().at(1), "POST https://forge.test:8443/api/repositories/7/issues/1/labels");
  EXPECT_EQ(http_.requests().at(1).body, "{}");
}

TEST_F(HttpTransportTest, AWriteGoesToNoOtherHostAndNeverAsAnotherMethod) {
  http_.Answer(307, "", {{"Location", "https://evil.test/repos/o/r/issues/1/labels"}});
  ForgeAnswer answer = transport_.Send(WriteRequest());
  EXPECT_EQ(answer.error->reason, ForgeReason::kMoved);
  EXPECT_EQ(answer.error->outcome, ForgeOutcome::kRefused);
  for (const int status : {302, 303}) {
    http_.Answer(status, "", {{"Location", "/api/repositories/7/issues/1/labels"}});
    answer = transport_.Send(WriteRequest());
    EXPECT_EQ(answer.error->reason, ForgeReason::kMoved) << status;
  }
  EXPECT_EQ(http_.count(), 3u);
}

TEST_F(HttpTransportTest, TimesOfLimitsAreTheForgesNotOurs) {
  // It is 2024-05-01T12:00:00Z here, and two minutes earlier there.
  const auto there = clock_.Now() - std::chrono::minutes(2);
  const auto reset = std::chrono::duration_cast<std::chrono::seconds>(there.time_since_epoch()).count() + 60;
  http_.Answer(403, R"({"message": "API rate limit exceeded"})",
               {{"Date", "Wed, 01 May 2024 11:58:00 GMT"},
                {"X-RateLimit-Remaining", "0"},
                {"X-RateLimit-Reset", std::to_string(reset)}});
  const ForgeAnswer answer = transport_.Send(ReadRequest());
  ASSERT_TRUE(answer.error.has_value());
  EXPECT_EQ(answer.error->retry_after, std::chrono::milliseconds(61'000));
}

TEST_F(HttpTransportTest, MessagesHaveTheForgesWordsButNotTheQuery) {
  http_.Answer(404, R"({"message": "Not Found"})");
  EXPECT_EQ(transport_.Send(ReadRequest("/repos/o/r/issues?labels=secret")).message,
            "GET /repos/o/r/issues: 404 Not Found");
  http_.Answer(
      422,
      R"({"message": "Validation Failed", "errors": [{"resource": "Label", "field": "name", "code": "missing"}]})");
  EXPECT_EQ(transport_.Send(WriteRequest()).message,
            "POST /repos/o/r/issues/1/labels: 422 Unprocessable Entity: Validation Failed; Label name missing");
}

TEST_F(HttpTransportTest, ALongOrUnprintableMessageIsMadeReadable) {
  http_.Answer(500, "{\"message\": \"\\u001b[31m" + std::string(5'000, 'x') + "\"}");
  const std::string message = transport_.Send(ReadRequest()).message;
  EXPECT_LT(message.size(), 500u);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

// --- Credentials ---

TEST(CredentialsTransport, AddsTheTokenAndTakesItOutOfMessages) {
  testing::FakeForgeTransport inner;
  StaticToken token(Secret("s3cr3t-token"));
  CredentialsTransport transport(inner, token, {"PRIVATE-TOKEN", ""});
  ForgeAnswer echo = testing::ErrorAnswer(ForgeReason::kInvalid, ForgeOutcome::kRefused, 400);
  echo.message = "callback?token=s3cr3t-token refused";
  inner.Then(echo);
  const ForgeAnswer answer = transport.Send(ReadRequest());
  EXPECT_EQ(answer.message, "callback?token=[redacted] refused");
  ASSERT_EQ(inner.requests().at(0).headers.size(), 1u);
  EXPECT_EQ(inner.requests().at(0).headers[0].name, "PRIVATE-TOKEN");
  EXPECT_EQ(inner.requests().at(0).headers[0].value, "s3cr3t-token");
}

TEST(CredentialsTransport, WithoutATokenNoHeaderIsSent) {
  testing::FakeForgeTransport inner;
  StaticToken token{Secret()};
  CredentialsTransport transport(inner, token, {"Authorization", "Bearer "});
  transport.Send(ReadRequest());
  EXPECT_TRUE(inner.requests().at(0).headers.empty());
}

TEST(CredentialsTransport, ARefusedStaticTokenIsNotTriedAgain) {
  testing::FakeForgeTransport inner;
  StaticToken token(Secret("token"));
  CredentialsTransport transport(inner, token, {"Authorization", "Bearer "});
  inner.Then(testing::ErrorAnswer(ForgeReason::kUnauthorized, ForgeOutcome::kRefused, 401));
  EXPECT_FALSE(transport.Send(ReadRequest()).credentials_renewed);
}

TEST(CredentialsTransport, AReplacedTokenGoesOutWithTheNextRequest) {
  testing::FakeForgeTransport inner;
  StaticToken token(Secret("old-token"));
  CredentialsTransport transport(inner, token, {"PRIVATE-TOKEN", ""});
  ForgeConfig config;
  config.name = "gitcode";
  config.token = Secret("new-token");
  ASSERT_TRUE(token.Replace(config).ok());
  transport.Send(ReadRequest());
  EXPECT_EQ(inner.requests().at(0).headers.at(0).value, "new-token");
  // Who was refused with the old one may try again.
  EXPECT_TRUE(token.Refused(Secret("old-token")));
  EXPECT_FALSE(token.Refused(Secret("new-token")));
}

TEST(StaticToken, AnAppInItsPlaceNeedsARestart) {
  StaticToken token(Secret("old-token"));
  ForgeConfig config;
  config.name = "github";
  config.app.emplace();
  const absl::Status status = token.Replace(config);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("forges.github"), absl::string_view::npos);
  EXPECT_EQ(token.Token({})->Reveal(), "old-token");
}

}  // namespace
}  // namespace yardmaster
