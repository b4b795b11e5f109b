// The log of one step: the output of all its ranks, with rank, stream and time of each line; kept compressed with an
// index, so that the end, a range and a search need not read everything.
#ifndef YARDMASTER_SERVICES_WORKER_LOGS_LOG_H_
#define YARDMASTER_SERVICES_WORKER_LOGS_LOG_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/worker/process/process.h"

namespace yardmaster::worker {

// A longer line is cut there, and says how much is missing.
inline constexpr size_t kMaxLogLineBytes = 64 * 1024;

// No rank: the launcher, or a step without ranks.
inline constexpr int kNoRank = -1;

struct LogLine {
  uint64_t number = 0;  // in the log, from 1
  int64_t micros = 0;   // since the step began
  int rank = kNoRank;
  Stream stream = Stream::kStdout;
  // Without the newline; invalid UTF-8 stays as it is; of a line that was written over with carriage returns, as
  // progress bars do, the last state; cut at kMaxLogLineBytes.
  std::string text;
};

// Thread-safe: the readers of several ranks append to one log.
class LogWriter {
 public:
  virtual ~LogWriter() = default;
  // Bytes as they come; lines are put together by rank and stream. Never fails: see healthy().
  virtual void Append(int rank, Stream stream, std::string_view bytes) = 0;
  // Ends lines that have begun as if their newline came, each with the time of its first byte. For the moment before
  // programs are stopped: what they say afterwards stands apart.
  virtual void EndLines() = 0;
  // Writes what waits, ends unfinished lines, closes. A log that was not closed can be read up to its last block.
  // RESOURCE_EXHAUSTED: the disk is full; then everything since is lost, and its beginning kept.
  virtual absl::Status Close() = 0;
  // Lines as they come, called by the appending thread, one at a time; must be quick, keep nothing of the line but
  // copies, and not call the log. Also called after a write has failed. Null: no follower.
  virtual void Follow(std::function<void(const LogLine&)> follower) = 0;
  // Whole lines and bytes that came, also those that could not be written.
  virtual uint64_t lines() const = 0;
  virtual uint64_t bytes() const = 0;
  // False once a write has failed.
  virtual bool healthy() const = 0;
};

// Makes `path` (and its folder). Texts in `secrets` are replaced by "***" wherever they come, also in two pieces; each
// line of a secret with several counts by itself.
absl::StatusOr<std::unique_ptr<LogWriter>> CreateLog(const std::filesystem::path& path,
                                                     std::vector<std::string> secrets);

// Not thread-safe. What is damaged is left out by Tail and Search and ends Read with DATA_LOSS.
class LogReader {
 public:
  virtual ~LogReader() = default;
  virtual uint64_t lines() const = 0;
  // DATA_LOSS once damage was met, which may be when the place is read.
  virtual absl::Status damage() const { return absl::OkStatus(); }
  // Lines [first, first + count), in order, until `visit` returns false. DATA_LOSS behind the last line before damage,
  // if the range goes beyond it.
  virtual absl::Status Read(uint64_t first, uint64_t count, const std::function<bool(const LogLine&)>& visit) = 0;
  // The last lines, of one rank if it is not kAllRanks, that came no later than `until`, in the time of LogLine.
  virtual absl::StatusOr<std::vector<LogLine>> TailUntil(size_t count, int rank, int64_t until) = 0;
  absl::StatusOr<std::vector<LogLine>> Tail(size_t count, int rank) {
    return TailUntil(count, rank, std::numeric_limits<int64_t>::max());
  }
  // Lines that match an RE2 pattern, at most `limit`. INVALID_ARGUMENT for a bad pattern.
  virtual absl::StatusOr<std::vector<LogLine>> Search(std::string_view pattern, size_t limit, int rank) = 0;
};
inline constexpr int kAllRanks = -2;

// NOT_FOUND if it can't be read. DATA_LOSS if it is no log from its first bytes on; damage further on is met when it is
// read. A log that is being written, or whose writer died, can be read up to its last whole block.
absl::StatusOr<std::unique_ptr<LogReader>> OpenLog(const std::filesystem::path& path);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LOGS_LOG_H_
