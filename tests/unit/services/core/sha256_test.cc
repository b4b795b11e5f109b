#include "services/core/sha256.h"

#include <gtest/gtest.h>

#include <string>

#include "services/core/hex.h"

namespace yardmaster {
namespace {

// The examples of the standard.
TEST(Sha256, IsWhatTheStandardSays) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, BytesOfEveryValueCount) {
  EXPECT_NE(Sha256(std::string("a\0b", 3)), Sha256("a"));
  EXPECT_NE(Sha256("\xff"), Sha256("\xfe"));
}

TEST(Sha256Pieces, HowATextIsCutMakesNoDifference) {
  Sha256Pieces pieces;
  pieces.Add("a");
  pieces.Add("");
  pieces.Add("bc");
  EXPECT_EQ(pieces.Digest(), Sha256("abc"));
}

TEST(Sha256Pieces, NothingAddedIsTheEmptyText) { EXPECT_EQ(Sha256Pieces().Digest(), Sha256("")); }

}  // namespace
}  // namespace yardmaster
