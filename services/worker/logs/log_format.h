// How a log lies in its file; README.md has it in words. Numbers are little-endian.
#ifndef YARDMASTER_SERVICES_WORKER_LOGS_LOG_FORMAT_H_
#define YARDMASTER_SERVICES_WORKER_LOGS_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/process/process.h"

namespace yardmaster::worker {

inline constexpr std::string_view kLogMagic("YMLOG1\n\0", 8);
inline constexpr size_t kBlockHeaderBytes = 56;
inline constexpr size_t kIndexEntryBytes = 8 + kBlockHeaderBytes;
inline constexpr size_t kTrailerBytes = 16;
// The text of a block that is full.
inline constexpr size_t kBlockTextBytes = 1024 * 1024;
// Runs of a block that is full.
inline constexpr size_t kBlockRuns = 32 * 1024;
// A block is this large at most: text, one line more, runs. What claims to be larger is damaged.
inline constexpr size_t kMaxBlockBytes = 4 * 1024 * 1024;

// What is known of a block without unpacking it.
struct BlockHeader {
  uint32_t packed_bytes = 0;
  uint32_t raw_bytes = 0;
  uint32_t lines = 0;
  uint64_t first_line = 0;  // its number
  int64_t first_micros = 0;
  int64_t last_micros = 0;
  uint64_t ranks = 0;  // RankBit of all its ranks
};

// Ranks that are 63 apart share a bit: it says who may be in a block, not who is.
uint64_t RankBit(int rank);

std::string EncodeBlockHeader(const BlockHeader& header);
// nullopt: it is none, or damaged, or beyond the limits.
std::optional<BlockHeader> DecodeBlockHeader(std::string_view bytes);

// Where a block is.
struct PlacedBlock {
  uint64_t offset = 0;
  BlockHeader header;
};

// The end of a log: index and trailer. `offset` is where it will be in the file.
std::string EncodeIndex(const std::vector<PlacedBlock>& blocks, uint64_t offset);
// Where the index begins, from the last kTrailerBytes of a file; nullopt: there is no trailer.
std::optional<uint64_t> DecodeTrailer(std::string_view bytes);
// The index without the trailer; nullopt: damaged.
std::optional<std::vector<PlacedBlock>> DecodeIndex(std::string_view bytes);

// Lines beside each other that came together.
struct LineRun {
  int64_t micros = 0;
  int32_t rank = 0;
  Stream stream = Stream::kStdout;
  uint32_t lines = 0;
};

// A block as it is before it is packed: runs, then the lines, each with its newline.
std::string EncodeBlock(const std::vector<LineRun>& runs, std::string_view text);

struct BlockLine {
  int64_t micros = 0;
  int rank = 0;
  Stream stream = Stream::kStdout;
  std::string_view text;
};
// Calls `visit` with each line until it returns false. Returns false, before anything is visited, if the block is not
// what `header` says.
bool VisitBlock(std::string_view raw, const BlockHeader& header, const std::function<bool(const BlockLine&)>& visit);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LOGS_LOG_FORMAT_H_
