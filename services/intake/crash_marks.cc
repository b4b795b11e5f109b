#include "services/intake/crash_marks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "services/core/errors.h"

namespace yardmaster {
namespace {

// "YMMARKS" and a version.
constexpr uint64_t kMagic = 0x594d4d41524b5301ULL;
// The state of an entry is one word, so that each step is one store: crashes in the low bits, the mark above them.
constexpr uint32_t kMarked = 0x8000'0000U;
constexpr uint32_t kCrashesMask = 0x0000'ffffU;

}  // namespace

struct CrashMarks::Entry {
  std::atomic<int64_t> delivery;  // 0: free
  std::atomic<uint32_t> state;
  uint32_t unused;
};

struct CrashMarks::File {
  std::atomic<uint64_t> magic;
  uint64_t unused;
  Entry entries[kEntries];
};

absl::StatusOr<std::unique_ptr<CrashMarks>> CrashMarks::Open(const std::filesystem::path& file) {
  static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
  const auto failed = [&](const char* what) {
    return errors::FileNotWritten(file.string(), std::string(what) + ": " + std::strerror(errno));
  };
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return failed("open");
  struct stat info {};
  if (fstat(fd, &info) != 0 || (info.st_size != static_cast<off_t>(sizeof(File)) &&
                                (ftruncate(fd, 0) != 0 || ftruncate(fd, static_cast<off_t>(sizeof(File))) != 0))) {
    const absl::Status status = failed("resize");
    close(fd);
    return status;
  }
  void* memory = mmap(nullptr, sizeof(File), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const absl::Status status = memory == MAP_FAILED ? failed("map") : absl::OkStatus();
  close(fd);
  if (!status.ok()) return status;

  // The bytes of the file are the object; atomics of these types have no other representation than their value.
  File* const marks = static_cast<File*>(memory);
  if (marks->magic.load(std::memory_order_relaxed) != kMagic) {
    std::memset(memory, 0, sizeof(File));
    marks->magic.store(kMagic, std::memory_order_release);
  }
  for (Entry& entry : marks->entries) {
    const uint32_t state = entry.state.load(std::memory_order_relaxed);
    if (entry.delivery.load(std::memory_order_relaxed) == 0) {
      entry.state.store(0, std::memory_order_relaxed);
    } else if ((state & kMarked) != 0) {
      // One store: a crash in the middle of this loop counts no mark twice.
      entry.state.store((state & kCrashesMask) + 1, std::memory_order_relaxed);
    } else if (state == 0) {
      entry.delivery.store(0, std::memory_order_relaxed);
    }
  }
  return std::unique_ptr<CrashMarks>(new CrashMarks(marks));
}

CrashMarks::~CrashMarks() { munmap(file_, sizeof(File)); }

size_t CrashMarks::Find(int64_t delivery, bool create) {
  size_t free = kEntries;
  for (size_t i = 0; i < kEntries; ++i) {
    const int64_t id = file_->entries[i].delivery.load(std::memory_order_relaxed);
    if (id == delivery) return i;
    if (id == 0 && free == kEntries) free = i;
  }
  if (!create || free == kEntries) return kEntries;
  file_->entries[free].state.store(0, std::memory_order_relaxed);
  file_->entries[free].delivery.store(delivery, std::memory_order_release);
  return free;
}

std::vector<int64_t> CrashMarks::PoisonMessages() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int64_t> out;
  for (const Entry& entry : file_->entries) {
    const int64_t id = entry.delivery.load(std::memory_order_relaxed);
    if (id != 0 && (entry.state.load(std::memory_order_relaxed) & kCrashesMask) >= kMaxCrashes) out.push_back(id);
  }
  return out;
}

int CrashMarks::CrashCount(int64_t delivery) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Entry& entry : file_->entries) {
    if (entry.delivery.load(std::memory_order_relaxed) != delivery) continue;
    return static_cast<int>(entry.state.load(std::memory_order_relaxed) & kCrashesMask);
  }
  return 0;
}

void CrashMarks::Forget(int64_t delivery) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t i = Find(delivery, false);
  if (i == kEntries) return;
  if (computing_[i] > 0) {
    file_->entries[i].state.store(kMarked, std::memory_order_relaxed);
    return;
  }
  file_->entries[i].delivery.store(0, std::memory_order_relaxed);
  file_->entries[i].state.store(0, std::memory_order_relaxed);
}

CrashMarks::Computing::Computing(CrashMarks& marks, int64_t delivery) : marks_(marks) {
  alone_ = marks_.CrashCount(delivery) > 0;
  if (alone_) {
    marks_.compute_.lock();
  } else {
    marks_.compute_.lock_shared();
  }
  const std::lock_guard<std::mutex> lock(marks_.mutex_);
  entry_ = marks_.Find(delivery, true);
  if (entry_ == kEntries) return;
  ++marks_.computing_[entry_];
  std::atomic<uint32_t>& state = marks_.file_->entries[entry_].state;
  state.store(state.load(std::memory_order_relaxed) | kMarked, std::memory_order_release);
}

CrashMarks::Computing::~Computing() {
  if (entry_ != kEntries) {
    const std::lock_guard<std::mutex> lock(marks_.mutex_);
    Entry& entry = marks_.file_->entries[entry_];
    if (--marks_.computing_[entry_] == 0) {
      const uint32_t crashes = entry.state.load(std::memory_order_relaxed) & kCrashesMask;
      entry.state.store(crashes, std::memory_order_release);
      // Nothing worth remembering: the place is free again.
      if (crashes == 0) entry.delivery.store(0, std::memory_order_relaxed);
    }
  }
  if (alone_) {
    marks_.compute_.unlock();
  } else {
    marks_.compute_.unlock_shared();
  }
}

}  // namespace yardmaster
