#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "services/worker/errors.h"
#include "services/worker/logs/line_state.h"
#include "services/worker/logs/log.h"
#include "services/worker/logs/log_format.h"
#include "services/worker/logs/secret_finder.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {
namespace {

using std::chrono::steady_clock;

constexpr int kCompressionLevel = 1;
// A block that is not full is written all the same when something comes after so long: what a program said before it
// hung can be read in the file.
constexpr int64_t kBlockMicros = 1'000'000;
constexpr std::string_view kHidden = "***";

struct CompressorDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// A line that has not ended yet, and when its first byte came.
struct Begun {
  LineState line;
  int64_t micros = 0;
};

class FileLogWriter : public LogWriter {
 public:
  FileLogWriter(std::string path, UniqueFd file, std::vector<std::string> secrets)
      : path_(std::move(path)), secrets_(std::move(secrets)), began_(steady_clock::now()), file_(std::move(file)) {
    text_.reserve(kBlockTextBytes + kMaxLogLineBytes + 1);
    context_.reset(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    WriteAll(kLogMagic);
  }
  ~FileLogWriter() override { Close().IgnoreError(); }

  void Append(int rank, Stream stream, std::string_view bytes) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!file_.ok() || bytes.empty()) return;
    const int64_t micros = Now();
    bytes_ += bytes.size();
    // Asked once for all lines of the piece: most have neither.
    const bool has_returns = std::memchr(bytes.data(), '\r', bytes.size()) != nullptr;
    const bool has_secrets = secrets_.Find(bytes).has_value();
    const size_t kept = kMaxLogLineBytes + secrets_.longest();
    Begun& open = begun_[{rank, stream}];
    LineState& begun = open.line;
    while (!bytes.empty()) {
      const void* newline = std::memchr(bytes.data(), '\n', bytes.size());
      if (newline == nullptr) {
        // What writes over itself, as progress bars do, is as old as its last state.
        if (begun.empty() || has_returns) open.micros = micros;
        begun.Add(bytes, kept);
        break;
      }
      const auto size = static_cast<size_t>(static_cast<const char*>(newline) - bytes.data());
      const std::string_view line = bytes.substr(0, size);
      bytes.remove_prefix(size + 1);
      if (begun.empty()) {
        EndLine(micros, rank, stream, has_returns ? LastState(line) : line, 0, has_secrets);
      } else {
        begun.Add(line, kept);
        // A secret may lie across the pieces.
        EndLine(micros, rank, stream, begun.text(), begun.dropped(), /*may_have_secrets=*/!secrets_.empty());
      }
      begun.Clear();
    }
    if (!runs_.empty() && micros - runs_.front().micros >= kBlockMicros) WriteBlock();
  }

