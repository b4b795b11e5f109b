#include "services/core/address.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

TEST(ParseHostPort, ReadsNamesAndBothKindsOfAddresses) {
  EXPECT_EQ(ParseHostPort("127.0.0.1:8080")->port, 8080);
  EXPECT_EQ(ParseHostPort("localhost:0")->host, "localhost");
  EXPECT_EQ(ParseHostPort("[::1]:65535")->host, "::1");
  EXPECT_EQ(ParseHostPort("[::1]:65535")->ToString(), "[::1]:65535");
}

TEST(ParseHostPort, RefusesWhatHasNoPortOrNoHost) {
  for (const char* text :
       {"", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:1x",
        "::1:80", "[::1]", "[]:1", "[::1]80", "a b:1", "host/path:1", "127.0.0.1:000080"}) {
    EXPECT_FALSE(ParseHostPort(text).has_value()) << text;
  }
}

TEST(IsLoopbackHost, IsNotFooledByNames) {
  EXPECT_TRUE(IsLoopbackHost("127.0.0.1"));
  EXPECT_TRUE(IsLoopbackHost("127.255.0.3"));
  EXPECT_TRUE(IsLoopbackHost("localhost"));
  EXPECT_TRUE(IsLoopbackHost("::1"));
  for (const char* host : {"127.0.0.1.example.com", "127.1", "127.0.0.256", "127..0.1", "127.0.0.", "localhost.example",
                           "0.0.0.0", "::", ""}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

TEST(ParseUrl, TakesSchemeHostPortAndPath) {
  const std::optional<Url> url = ParseUrl("HTTPS://api.example.com:8443/api/v5");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "api.example.com");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/api/v5");
  EXPECT_EQ(ParseUrl("http://[::1]:80/")->host, "::1");
}

TEST(ParseUrl, RefusesUsersQueriesFragmentsAndControlCharacters) {
  for (const char* text :
       {"https://", "://x", "https//x", "https://u@h", "https://u:p@h/", "https://h/?q", "https://h?q", "https://h/#f",
        "https://h/a b", "https://h\n", "https://h/\x7f", "https://h:0", "https://h:99999", "https://h\\@e/"}) {
    EXPECT_FALSE(ParseUrl(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace yardmaster
