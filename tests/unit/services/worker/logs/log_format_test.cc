#include "services/worker/logs/log_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

BlockHeader Header() {
  BlockHeader header;
  header.packed_bytes = 100;
  header.raw_bytes = 300;
  header.lines = 7;
  header.first_line = 1'000'000'000'000;
  header.first_micros = -5;
  header.last_micros = int64_t{1} << 60;
  header.ranks = RankBit(-1) | RankBit(62);
  return header;
}

TEST(BlockHeader, ComesBackAsItWas) {
  const std::string bytes = EncodeBlockHeader(Header());
  ASSERT_EQ(bytes.size(), kBlockHeaderBytes);
  const std::optional<BlockHeader> read = DecodeBlockHeader(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->packed_bytes, 100u);
  EXPECT_EQ(read->raw_bytes, 300u);
  EXPECT_EQ(read->lines, 7u);
  EXPECT_EQ(read->first_line, 1'000'000'000'000u);
  EXPECT_EQ(read->first_micros, -5);
  EXPECT_EQ(read->last_micros, int64_t{1} << 60);
  EXPECT_EQ(read->ranks, Header().ranks);
}

TEST(BlockHeader, AnyBitThatFlipsIsNoticed) {
  const std::string bytes = EncodeBlockHeader(Header());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(DecodeBlockHeader(damaged).has_value()) << bit;
  }
  EXPECT_FALSE(DecodeBlockHeader(bytes.substr(0, kBlockHeaderBytes - 1)).has_value());
}

TEST(BlockHeader, WhatIsBeyondTheLimitsIsRefused) {
  BlockHeader header = Header();
  header.raw_bytes = kMaxBlockBytes + 1;
  EXPECT_FALSE(DecodeBlockHeader(EncodeBlockHeader(header)).has_value());
  header = Header();
  header.lines = header.raw_bytes + 1;
  EXPECT_FALSE(DecodeBlockHeader(EncodeBlockHeader(header)).has_value());
  header.lines = 0;
  EXPECT_FALSE(DecodeBlockHeader(EncodeBlockHeader(header)).has_value());
}

TEST(RankBit, NoRankHasABitOfItsOwnAndFarRanksShareTheirs) {
  EXPECT_EQ(RankBit(-1), 1u);
  EXPECT_EQ(RankBit(0), 2u);
  EXPECT_EQ(RankBit(62), uint64_t{1} << 63);
  EXPECT_EQ(RankBit(63), RankBit(0));
}

TEST(LogIndex, ComesBackAsItWas) {
  const std::vector<PlacedBlock> blocks = {{8, Header()}, {164, Header()}};
  const std::string bytes = EncodeIndex(blocks, 320);
  EXPECT_EQ(DecodeTrailer(bytes.substr(bytes.size() - kTrailerBytes)), 320u);
  const auto read = DecodeIndex(std::string_view(bytes).substr(0, bytes.size() - kTrailerBytes));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[1].offset, 164u);
  EXPECT_EQ((*read)[1].header.lines, 7u);
}

TEST(LogIndex, DamageIsNoticed) {
  const std::string bytes = EncodeIndex({{8, Header()}}, 164);
  const std::string index = bytes.substr(0, bytes.size() - kTrailerBytes);
  for (size_t at = 0; at < index.size(); ++at) {
    std::string damaged = index;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(DecodeIndex(damaged).has_value()) << at;
    EXPECT_FALSE(DecodeIndex(index.substr(0, at)).has_value()) << at;
  }
  EXPECT_FALSE(DecodeTrailer("").has_value());
  EXPECT_FALSE(DecodeTrailer("0123456789abcdef").has_value());
}

// What is visited of a block, as "micros/rank/stream/text" lines.
std::string Visited(std::string_view raw, const BlockHeader& header) {
  std::string text;
  if (!VisitBlock(raw, header, [&](const BlockLine& line) {
        text += std::to_string(line.micros) + "/" + std::to_string(line.rank) +
                (line.stream == Stream::kStderr ? "/err/" : "/out/") + std::string(line.text) + "\n";
        return true;
      })) {
    return "damaged";
  }
  return text;
}

TEST(Block, LinesComeBackWithTimeRankAndStream) {
  const std::vector<LineRun> runs = {{5, 0, Stream::kStdout, 2}, {6, -1, Stream::kStderr, 1}};
  const std::string raw = EncodeBlock(runs, "one\n\nthree\n");
  BlockHeader header;
  header.raw_bytes = static_cast<uint32_t>(raw.size());
  header.lines = 3;
  EXPECT_EQ(Visited(raw, header), "5/0/out/one\n5/0/out/\n6/-1/err/three\n");
}

TEST(Block, WhatDoesNotFitItsHeaderIsDamaged) {
  const std::string raw = EncodeBlock({{5, 0, Stream::kStdout, 2}}, "one\ntwo\n");
  BlockHeader header;
  header.raw_bytes = static_cast<uint32_t>(raw.size());
  header.lines = 3;
  EXPECT_EQ(Visited(raw, header), "damaged");
  header.lines = 2;
  header.raw_bytes += 1;
  EXPECT_EQ(Visited(raw, header), "damaged");
  // More runs than there is room for, and lines without an end.
  std::string runs = raw;
  runs[1] = '\x7f';
  header.raw_bytes = static_cast<uint32_t>(raw.size());
  EXPECT_EQ(Visited(runs, header), "damaged");
  const std::string open = EncodeBlock({{5, 0, Stream::kStdout, 2}}, "one\ntwo\nthree");
  header.raw_bytes = static_cast<uint32_t>(open.size());
  EXPECT_EQ(Visited(open, header), "damaged");
  header.raw_bytes = 0;
  EXPECT_EQ(Visited("", header), "damaged");
}

}  // namespace
}  // namespace yardmaster::worker
