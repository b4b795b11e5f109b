#include "clients/git/remote_url.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

std::string Told(std::string_view url) {
  const std::optional<RemoteRepository> found = ParseRemoteUrl(url);
  return found ? found->scheme + " " + found->host + " " + found->name : "none";
}

TEST(RemoteUrl, AllWaysToWriteOne) {
  EXPECT_EQ(Told("git@gitcode.com:o/r.git"), "ssh gitcode.com o/r");
  EXPECT_EQ(Told("git@GitCode.com:o/r"), "ssh gitcode.com o/r");
  EXPECT_EQ(Told("ssh://git@gitcode.com/o/r.git"), "ssh gitcode.com o/r");
  EXPECT_EQ(Told("ssh://git@gitcode.com:2222/o/r/"), "ssh gitcode.com:2222 o/r");
  EXPECT_EQ(Told("https://gitcode.com/o/r"), "https gitcode.com o/r");
  EXPECT_EQ(Told("https://user:to%40ken@gitcode.com/o/r.git/"), "https gitcode.com o/r");
  EXPECT_EQ(Told("http://127.0.0.1:8080/o/r.git"), "http 127.0.0.1:8080 o/r");
  EXPECT_EQ(Told("https://gitcode.com/group/o/r"), "https gitcode.com group/o/r");
  EXPECT_EQ(ParseRemoteUrl("http://h:1/o/r")->bare_host(), "h");
}

TEST(RemoteUrl, WhatIsNone) {
  for (const std::string url : {"", "/srv/git/r.git", "../r.git", "C:\\r", "file:///srv/o/r.git", "https://gitcode.com",
                                "https://gitcode.com/r", "https:///o/r", "git@:o/r", "git@h:r", "https://h/o//r",
                                "https://h/o/r?x=1", "git@h:../r", "./a:b/c"}) {
    EXPECT_EQ(Told(url), "none") << url;
  }
  EXPECT_EQ(Told("https://h/o/" + std::string(5000, 'r')), "none");
}

TEST(RemoteUrl, OneRepositoryIsReachedInSeveralWays) {
  EXPECT_TRUE(SameRepository("git@gitcode.com:o/r.git", "https://user:token@gitcode.com/O/r"));
  EXPECT_TRUE(SameRepository("ssh://git@gitcode.com:2222/o/r", "https://gitcode.com/o/r/"));
  EXPECT_TRUE(SameRepository("/srv/r.git", "/srv/r.git"));
  EXPECT_FALSE(SameRepository("/srv/r.git", "/srv/other.git"));
  EXPECT_FALSE(SameRepository("https://gitcode.com/o/r", "https://gitcode.com/p/r"));
  EXPECT_FALSE(SameRepository("https://gitcode.com/o/r", "https://github.com/o/r"));
}

TEST(RemoteUrl, ShownWithoutCredentials) {
  EXPECT_EQ(WithoutCredentials("https://user:token@h/o/r"), "https://h/o/r");
  EXPECT_EQ(WithoutCredentials("https://h/o/r@x"), "https://h/o/r@x");
  EXPECT_EQ(WithoutCredentials("git@h:o/r"), "git@h:o/r");
}

}  // namespace
}  // namespace yardmaster
