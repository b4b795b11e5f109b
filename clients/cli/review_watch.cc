#include "clients/cli/review_watch.h"

#include <sys/stat.h>

#include <cstdint>
#include <thread>

namespace yardmaster::cli {

size_t StampOf(const std::vector<std::string>& files) {
  size_t stamp = files.size();
  const auto mix = [&stamp](uint64_t value) {
    stamp ^= static_cast<size_t>(value) + 0x9e3779b97f4a7c15ull + (stamp << 6) + (stamp >> 2);
  };
  for (const std::string& file : files) {
    mix(std::hash<std::string>()(file));
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    // The time of the last change of the inode can't be set back, the one of its text can.
    mix(status.st_ino);
    mix(static_cast<uint64_t>(status.st_size));
    mix(static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_mtim.tv_nsec));
    mix(static_cast<uint64_t>(status.st_ctim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_ctim.tv_nsec));
  }
  return stamp;
}

void Watch::WaitForChange() {
  size_t now = look_();
  while (now == stamp_) {
    std::this_thread::sleep_for(times_.interval);
    now = look_();
  }
  // An editor that replaces a file, a checkout of many: one change.
  const auto end = std::chrono::steady_clock::now() + times_.patience;
  for (size_t before = stamp_; now != before && std::chrono::steady_clock::now() < end;) {
    before = now;
    std::this_thread::sleep_for(times_.settle);
    now = look_();
  }
  stamp_ = now;
}

}  // namespace yardmaster::cli
