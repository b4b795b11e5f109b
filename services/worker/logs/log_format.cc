#include "services/worker/logs/log_format.h"

#include <cstring>

#include "absl/algorithm/container.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kBlockMagic = "YMLB";
constexpr std::string_view kIndexMagic = "YMLX";
constexpr std::string_view kEndMagic = "YMLOGEND";
constexpr size_t kIndexHeadBytes = 16;
constexpr size_t kRunBytes = 20;
constexpr int kRankBits = 63;

template <typename Number>
void Put(std::string& bytes, Number number) {
  auto value = static_cast<uint64_t>(number);
  for (size_t i = 0; i < sizeof(Number); ++i) {
    bytes += static_cast<char>(value & 0xff);
    value >>= 8;
  }
}

template <typename Number>
Number Take(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = sizeof(Number); i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return static_cast<Number>(value);
}

// FNV-1a, folded: tells damage, not malice. Packed blocks carry a checksum of zstd's own.
uint32_t Checksum(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

}  // namespace

uint64_t RankBit(int rank) { return rank < 0 ? 1 : uint64_t{2} << (rank % kRankBits); }

std::string EncodeBlockHeader(const BlockHeader& header) {
  std::string fields;
  Put(fields, header.packed_bytes);
  Put(fields, header.raw_bytes);
  Put(fields, header.lines);
  Put(fields, uint32_t{0});
  Put(fields, header.first_line);
  Put(fields, header.first_micros);
  Put(fields, header.last_micros);
  Put(fields, header.ranks);
  std::string bytes(kBlockMagic);
  Put(bytes, Checksum(fields));
  return bytes + fields;
}

std::optional<BlockHeader> DecodeBlockHeader(std::string_view bytes) {
  if (bytes.size() < kBlockHeaderBytes || bytes.substr(0, 4) != kBlockMagic) return std::nullopt;
  if (Take<uint32_t>(bytes, 4) != Checksum(bytes.substr(8, kBlockHeaderBytes - 8))) return std::nullopt;
  BlockHeader header;
  header.packed_bytes = Take<uint32_t>(bytes, 8);
  header.raw_bytes = Take<uint32_t>(bytes, 12);
  header.lines = Take<uint32_t>(bytes, 16);
  header.first_line = Take<uint64_t>(bytes, 24);
  header.first_micros = Take<int64_t>(bytes, 32);
  header.last_micros = Take<int64_t>(bytes, 40);
  header.ranks = Take<uint64_t>(bytes, 48);
  // Each line has at least its newline.
  if (header.raw_bytes > kMaxBlockBytes || header.packed_bytes > 2 * kMaxBlockBytes ||
      header.lines > header.raw_bytes || header.lines == 0) {
    return std::nullopt;
  }
  return header;
}

std::string EncodeIndex(const std::vector<PlacedBlock>& blocks, uint64_t offset) {
  std::string entries;
  for (const PlacedBlock& block : blocks) {
    Put(entries, block.offset);
    entries += EncodeBlockHeader(block.header);
  }
  std::string bytes(kIndexMagic);
  Put(bytes, Checksum(entries));
  Put(bytes, static_cast<uint64_t>(blocks.size()));
  bytes += entries;
  Put(bytes, offset);
  bytes += kEndMagic;
  return bytes;
}

std::optional<uint64_t> DecodeTrailer(std::string_view bytes) {
  if (bytes.size() != kTrailerBytes || bytes.substr(8) != kEndMagic) return std::nullopt;
  return Take<uint64_t>(bytes, 0);
}

std::optional<std::vector<PlacedBlock>> DecodeIndex(std::string_view bytes) {
  if (bytes.size() < kIndexHeadBytes || bytes.substr(0, 4) != kIndexMagic) return std::nullopt;
  const std::string_view entries = bytes.substr(kIndexHeadBytes);
  if (entries.size() % kIndexEntryBytes != 0 || Take<uint64_t>(bytes, 8) != entries.size() / kIndexEntryBytes ||
      Take<uint32_t>(bytes, 4) != Checksum(entries)) {
    return std::nullopt;
  }
  std::vector<PlacedBlock> blocks;
  blocks.reserve(entries.size() / kIndexEntryBytes);
  for (size_t at = 0; at < entries.size(); at += kIndexEntryBytes) {
    const std::optional<BlockHeader> header = DecodeBlockHeader(entries.substr(at + 8, kBlockHeaderBytes));
    if (!header.has_value()) return std::nullopt;
    blocks.push_back({Take<uint64_t>(entries, at), *header});
  }
  return blocks;
}

std::string EncodeBlock(const std::vector<LineRun>& runs, std::string_view text) {
  std::string raw;
  raw.reserve(4 + runs.size() * kRunBytes + text.size());
  Put(raw, static_cast<uint32_t>(runs.size()));
  for (const LineRun& run : runs) {
    Put(raw, run.micros);
    Put(raw, run.rank);
    Put(raw, static_cast<uint32_t>(run.stream));
    Put(raw, run.lines);
  }
  raw += text;
  return raw;
}

bool VisitBlock(std::string_view raw, const BlockHeader& header, const std::function<bool(const BlockLine&)>& visit) {
  // Everything is checked first, so that a damaged block is left out as a whole.
  if (raw.size() != header.raw_bytes || raw.size() < 4) return false;
  const size_t runs = Take<uint32_t>(raw, 0);
  if (runs > (raw.size() - 4) / kRunBytes) return false;
  std::string_view text = raw.substr(4 + runs * kRunBytes);
  uint64_t lines = 0;
  for (size_t i = 0; i < runs; ++i) lines += Take<uint32_t>(raw, 4 + i * kRunBytes + 16);
  if (lines != header.lines || text.empty() || text.back() != '\n' ||
      static_cast<uint64_t>(absl::c_count(text, '\n')) != lines) {
    return false;
  }

  for (size_t i = 0; i < runs; ++i) {
    const size_t at = 4 + i * kRunBytes;
    BlockLine line;
    line.micros = Take<int64_t>(raw, at);
    line.rank = Take<int32_t>(raw, at + 8);
    line.stream = Take<uint32_t>(raw, at + 12) == 0 ? Stream::kStdout : Stream::kStderr;
    for (auto left = Take<uint32_t>(raw, at + 16); left > 0; --left) {
      const size_t end = text.find('\n');
      line.text = text.substr(0, end);
      text.remove_prefix(end + 1);
      if (!visit(line)) return true;
    }
  }
  return true;
}

}  // namespace yardmaster::worker
