#include "clients/jenkins/build_url.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

std::string Build(const std::string& url, const std::string& server = "https://b.example") {
  const auto build = ParseBuildUrl(server, url);
  return build.has_value() ? build->job + " " + std::to_string(build->number) : "none";
}

TEST(BuildUrl, PagesOfJenkinsItself) {
  EXPECT_EQ(Build("https://b.example/job/Gate/501"), "Gate 501");
  EXPECT_EQ(Build("https://b.example/job/Gate/501/console"), "Gate 501");
  EXPECT_EQ(Build("https://b.example/job/Gate/501/?page=2#end"), "Gate 501");
  EXPECT_EQ(Build("https://b.example/job/group/job/My%20Gate/7/"), "group/My Gate 7");
  EXPECT_EQ(Build("https://b.example/ci/job/Gate/9/", "https://b.example/ci"), "Gate 9");
}

TEST(BuildUrl, PagesOfBlueOcean) {
  EXPECT_EQ(Build("https://b.example/blue/organizations/jenkins/Gate/detail/Gate/501/pipeline"), "Gate 501");
  EXPECT_EQ(Build("https://b.example/blue/organizations/jenkins/Gate/detail/Gate/501/"), "Gate 501");
  EXPECT_EQ(Build("https://b.example/blue/organizations/jenkins/group%2FGate/detail/Gate/3/tests"), "group/Gate 3");
  EXPECT_EQ(Build("https://b.example/blue/organizations/jenkins/Gate/detail/main/4/"), "Gate/main 4");
}

TEST(BuildUrl, AnythingElseIsNone) {
  EXPECT_EQ(Build("https://evil.example/job/Gate/501"), "none");
  EXPECT_EQ(Build("https://b.example.evil/job/Gate/501"), "none");
  EXPECT_EQ(Build("https://b.example/job/Gate"), "none");
  EXPECT_EQ(Build("https://b.example/job/Gate/last"), "none");
  EXPECT_EQ(Build("https://b.example/job/Gate/-1"), "none");
  EXPECT_EQ(Build("https://b.example/job//1"), "none");
  EXPECT_EQ(Build("https://b.example/blue/organizations/jenkins/Gate/detail/Gate"), "none");
  EXPECT_EQ(Build(""), "none");
}

}  // namespace
}  // namespace yardmaster
