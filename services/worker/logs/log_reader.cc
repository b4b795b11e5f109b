#include <fcntl.h>
#include <re2/re2.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/errors.h"
#include "services/worker/logs/log.h"
#include "services/worker/logs/log_format.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {
namespace {

// An index larger than this is not read; the blocks are walked instead.
constexpr uint64_t kMaxIndexBytes = 64 * 1024 * 1024;
// Memory of one pattern.
constexpr int64_t kMaxPatternBytes = 8 * 1024 * 1024;

struct DecompressorDeleter {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// `size` bytes at `offset`; fewer if the file ends.
std::string ReadAt(const UniqueFd& file, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t count = ::pread(file.get(), bytes.data() + got, size - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

void Assign(LogLine& to, uint64_t number, const BlockLine& line) {
  to.number = number;
  to.micros = line.micros;
  to.rank = line.rank;
  to.stream = line.stream;
  to.text.assign(line.text.data(), line.text.size());
}

class FileLogReader : public LogReader {
 public:
  FileLogReader(std::string path, UniqueFd file, uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size), context_(ZSTD_createDCtx()) {
    if (!FindByIndex()) FindByWalking();
  }

  uint64_t lines() const override {
    return blocks_.empty() ? 0 : blocks_.back().header.first_line + blocks_.back().header.lines - 1;
  }
  absl::Status damage() const override { return damage_; }

  absl::Status Read(uint64_t first, uint64_t count, const std::function<bool(const LogLine&)>& visit) override {
    first = std::max<uint64_t>(first, 1);
    const uint64_t end = count > UINT64_MAX - first ? UINT64_MAX : first + count;
    LogLine out;
    bool more = true;
    for (const PlacedBlock& block : blocks_) {
      if (!more || block.header.first_line >= end) break;
      if (block.header.first_line + block.header.lines <= first) continue;
      const bool whole = Visit(block, [&](uint64_t number, const BlockLine& line) {
        if (number >= end) return false;
        if (number < first) return true;
        Assign(out, number, line);
        more = visit(out);
        return more;
      });
      if (!whole) return damage_;
    }
    return more && end > lines() + 1 ? damage_at_end_ : absl::OkStatus();
  }

  absl::StatusOr<std::vector<LogLine>> TailUntil(size_t count, int rank, int64_t until) override {
    // Block by block from the end; `tail` has the lines in reverse.
    std::vector<LogLine> tail;
    for (auto block = blocks_.rbegin(); block != blocks_.rend() && tail.size() < count; ++block) {
      if (!MayHave(*block, rank)) continue;
      std::vector<LogLine> found;
      Visit(*block, [&](uint64_t number, const BlockLine& line) {
        if ((rank == kAllRanks || line.rank == rank) && line.micros <= until) {
          Assign(found.emplace_back(), number, line);
        }
        return true;
      });
      const size_t wanted = std::min(found.size(), count - tail.size());
      std::move(found.rbegin(), found.rbegin() + static_cast<std::ptrdiff_t>(wanted), std::back_inserter(tail));
    }
    absl::c_reverse(tail);
    return tail;
  }

  absl::StatusOr<std::vector<LogLine>> Search(std::string_view pattern, size_t limit, int rank) override {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMaxPatternBytes);
    const RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), options);
    if (!regex.ok()) return worker_errors::PatternInvalid(pattern, regex.error());
    std::vector<LogLine> found;
    for (const PlacedBlock& block : blocks_) {
      if (found.size() >= limit) break;
      if (!MayHave(block, rank)) continue;
      Visit(block, [&](uint64_t number, const BlockLine& line) {
        if ((rank == kAllRanks || line.rank == rank) &&
            RE2::PartialMatch(re2::StringPiece(line.text.data(), line.text.size()), regex)) {
          Assign(found.emplace_back(), number, line);
        }
        return found.size() < limit;
      });
    }
    return found;
  }

