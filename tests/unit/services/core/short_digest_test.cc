#include "services/core/short_digest.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

// Digests are stored, and stand in comments on forges: they must not change from one version to the next.
TEST(ShortDigest, IsTheBeginningOfSha256) {
  EXPECT_EQ(ShortDigest(""), "e3b0c44298fc1c14");
  EXPECT_EQ(ShortDigest("abc"), "ba7816bf8f01cfea");
  EXPECT_EQ(ShortDigest(std::string(1'000'000, 'a')), "cdc76e5c9914fb92");
}

TEST(ShortDigest, BytesOfEveryValueCount) {
  EXPECT_NE(ShortDigest(std::string("a\0b", 3)), ShortDigest("a"));
  EXPECT_NE(ShortDigest("\xff"), ShortDigest("\xfe"));
}

}  // namespace
}  // namespace yardmaster
