#include "clients/jenkins/jenkins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "clients/forge/forge_error.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/fake_waiter.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

constexpr const char* kBuilds =
    R"({"_class": "x", "builds": [
      {"number": 7, "result": "FAILURE", "building": false, "description": "Pull Request #12", "timestamp": 1749549600000,
       "duration": 900000, "url": "https://build.example.org/job/Gate/7/"},
      {"number": 9, "result": null, "building": true, "description": null, "timestamp": 1749550600000, "duration": 0}]})";

class JenkinsTest : public ::testing::Test {
 protected:
  std::chrono::steady_clock::time_point In(minutes time) const { return clock_.Monotonic() + time; }
  ForgeReason ReasonOf(const absl::Status& status) const {
    const auto error = ForgeErrorOf(status);
    EXPECT_TRUE(error.has_value()) << status;
    return error.has_value() ? error->reason : ForgeReason::kStopped;
  }

  testing::FakeClock clock_;
  testing::VirtualWaiter waiter_{clock_};
  testing::FakeHttpClient http_;
  JenkinsClient jenkins_{"https://build.example.org", {http_, clock_, waiter_}};
};

TEST_F(JenkinsTest, BuildsComeNewestFirst) {
  http_.Answer(200, kBuilds);
  const auto builds = jenkins_.Builds("Gate", 60, In(minutes(1)));
  ASSERT_TRUE(builds.ok()) << builds.status();
  ASSERT_THAT(*builds, SizeIs(2));
  EXPECT_EQ((*builds)[0].number, 9);
  EXPECT_TRUE((*builds)[0].building);
  EXPECT_EQ((*builds)[0].result, "");
  EXPECT_EQ((*builds)[1].result, "FAILURE");
  EXPECT_EQ((*builds)[1].description, "Pull Request #12");
  EXPECT_EQ((*builds)[1].duration, milliseconds(900'000));
  EXPECT_EQ((*builds)[1].started->time_since_epoch(), milliseconds(1'749'549'600'000));
  EXPECT_THAT(http_.requests()[0].url, HasSubstr("https://build.example.org/job/Gate/api/json?tree=builds%5Bnumber"));
}

TEST_F(JenkinsTest, FoldersAreParts) {
  http_.Answer(200, "text");
  ASSERT_TRUE(jenkins_.Console("a folder/Gate", 7, In(minutes(1))).ok());
  EXPECT_EQ(http_.requests()[0].url, "https://build.example.org/job/a%20folder/job/Gate/7/consoleText");
  for (const char* name : {"", "..", "a//b", "a/../b"}) {
    EXPECT_EQ(ReasonOf(jenkins_.Console(name, 7, In(minutes(1))).status()), ForgeReason::kInvalidInput) << name;
  }
  EXPECT_EQ(http_.requests().size(), 1U);
}

TEST_F(JenkinsTest, WhatPassesIsAskedAgainAfterTheTimeThatTheServerNames) {
  http_.Answer(429, "", {{"Retry-After", "3"}});
  http_.Answer(502, "<html>");
  http_.Answer(200, "log");
  const auto console = jenkins_.Console("Gate", 7, In(minutes(5)));
  ASSERT_TRUE(console.ok()) << console.status();
  EXPECT_EQ(*console, "log");
  ASSERT_THAT(waiter_.waits(), SizeIs(2));
  EXPECT_GE(waiter_.waits()[0], milliseconds(3'000));
  EXPECT_LE(waiter_.waits()[1], milliseconds(2'000));
}

TEST_F(JenkinsTest, NothingIsAskedForEver) {
  http_.Otherwise([](const OutgoingRequest&) { return HttpResult(OutgoingResponse{503, {}, "<html>"}); });
  EXPECT_EQ(ReasonOf(jenkins_.Builds("Gate", 60, In(minutes(5))).status()), ForgeReason::kServer);
  EXPECT_EQ(http_.requests().size(), 5U);
  EXPECT_THAT(waiter_.waits(), Each(Le(milliseconds(30'000))));
}

TEST_F(JenkinsTest, ARefusalIsFinal) {
  http_.Answer(404, "<html>");
  EXPECT_EQ(ReasonOf(jenkins_.Builds("Gate", 60, In(minutes(1))).status()), ForgeReason::kNotFound);
  EXPECT_EQ(http_.requests().size(), 1U);
}

TEST_F(JenkinsTest, TooLargeALogIsAnError) {
  http_.Otherwise([](const OutgoingRequest&) {
    return HttpResult(HttpFailure{HttpFailure::Kind::kTooLarge, true, "too large"});
  });
  EXPECT_EQ(ReasonOf(jenkins_.Console("Gate", 7, In(minutes(1))).status()), ForgeReason::kTooLarge);
}

TEST(JenkinsBuildsTest, AnotherShapeIsAnError) {
  EXPECT_FALSE(ParseJenkinsBuilds("<html>").ok());
  EXPECT_FALSE(ParseJenkinsBuilds(R"({"builds": {"number": 1}})").ok());
  EXPECT_FALSE(ParseJenkinsBuilds(R"({"builds": [{"result": "SUCCESS"}]})").ok());
  const auto none = ParseJenkinsBuilds("{}");
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace yardmaster