 private:
  // Takes the blocks from the index at the end. False: there is none, or it does not fit the file.
  bool FindByIndex() {
    if (size_ < kLogMagic.size() + kTrailerBytes) return false;
    const std::optional<uint64_t> begin = DecodeTrailer(ReadAt(file_, size_ - kTrailerBytes, kTrailerBytes));
    if (!begin.has_value() || *begin < kLogMagic.size() || *begin > size_ - kTrailerBytes ||
        size_ - kTrailerBytes - *begin > kMaxIndexBytes) {
      return false;
    }
    std::optional<std::vector<PlacedBlock>> blocks =
        DecodeIndex(ReadAt(file_, *begin, static_cast<size_t>(size_ - kTrailerBytes - *begin)));
    if (!blocks.has_value()) return false;
    uint64_t offset = kLogMagic.size();
    uint64_t line = 1;
    for (const PlacedBlock& block : *blocks) {
      if (block.offset != offset || block.header.first_line != line) return false;
      offset += kBlockHeaderBytes + block.header.packed_bytes;
      line += block.header.lines;
    }
    if (offset != *begin) return false;
    blocks_ = std::move(*blocks);
    return true;
  }

  // Goes from block to block: a log that was not closed has no index.
  void FindByWalking() {
    uint64_t offset = kLogMagic.size();
    uint64_t line = 1;
    while (offset < size_) {
      const std::string bytes = ReadAt(file_, offset, kBlockHeaderBytes);
      const std::optional<BlockHeader> header = DecodeBlockHeader(bytes);
      if (!header.has_value() || header->first_line != line) {
        const bool cut = bytes.size() < kBlockHeaderBytes;
        damage_at_end_ = worker_errors::LogDamaged(path_, offset, cut ? "it is cut off" : "no block begins there");
        break;
      }
      if (header->packed_bytes > size_ - offset - kBlockHeaderBytes) {
        damage_at_end_ = worker_errors::LogDamaged(path_, offset, "the block that begins there is cut off");
        break;
      }
      blocks_.push_back({offset, *header});
      offset += kBlockHeaderBytes + header->packed_bytes;
      line += header->lines;
    }
    damage_ = damage_at_end_;
  }

  static bool MayHave(const PlacedBlock& block, int rank) {
    return rank == kAllRanks || (block.header.ranks & RankBit(rank)) != 0;
  }

  // Calls `visit` with the lines of a block and their numbers until it returns false. False: the block is damaged.
  bool Visit(const PlacedBlock& block, const std::function<bool(uint64_t, const BlockLine&)>& visit) {
    if (unpacked_offset_ != block.offset && !Unpack(block)) return false;
    uint64_t number = block.header.first_line;
    if (VisitBlock(unpacked_, block.header, [&](const BlockLine& line) { return visit(number++, line); })) return true;
    unpacked_offset_ = 0;
    return Damaged(block);
  }

  bool Unpack(const PlacedBlock& block) {
    unpacked_offset_ = 0;
    const std::string packed = ReadAt(file_, block.offset + kBlockHeaderBytes, block.header.packed_bytes);
    unpacked_.resize(block.header.raw_bytes);
    const size_t size =
        ZSTD_decompressDCtx(context_.get(), unpacked_.data(), unpacked_.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0 || size != unpacked_.size()) return Damaged(block);
    unpacked_offset_ = block.offset;
    return true;
  }

  bool Damaged(const PlacedBlock& block) {
    damage_ = worker_errors::LogDamaged(path_, block.offset, "the block that begins there can't be unpacked");
    return false;
  }

  const std::string path_;
  const UniqueFd file_;
  const uint64_t size_ = 0;
  std::vector<PlacedBlock> blocks_;
  absl::Status damage_;
  absl::Status damage_at_end_;  // behind the last block
  std::unique_ptr<ZSTD_DCtx, DecompressorDeleter> context_;
  // The block that was looked at last: people page through a log.
  std::string unpacked_;
  uint64_t unpacked_offset_ = 0;  // 0: none
};

}  // namespace

absl::StatusOr<std::unique_ptr<LogReader>> OpenLog(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return worker_errors::LogUnreadable(path.native(), std::strerror(errno));
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return worker_errors::LogUnreadable(path.native(), std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return worker_errors::LogUnreadable(path.native(), "it is no file");
  if (ReadAt(file, 0, kLogMagic.size()) != kLogMagic)
    return worker_errors::LogDamaged(path.native(), 0, "it is no log");
  return std::unique_ptr<LogReader>(
      new FileLogReader(path.native(), std::move(file), static_cast<uint64_t>(about.st_size)));
}

}  // namespace yardmaster::worker
