#include "services/yardworker/run_budget.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBlockBytes = 512;
constexpr uint64_t kMiB = 1024 * 1024;
constexpr std::chrono::milliseconds kLookAgain{200};
// Looking takes no more than one part in so many of the time.
constexpr int kShareOfTime = 20;

}  // namespace

uint64_t BytesIn(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    struct stat about {};
    if (::lstat(it->path().c_str(), &about) == 0) bytes += static_cast<uint64_t>(about.st_blocks) * kBlockBytes;
  }
  return bytes;
}

const std::string& RunBudget::Look(std::chrono::steady_clock::time_point now) {
  if (!passed_.empty() || now < next_) return passed_;
  const auto began = std::chrono::steady_clock::now();
  std::error_code error;
  const uintmax_t log = fs::file_size(log_, error);
  if (log_bytes_ > 0 && !error && log >= log_bytes_) {
    passed_ = absl::StrCat("its log is larger than ", log_bytes_ / kMiB, " MiB");
  } else if (disk_bytes_ > 0) {
    uint64_t bytes = 0;
    for (const fs::path& folder : folders_) bytes += BytesIn(folder);
    if (bytes > disk_bytes_) passed_ = absl::StrCat("it uses more than ", disk_bytes_ / kMiB, " MiB of disk");
  }
  const auto cost = std::chrono::steady_clock::now() - began;
  next_ = now + std::max<std::chrono::steady_clock::duration>(kLookAgain, cost * kShareOfTime);
  return passed_;
}

}  // namespace yardmaster::yardworker
