#include "clients/forge/conditional.h"

#include <gtest/gtest.h>

#include "tests/support/fake_forge_transport.h"

namespace yardmaster {
namespace {

using testing::FakeForgeTransport;
using testing::OkAnswer;
using testing::ReadRequest;
using testing::WriteRequest;

std::string ConditionOf(const ForgeRequest& request) {
  for (const HttpHeader& header : request.headers) {
    if (header.name == "If-None-Match") return header.value;
  }
  return "";
}

ForgeAnswer NotModified(std::vector<HttpHeader> headers = {}) {
  ForgeAnswer answer;
  answer.status = 304;
  answer.headers = std::move(headers);
  return answer;
}

class ConditionalTest : public ::testing::Test {
 protected:
  FakeForgeTransport inner_;
  ConditionalTransport conditional_{inner_, ConditionalLimits{}};
};

TEST_F(ConditionalTest, AnUnchangedAnswerIsServedFromMemoryAfterAsking) {
  inner_.Then(OkAnswer("body", {{"ETag", "W/\"1\""}, {"Link", "<x>; rel=\"next\""}}));
  inner_.Then(NotModified({{"X-RateLimit-Remaining", "7"}}));
  conditional_.Send(ReadRequest());
  const ForgeAnswer again = conditional_.Send(ReadRequest());
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "body");
  EXPECT_EQ(again.Header("Link"), "<x>; rel=\"next\"");
  EXPECT_EQ(again.Header("X-RateLimit-Remaining"), "7");
  EXPECT_EQ(ConditionOf(inner_.requests().at(0)), "");
  EXPECT_EQ(ConditionOf(inner_.requests().at(1)), "W/\"1\"");
}

TEST_F(ConditionalTest, AChangedAnswerReplacesTheOldOne) {
  inner_.Then(OkAnswer("one", {{"ETag", "\"1\""}}));
  inner_.Then(OkAnswer("two", {{"ETag", "\"2\""}}));
  inner_.Then(NotModified());
  conditional_.Send(ReadRequest());
  EXPECT_EQ(conditional_.Send(ReadRequest()).body, "two");
  EXPECT_EQ(conditional_.Send(ReadRequest()).body, "two");
  EXPECT_EQ(ConditionOf(inner_.requests().at(2)), "\"2\"");
}

TEST_F(ConditionalTest, OtherTargetsAndWritesHaveNothingToDoWithIt) {
  inner_.Then(OkAnswer("one", {{"ETag", "\"1\""}}));
  conditional_.Send(ReadRequest("/a?page=1"));
  conditional_.Send(ReadRequest("/a?page=2"));
  conditional_.Send(WriteRequest("/a?page=1"));
  EXPECT_EQ(ConditionOf(inner_.requests().at(1)), "");
  EXPECT_EQ(ConditionOf(inner_.requests().at(2)), "");
}

TEST_F(ConditionalTest, AnErrorIsPassedOnAndTheOldAnswerKept) {
  inner_.Then(OkAnswer("one", {{"ETag", "\"1\""}}));
  inner_.Then(testing::ErrorAnswer(ForgeReason::kServer, ForgeOutcome::kUnknown, 502));
  inner_.Then(NotModified());
  conditional_.Send(ReadRequest());
  EXPECT_TRUE(conditional_.Send(ReadRequest()).error.has_value());
  EXPECT_EQ(conditional_.Send(ReadRequest()).body, "one");
}

TEST_F(ConditionalTest, AnAnswerWithoutATagIsNotRemembered) {
  inner_.Then(OkAnswer("one", {{"ETag", "\"1\""}}));
  inner_.Then(OkAnswer("two"));
  conditional_.Send(ReadRequest());
  conditional_.Send(ReadRequest());
  conditional_.Send(ReadRequest());
  EXPECT_EQ(ConditionOf(inner_.requests().at(2)), "");
  EXPECT_EQ(conditional_.entries(), 0u);
}

TEST_F(ConditionalTest, NotModifiedWithoutAConditionIsAnError) {
  inner_.Then(NotModified());
  EXPECT_EQ(conditional_.Send(ReadRequest()).error->reason, ForgeReason::kBadAnswer);
}

TEST_F(ConditionalTest, AnAnswerBehindARedirectIsNotRemembered) {
  ForgeAnswer answer = OkAnswer("one", {{"ETag", "\"1\""}});
  answer.redirected = true;
  inner_.Then(answer);
  conditional_.Send(ReadRequest());
  EXPECT_EQ(conditional_.entries(), 0u);
}

TEST(Conditional, MemoryIsBoundedAndTheAnswerUsedLastStays) {
  FakeForgeTransport inner;
  ConditionalTransport conditional(inner, {/*total_bytes=*/10'000, /*entry_bytes=*/5'000});
  const std::string body(3'000, 'x');
  for (const char* target : {"/a", "/b", "/c"}) {
    inner.Then(OkAnswer(body, {{"ETag", "\"1\""}}));
    conditional.Send(ReadRequest(target));
  }
  EXPECT_EQ(conditional.entries(), 3u);
  // /a is used, so /b has to go for /d.
  inner.Then(NotModified());
  conditional.Send(ReadRequest("/a"));
  inner.Then(OkAnswer(body, {{"ETag", "\"1\""}}));
  conditional.Send(ReadRequest("/d"));
  EXPECT_EQ(conditional.entries(), 3u);
  EXPECT_LE(conditional.bytes(), 10'000u);
  conditional.Send(ReadRequest("/a"));
  EXPECT_EQ(ConditionOf(inner.requests().back()), "\"1\"");
  conditional.Send(ReadRequest("/b"));
  EXPECT_EQ(ConditionOf(inner.requests().back()), "");
}

TEST(Conditional, AnAnswerThatIsTooLargeIsNotRemembered) {
  FakeForgeTransport inner;
  ConditionalTransport conditional(inner, {/*total_bytes=*/10'000, /*entry_bytes=*/5'000});
  inner.Then(OkAnswer(std::string(6'000, 'x'), {{"ETag", "\"1\""}}));
  conditional.Send(ReadRequest());
  EXPECT_EQ(conditional.entries(), 0u);
  EXPECT_EQ(conditional.bytes(), 0u);
}

}  // namespace
}  // namespace yardmaster
