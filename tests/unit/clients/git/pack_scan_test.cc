#include "clients/git/pack_scan.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

constexpr PackLimits kLimits{10, 1'000, 5'000};

std::string Deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size());
  out.resize(size);
  return out;
}

std::string Number(uint64_t value) {
  std::string out;
  do {
    out += static_cast<char>((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
  } while (value > 0);
  return out;
}

// An object's head that claims `size`.
std::string Head(unsigned kind, uint64_t size) {
  std::string out(1, static_cast<char>(kind << 4 | (size & 15) | (size > 15 ? 0x80 : 0)));
  return size > 15 ? out + Number(size >> 4) : out;
}

std::string Blob(const std::string& text) { return Head(3, text.size()) + Deflated(text); }

// A difference to the object before that claims to make `size` bytes.
std::string Difference(uint64_t base, uint64_t size) {
  const std::string text = Number(base) + Number(size) + "\x01x";
  return Head(6, text.size()) + "\x10" + Deflated(text);
}

std::string Pack(const std::vector<std::string>& objects, uint32_t claimed) {
  std::string out = std::string("PACK\0\0\0\2\0\0\0", 11) + static_cast<char>(claimed);
  for (const std::string& object : objects) out += object;
  return out + std::string(20, 'd');
}
std::string Pack(const std::vector<std::string>& objects) { return Pack(objects, objects.size()); }

TEST(ScanPack, CountsWhatObjectsGrowTo) {
  EXPECT_EQ(ScanPack(Pack({}), kLimits), PackVerdict::kGood);
  EXPECT_EQ(ScanPack(Pack({Blob(""), Blob("ab"), Blob(std::string(1'000, 'x'))}), kLimits), PackVerdict::kGood);
  EXPECT_EQ(ScanPack(Pack({Blob("ab"), Difference(2, 1'000)}), kLimits), PackVerdict::kGood);
  EXPECT_EQ(ScanPack(Pack({Blob(std::string(1'001, 'x'))}), kLimits), PackVerdict::kTooLarge);
  EXPECT_EQ(ScanPack(Pack({Blob("ab"), Difference(2, 1'001)}), kLimits), PackVerdict::kTooLarge);
  EXPECT_EQ(ScanPack(Pack({Blob("ab"), Difference(2, uint64_t{1} << 50)}), kLimits), PackVerdict::kTooLarge);
  EXPECT_EQ(ScanPack(Pack(std::vector<std::string>(6, Blob(std::string(900, 'x')))), kLimits), PackVerdict::kTooLarge);
  EXPECT_EQ(ScanPack(Pack(std::vector<std::string>(11, Blob(""))), kLimits), PackVerdict::kTooLarge);
}

TEST(ScanPack, WhatIsNoPackIsBroken) {
  const std::string good = Pack({Blob("hello"), Difference(5, 1)});
  ASSERT_EQ(ScanPack(good, kLimits), PackVerdict::kGood);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(ScanPack(std::string_view(good).substr(0, size), kLimits), PackVerdict::kBroken) << size;
  }
  EXPECT_EQ(ScanPack(Pack({Blob("a")}, 2), kLimits), PackVerdict::kBroken) << "an object is missing";
  EXPECT_EQ(ScanPack(Pack({Blob("a"), Blob("b")}, 1), kLimits), PackVerdict::kBroken) << "one too many";
  EXPECT_EQ(ScanPack(Pack({Head(3, 4) + Deflated("abcde")}), kLimits), PackVerdict::kBroken) << "longer than it says";
  EXPECT_EQ(ScanPack(Pack({Head(3, 6) + Deflated("abcde")}), kLimits), PackVerdict::kBroken) << "shorter";
  EXPECT_EQ(ScanPack(Pack({Head(5, 1) + Deflated("a")}), kLimits), PackVerdict::kBroken) << "no such kind";
  EXPECT_EQ(ScanPack(Pack({std::string(1, '\xb0') + std::string(12, '\xff') + Deflated("a")}), kLimits),
            PackVerdict::kBroken);
  std::string zeros;
  zeros.resize(100'000'000);
  // A stream of zeros that claims to be small is given up at its claim, not at its end.
  EXPECT_EQ(ScanPack(Pack({Head(3, 10) + Deflated(zeros)}), kLimits), PackVerdict::kBroken);
}

}  // namespace
}  // namespace yardmaster
