#include "clients/cli/review_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::TempDir;

// What the looks of a watch see, one after the other; the last one for ever.
class Looks {
 public:
  explicit Looks(std::vector<size_t> stamps) : stamps_(std::move(stamps)) {}
  size_t operator()() { return stamps_[std::min(calls_++, stamps_.size() - 1)]; }
  size_t calls() const { return calls_; }

 private:
  const std::vector<size_t> stamps_;
  size_t calls_ = 0;
};

constexpr WatchTimes kAtOnce{milliseconds(0), milliseconds(0), milliseconds(60'000)};

TEST(Watch, WaitsForAChangeAndUntilItRests) {
  Looks looks({1, 1, 1, 2, 3, 4, 4, 4, 5, 5});
  Watch watch([&] { return looks(); }, kAtOnce);
  EXPECT_EQ(looks.calls(), 1u);
  watch.WaitForChange();
  EXPECT_EQ(looks.calls(), 7u) << "2, 3 and 4 are one change";
  watch.WaitForChange();
  EXPECT_EQ(looks.calls(), 10u);
}

TEST(Watch, AChangeThatIsTakenBackWhileItSettlesIsOneToo) {
  Looks looks({1, 2, 1, 1, 3, 3});
  Watch watch([&] { return looks(); }, kAtOnce);
  watch.WaitForChange();
  EXPECT_EQ(looks.calls(), 4u);
  watch.WaitForChange();
  EXPECT_EQ(looks.calls(), 6u);
}

TEST(Watch, WhatNeverRestsIsAChangeAfterItsPatience) {
  size_t stamp = 0;
  Watch watch([&] { return ++stamp; }, {milliseconds(1), milliseconds(1), milliseconds(30)});
  watch.WaitForChange();
  EXPECT_GT(stamp, 2u);
}

TEST(StampOf, ChangesWithEveryKindOfChange) {
  const TempDir dir;
  const std::vector<std::string> files = {dir.Write("a.py", "one").string(), (dir.path() / "b.py").string()};
  std::vector<size_t> stamps = {StampOf(files)};
  EXPECT_EQ(StampOf(files), stamps[0]);
  EXPECT_NE(StampOf({files[0]}), stamps[0]);
  const auto changed = [&](const char* what) {
    stamps.push_back(StampOf(files));
    for (size_t i = 0; i + 1 < stamps.size(); ++i) EXPECT_NE(stamps.back(), stamps[i]) << what;
  };
  dir.Write("b.py", "new");
  changed("a new file");
  // The same size, and its time set back.
  const fs::file_time_type time = fs::last_write_time(files[0]);
  dir.Write("a.py", "two");
  fs::last_write_time(files[0], time);
  changed("another text");
  dir.Write("c.py", "two");
  fs::last_write_time(dir.path() / "c.py", time);
  fs::rename(dir.path() / "c.py", files[0]);
  changed("a file in its place");
  fs::remove(files[0]);
  changed("no file");
}

}  // namespace
}  // namespace yardmaster::cli