  void EndLines() override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (file_.ok()) EndBegunLines();
  }

  absl::Status Close() override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!file_.ok()) return status_;
    EndBegunLines();
    WriteBlock();
    if (status_.ok()) WriteAll(EncodeIndex(blocks_, written_));
    file_.Reset();
    return status_;
  }

  void Follow(std::function<void(const LogLine&)> follower) override {
    std::lock_guard<std::mutex> lock(mutex_);
    follower_ = std::move(follower);
  }
  uint64_t lines() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }
  uint64_t bytes() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return bytes_;
  }
  bool healthy() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return status_.ok();
  }

 private:
  int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - began_).count();
  }

  // A line without an end was said when it began: what came of it later is not known.
  void EndBegunLines() {
    for (auto& [who, open] : begun_) {
      const LineState& line = open.line;
      if (!line.empty()) EndLine(open.micros, who.first, who.second, line.text(), line.dropped(), !secrets_.empty());
    }
    begun_.clear();
  }

  // A whole line. `dropped` bytes of it are no longer there.
  void EndLine(int64_t micros, int rank, Stream stream, std::string_view line, size_t dropped, bool may_have_secrets) {
    if (line.size() > kMaxLogLineBytes || dropped > 0 || may_have_secrets) line = Presentable(line, dropped);
    ++lines_;
    if (follower_) {
      followed_.number = lines_;
      followed_.micros = micros;
      followed_.rank = rank;
      followed_.stream = stream;
      followed_.text.assign(line.data(), line.size());
      follower_(followed_);
    }
    if (!status_.ok()) return;
    if (runs_.empty() || runs_.back().micros != micros || runs_.back().rank != rank || runs_.back().stream != stream) {
      runs_.push_back({micros, rank, stream, 0});
      ranks_ |= RankBit(rank);
    }
    ++runs_.back().lines;
    text_.append(line.data(), line.size());
    text_ += '\n';
    if (text_.size() >= kBlockTextBytes || runs_.size() >= kBlockRuns) WriteBlock();
  }

  // The line without secrets, cut at the limit.
  std::string_view Presentable(std::string_view line, size_t dropped) {
    presentable_.clear();
    size_t at = 0;
    while (const std::optional<SecretFinder::Match> match = secrets_.Find(line, at)) {
      if (match->begin >= kMaxLogLineBytes) break;
      presentable_ += line.substr(at, match->begin - at);
      presentable_ += kHidden;
      at = match->end;
    }
    const size_t end = std::max(at, std::min(line.size(), kMaxLogLineBytes));
    presentable_ += line.substr(at, end - at);
    dropped += line.size() - end;
    if (dropped > 0) presentable_ += " [line cut: " + std::to_string(dropped) + " bytes more]";
    return presentable_;
  }

  void WriteBlock() {
    if (runs_.empty()) return;
    BlockHeader header;
    for (const LineRun& run : runs_) header.lines += run.lines;
    header.first_line = stored_lines_ + 1;
    header.first_micros = runs_.front().micros;
    header.last_micros = runs_.back().micros;
    header.ranks = ranks_;
    const std::string raw = EncodeBlock(runs_, text_);
    header.raw_bytes = static_cast<uint32_t>(raw.size());
    runs_.clear();
    text_.clear();
    ranks_ = 0;

    packed_.resize(kBlockHeaderBytes + ZSTD_compressBound(raw.size()));
    const size_t size = ZSTD_compress2(context_.get(), packed_.data() + kBlockHeaderBytes,
                                       packed_.size() - kBlockHeaderBytes, raw.data(), raw.size());
    if (ZSTD_isError(size) != 0) {
      Fail(ENOMEM);
      return;
    }
    header.packed_bytes = static_cast<uint32_t>(size);
    packed_.resize(kBlockHeaderBytes + size);
    packed_.replace(0, kBlockHeaderBytes, EncodeBlockHeader(header));
    const uint64_t offset = written_;
    if (!WriteAll(packed_)) return;
    blocks_.push_back({offset, header});
    stored_lines_ += header.lines;
  }

  bool WriteAll(std::string_view bytes) {
    if (!status_.ok()) return false;
    const uint64_t begin = written_;
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        Fail(count < 0 ? errno : ENOSPC);
        // Half a block is of no use, and would look like damage.
        written_ = begin;
        if (::ftruncate(file_.get(), static_cast<off_t>(begin)) != 0) errno = 0;
        return false;
      }
      written_ += static_cast<uint64_t>(count);
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  void Fail(int error) { status_ = worker_errors::LogNotWritten(path_, error); }

  const std::string path_;
  const SecretFinder secrets_;
  const steady_clock::time_point began_;

  mutable std::mutex mutex_;
  // All below is guarded by mutex_.
  UniqueFd file_;  // closed: the log is
  absl::Status status_;
  uint64_t written_ = 0;  // bytes of the file
  uint64_t lines_ = 0;
  uint64_t bytes_ = 0;
  uint64_t stored_lines_ = 0;
  std::map<std::pair<int, Stream>, Begun> begun_;
  std::function<void(const LogLine&)> follower_;
  // The block that is being filled.
  std::vector<LineRun> runs_;
  std::string text_;
  uint64_t ranks_ = 0;
  std::vector<PlacedBlock> blocks_;
  std::unique_ptr<ZSTD_CCtx, CompressorDeleter> context_;
  // Used again and again, so that lines cost no memory of their own.
  LogLine followed_;
  std::string presentable_;
  std::string packed_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LogWriter>> CreateLog(const std::filesystem::path& path,
                                                     std::vector<std::string> secrets) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.ok()) return worker_errors::LogNotWritten(path.native(), errno);
  return std::unique_ptr<LogWriter>(new FileLogWriter(path.native(), std::move(file), std::move(secrets)));
}

}  // namespace yardmaster::worker
