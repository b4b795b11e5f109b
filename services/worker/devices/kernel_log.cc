#include "services/worker/devices/kernel_log.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "services/core/lines.h"
#include "services/worker/errors.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/re2_piece.h"

namespace yardmaster::worker {
namespace {

constexpr uint64_t kMicrosPerSecond = 1'000'000;
// More than a kernel keeps. One that is written to faster than it is read has no end.
constexpr size_t kMaxRecords = 1'000'000;

class SystemKernelLog : public KernelLog {
 public:
  explicit SystemKernelLog(std::shared_ptr<ToolRunner> tools) : tools_(std::move(tools)) {}

  absl::StatusOr<std::vector<KernelLine>> Read() override {
    const UniqueFd log(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!log.ok()) return ReadJournal();
    std::vector<KernelLine> lines;
    std::array<char, 8192> record{};  // the kernel's own limit
    for (size_t count = 0; count < kMaxRecords; ++count) {
      const ssize_t size = ::read(log.get(), record.data(), record.size());
      // EPIPE: what came next was overwritten meanwhile.
      if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;
      if (size < 0 && errno == EPERM) return ReadJournal();
      if (size <= 0) break;
      std::optional<KernelLine> line = ParseKmsgRecord({record.data(), static_cast<size_t>(size)});
      if (line.has_value()) lines.push_back(*std::move(line));
    }
    return lines;
  }

 private:
  absl::StatusOr<std::vector<KernelLine>> ReadJournal() {
    const absl::StatusOr<ToolOutput> output = tools_->Run(
        {"journalctl", "--quiet", "--dmesg", "--boot", "--no-pager", "--output=short-monotonic", "--lines=20000"});
    if (!output.ok() || output->exit_code != 0) return worker_errors::KernelLogUnreadable();
    std::vector<KernelLine> lines = ParseKernelJournal(output->out);
    // Without the right to see it, it is empty.
    if (lines.empty()) return worker_errors::KernelLogUnreadable();
    return lines;
  }

  const std::shared_ptr<ToolRunner> tools_;
};

}  // namespace

std::unique_ptr<KernelLog> MakeKernelLog(std::shared_ptr<ToolRunner> tools) {
  return std::make_unique<SystemKernelLog>(std::move(tools));
}

std::optional<KernelLine> ParseKmsgRecord(std::string_view record) {
  static const RE2 kRecord(R"(\d+,\d+,(\d{1,18}),[^;\n]*;([^\n]*))");
  KernelLine line;
  if (!RE2::FullMatch(Piece(record.substr(0, record.find('\n'))), kRecord, &line.micros, &line.text)) {
    return std::nullopt;
  }
  return line;
}

std::vector<KernelLine> ParseKernelJournal(std::string_view text) {
  static const RE2 kLine(R"(\[ *(\d{1,12})\.(\d{6})\] \S+ kernel: (.*))");
  std::vector<KernelLine> lines;
  for (const std::string_view one : LinesOf(text)) {
    uint64_t seconds = 0;
    KernelLine line;
    if (!RE2::FullMatch(Piece(one), kLine, &seconds, &line.micros, &line.text)) continue;
    line.micros += seconds * kMicrosPerSecond;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace yardmaster::worker
