#include "services/worker/logs/log_format.h"

#include <bit>
#include <cstring>

#include "absl/algorithm/container.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kBlockMagic = "YMLB";
constexpr std::string_view kIndexMagic = "YMLX";
constexpr std::string_view kEndMagic = "YMLOGEND";
constexpr size_t kIndexHeadBytes = 16;
constexpr int kRankBits = 63;

// Structures go into the file as they lie in memory.
static_assert(std::endian::native == std::endian::little);

template <typename T>
std::string Bytes(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
T Take(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

// What follows magic and checksum in the header of a block.
struct HeaderFields {
  uint32_t packed_bytes = 0;
  uint32_t raw_bytes = 0;
  uint32_t lines = 0;
  uint32_t zero = 0;
  uint64_t first_line = 0;
  int64_t first_micros = 0;
  int64_t last_micros = 0;
  uint64_t ranks = 0;
};
static_assert(8 + sizeof(HeaderFields) == kBlockHeaderBytes);

struct __attribute__((packed)) RunFields {
  int64_t micros = 0;
  int32_t rank = 0;
  uint32_t stream = 0;
  uint32_t lines = 0;
};

constexpr size_t kRunBytes = sizeof(RunFields);

// FNV-1a, folded: tells damage, not malice. Packed blocks carry a checksum of zstd's own.
uint32_t Checksum(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

}  // namespace

uint64_t RankBit(int rank) { return rank < 0 ? 1 : uint64_t{2} << (rank % kRankBits); }

std::string EncodeBlockHeader(const BlockHeader& header) {
  const std::string fields =
      Bytes(HeaderFields{header.packed_bytes, header.raw_bytes, header.lines, 0, header.first_line, header.first_micros,
                         header.last_micros, header.ranks});
  return std::string(kBlockMagic) + Bytes(Checksum(fields)) + fields;
}

std::optional<BlockHeader> DecodeBlockHeader(std::string_view bytes) {
  if (bytes.size() < kBlockHeaderBytes || bytes.substr(0, 4) != kBlockMagic) return std::nullopt;
  if (Take<uint32_t>(bytes, 4) != Checksum(bytes.substr(8, sizeof(HeaderFields)))) return std::nullopt;
  const auto fields = Take<HeaderFields>(bytes, 8);
  const BlockHeader header = {fields.packed_bytes, fields.raw_bytes,   fields.lines, fields.first_line,
                              fields.first_micros, fields.last_micros, fields.ranks};
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
    entries += Bytes(block.offset) + EncodeBlockHeader(block.header);
  }
  return std::string(kIndexMagic) + Bytes(Checksum(entries)) + Bytes(uint64_t{blocks.size()}) + entries +
         Bytes(offset) + std::string(kEndMagic);
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
  std::string raw = Bytes(static_cast<uint32_t>(runs.size()));
  raw.reserve(raw.size() + runs.size() * kRunBytes + text.size());
  for (const LineRun& run : runs) {
    raw += Bytes(RunFields{run.micros, run.rank, static_cast<uint32_t>(run.stream), run.lines});
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
  for (size_t i = 0; i < runs; ++i) lines += Take<RunFields>(raw, 4 + i * kRunBytes).lines;
  if (lines != header.lines || text.empty() || text.back() != '\n' ||
      static_cast<uint64_t>(absl::c_count(text, '\n')) != lines) {
    return false;
  }

  for (size_t i = 0; i < runs; ++i) {
    const auto run = Take<RunFields>(raw, 4 + i * kRunBytes);
    BlockLine line;
    line.micros = run.micros;
    line.rank = run.rank;
    line.stream = run.stream == 0 ? Stream::kStdout : Stream::kStderr;
    for (uint32_t left = run.lines; left > 0; --left) {
      const size_t end = text.find('\n');
      line.text = text.substr(0, end);
      text.remove_prefix(end + 1);
      if (!visit(line)) return true;
    }
  }
  return true;
}

}  // namespace yardmaster::worker
