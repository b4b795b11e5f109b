// Any order of parts with any offsets and sizes: a file is complete only with the bytes of its digest, and a log has no
// gap and no byte twice. Two bytes in front say how many orders of four bytes follow; the rest is the content.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "services/core/sha256.h"
#include "services/dispatch/job_logs.h"
#include "services/dispatch/part_files.h"
#include "tests/fuzz/check.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace yardmaster;

constexpr uint64_t kBudget = 4'096;
constexpr uint64_t kLogBytes = 2'048;
constexpr size_t kMaxOrders = 64;

// Up to `size` bytes from `offset` on, as far as there are any.
std::string_view PieceOf(std::string_view content, size_t offset, size_t size) {
  return content.substr(std::min(offset, content.size()), size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  static const testing::TempDir dir;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t orders = std::min({static_cast<size_t>(data[0]), kMaxOrders, (size - 2) / 4});
  const std::string_view content = bytes.substr(2 + 4 * orders);
  const std::string digest = Sha256Hex(content);

  std::error_code error;
  for (const char* part : {"files", "logs"}) std::filesystem::remove_all(dir.path() / part, error);
  dispatch::PartFiles files(dir.path() / "files", kBudget, std::chrono::hours(1));
  dispatch::JobLogs logs(dir.path() / "logs", kLogBytes);
  uint64_t log_end = 0;
  for (size_t i = 0; i < orders; ++i) {
    const uint8_t* order = data + 2 + 4 * i;
    const size_t offset = order[1] * size_t{16} + order[2] % 16;
    const std::string_view piece = PieceOf(content, offset, order[3]);
    switch (order[0] % 4) {
      case 0: {  // as it should be
        const auto put = files.Put(digest, content.size(), offset, piece);
        if (put.ok()) Check(put->received <= content.size(), "more than the whole");
        break;
      }
      case 1: {  // other bytes, or another size
        const auto put = files.Put(digest, content.size() + order[2] % 3, offset, std::string(order[3], 'x'));
        if (put.ok()) Check(put->complete == files.Has(digest), "complete, and not there");
        break;
      }
      case 2: {
        const auto end = logs.Append("j-1", 1, offset, piece);
        if (!end.ok()) {
          Check(offset > log_end, "a piece without a gap is refused");
          break;
        }
        // One that is full takes all, and keeps none of it.
        Check(*end >= std::min(log_end, kLogBytes), "a log that shrinks");
        log_end = *end;
        break;
      }
      default: {  // what can't be a digest or lies past the end
        Check(!files.Put(PieceOf(digest, order[1], 64 - order[2] % 64), 1, 0, "x").ok() || order[2] % 64 == 0,
              "a name that is no digest");
        uint64_t whole = 0;
        const auto read = files.Read(digest, offset, whole);
        if (read.ok()) Check(*read == PieceOf(content, offset, dispatch::kMaxPartBytes), "other bytes");
      }
    }
  }
  if (files.Has(digest)) {
    uint64_t whole = 0;
    const auto read = files.Read(digest, 0, whole);
    Check(read.ok() && *read == content && whole == content.size(), "a complete file with other bytes");
  }
  // What is there of the log is the content's beginning, but for what is said where its budget ends.
  const auto log = logs.Read("j-1", 1, 0);
  Check(log.ok(), "a log that can't be read");
  const size_t same = std::min({log->size(), content.size(), static_cast<size_t>(kLogBytes / 2)});
  Check(log->substr(0, same) == content.substr(0, same), "a log with a gap, or a byte twice");
  return 0;
}
