#include "services/yardworker/run_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/sha256.h"
#include "services/worker/process/disk.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/run/source.h"
#include "services/worker/run/workspace.h"
#include "services/yardworker/run_budget.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kKibibyte = 1024;
constexpr const char* kCcacheProgram = "/usr/bin/ccache";
constexpr size_t kOriginDigits = 24;

// A part of the cache that comes and goes as a whole.
struct CachePart {
  fs::path folder;
  uint64_t bytes = 0;
  timespec used{};
};

std::vector<CachePart> PartsOf(const RunCache& cache) {
  std::vector<CachePart> parts;
  const auto add = [&](const fs::path& folder, const fs::path& touched) {
    struct stat about {};
    if (::stat(touched.c_str(), &about) != 0 && ::stat(folder.c_str(), &about) != 0) return;
    parts.push_back({folder, UseOf(folder).bytes, about.st_mtim});
  };
  std::error_code error;
  for (const fs::path& folder : {cache.objects(), cache.trees()}) {
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      add(it->path(), it->path() / worker::kCacheLock);
    }
  }
  // Runs write to these themselves: nothing in them is read.
  for (fs::directory_iterator it(cache.ccaches(), error), end; !error && it != end; it.increment(error)) {
    add(it->path(), it->path());
  }
  std::sort(parts.begin(), parts.end(), [](const CachePart& a, const CachePart& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  return parts;
}

bool RemovePart(const fs::path& folder) {
  const worker::UniqueFd lock(::open((folder / worker::kCacheLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (lock.ok() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  return worker::RemoveFolder(folder);
}

// The oldest first, as long as it is wanted.
void RemoveWhile(const RunCache& cache, const std::function<bool(uint64_t left)>& wanted) {
  const std::vector<CachePart> parts = PartsOf(cache);
  uint64_t left = 0;
  for (const CachePart& part : parts) left += part.bytes;
  for (const CachePart& part : parts) {
    if (!wanted(left)) return;
    if (RemovePart(part.folder)) left -= part.bytes;
  }
}

}  // namespace

RunCache::RunCache(fs::path folder, uint64_t budget_bytes, const std::string& origin)
    : folder_(std::move(folder)),
      budget_bytes_(budget_bytes),
      ccache_(ccaches() / Sha256Hex(origin).substr(0, kOriginDigits)) {}

void RunCache::Prepare() const {
  if (!enabled()) return;
  std::error_code error;
  for (const fs::path& folder : {objects(), ccache(), trees()}) fs::create_directories(folder, error);
  ::utimensat(AT_FDCWD, ccache().c_str(), nullptr, 0);
}

std::map<std::string, std::string> RunCache::VariablesFor(const fs::path& tree) const {
  if (!enabled() || ::access(kCcacheProgram, X_OK) != 0) return {};
  return {{"CCACHE_DIR", ccache().native()},
          // It keeps to its half by itself.
          {"CCACHE_MAXSIZE", absl::StrCat(std::max<uint64_t>(1, budget_bytes_ / 2 / kKibibyte), "Ki")},
          {"CCACHE_BASEDIR", tree.native()},
          {"CCACHE_NOHASHDIR", "1"},
          {"CMAKE_C_COMPILER_LAUNCHER", "ccache"},
          {"CMAKE_CXX_COMPILER_LAUNCHER", "ccache"}};
}

void RunCache::Trim() const {
  RemoveWhile(*this, [this](uint64_t left) { return left > budget_bytes_; });
}

void RunCache::MakeRoom(uint64_t bytes) const {
  RemoveWhile(*this, [&](uint64_t) {
    return worker::FreeDiskBytes(folder_).value_or(std::numeric_limits<uint64_t>::max()) < bytes;
  });
}

}  // namespace yardmaster::yardworker
