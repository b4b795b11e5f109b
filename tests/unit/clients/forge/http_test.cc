#include "clients/forge/http.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

TEST(UrlEncode, LeavesUnreservedCharactersAndNothingElse) {
  EXPECT_EQ(UrlEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(UrlEncode("oncall: distributed"), "oncall%3A%20distributed");
  EXPECT_EQ(UrlEncode("kind/bug"), "kind%2Fbug");
  EXPECT_EQ(UrlEncode("a+b&c=d?#%"), "a%2Bb%26c%3Dd%3F%23%25");
  EXPECT_EQ(UrlEncode("\xE9\x94\x99"), "%E9%94%99");
  EXPECT_EQ(UrlEncode("\n"), "%0A");
}

TEST(OutgoingResponse, HeaderNamesHaveNoCaseAndTheFirstOneCounts) {
  OutgoingResponse response;
  response.headers = {{"ETag", "\"a\""}, {"etag", "\"b\""}, {"Empty", ""}};
  EXPECT_EQ(response.Header("ETAG"), "\"a\"");
  EXPECT_EQ(response.Header("Absent"), "");
  EXPECT_TRUE(response.HasHeader("empty"));
  EXPECT_FALSE(response.HasHeader("absent"));
}

}  // namespace
}  // namespace yardmaster
