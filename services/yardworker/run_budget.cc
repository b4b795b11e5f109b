#include "services/yardworker/run_budget.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr uint64_t kBlockBytes = 512;
constexpr uint64_t kMiB = 1024 * 1024;
constexpr std::chrono::milliseconds kLookAgain{200};
// Counting takes no more than one part in so many of the time.
constexpr int kShareOfTime = 20;

}  // namespace

FolderUse UseOf(const fs::path& folder, uint64_t most_files) {
  FolderUse use;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end && use.files < most_files; it.increment(error)) {
    struct stat about {};
    if (::lstat(it->path().c_str(), &about) != 0) continue;
    use.bytes += static_cast<uint64_t>(about.st_blocks) * kBlockBytes;
    ++use.files;
  }
  return use;
}

uint64_t RunBudget::FreeFiles() const {
  struct statvfs about {};
  return folders_.empty() || ::statvfs(folders_.front().c_str(), &about) != 0 ? 0 : about.f_ffree;
}

void RunBudget::Count() {
  FolderUse all;
  free_files_ = FreeFiles();
  for (const fs::path& folder : folders_) {
    const FolderUse use = UseOf(folder, limits_.files > 0 ? limits_.files + 1 - all.files : UINT64_MAX);
    all.bytes += use.bytes;
    all.files += use.files;
    if (limits_.files > 0 && all.files > limits_.files) break;
  }
  files_ = all.files;
  if (limits_.files > 0 && all.files > limits_.files) {
    passed_ = absl::StrCat("it has more than ", limits_.files, " files");
  } else if (limits_.disk_bytes > 0 && all.bytes > limits_.disk_bytes) {
    passed_ = absl::StrCat("it uses more than ", limits_.disk_bytes / kMiB, " MiB of disk");
  }
}

const std::string& RunBudget::Look(SteadyClock::time_point now) {
  if (!passed_.empty() || now < next_) return passed_;
  next_ = now + kLookAgain;
  std::error_code error;
  const uintmax_t log = fs::file_size(log_, error);
  if (limits_.log_bytes > 0 && !error && log >= limits_.log_bytes) {
    passed_ = absl::StrCat("its log is larger than ", limits_.log_bytes / kMiB, " MiB");
    return passed_;
  }
  if (limits_.disk_bytes == 0 && limits_.files == 0) return passed_;
  // Somebody made so many files that it may have been this run.
  const bool flood = limits_.files > 0 && FreeFiles() + (limits_.files - std::min(files_, limits_.files)) < free_files_;
  if (now < count_at_ && !flood) return passed_;
  const auto began = SteadyClock::now();
  Count();
  const auto cost = SteadyClock::now() - began;
  count_at_ = now + std::max<SteadyClock::duration>(kLookAgain, cost * kShareOfTime);
  return passed_;
}

}  // namespace yardmaster::yardworker
