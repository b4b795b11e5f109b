#include "services/core/hex.h"

#include <gtest/gtest.h>

#include <array>

namespace yardmaster {
namespace {

TEST(Hex, BytesAreTwoDigitsEach) {
  const std::array<unsigned char, 4> bytes = {0x00, 0x0f, 0xa0, 0xff};
  EXPECT_EQ(Hex(bytes), "000fa0ff");
  EXPECT_EQ(Hex(std::span<const unsigned char>()), "");
}

TEST(Hex, ANumberIsSixteenDigitsTheHighestFirst) {
  EXPECT_EQ(Hex(uint64_t{0}), "0000000000000000");
  EXPECT_EQ(Hex(uint64_t{0x1f}), "000000000000001f");
  EXPECT_EQ(Hex(UINT64_MAX - 1), "fffffffffffffffe");
}

}  // namespace
}  // namespace yardmaster
