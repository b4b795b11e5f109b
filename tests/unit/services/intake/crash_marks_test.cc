#include "services/intake/crash_marks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

namespace yardmaster {
namespace {

class CrashMarksTest : public testing::Test {
 protected:
  CrashMarksTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "crash_marks_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ / "marks";
  }
  ~CrashMarksTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<CrashMarks> Open() {
    auto marks = CrashMarks::Open(file_);
    EXPECT_TRUE(marks.ok()) << marks.status();
    return *std::move(marks);
  }
  // A process that opens the file, marks `delivery` and as many after it, and dies by `signal`.
  void DieMarked(int64_t delivery, int signal, int64_t count = 1) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      auto marks = CrashMarks::Open(file_);
      if (!marks.ok()) ::_exit(1);
      std::vector<std::unique_ptr<CrashMarks::Computing>> computing;
      for (int64_t i = 0; i < count; ++i) {
        computing.push_back(std::make_unique<CrashMarks::Computing>(**marks, delivery + i));
      }
      ::signal(signal, SIG_DFL);
      ::kill(::getpid(), signal);
      ::_exit(2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(CrashMarksTest, AMarkStaysUntilAllWorkOnTheDeliveryIsOver) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    auto marks = CrashMarks::Open(file_);
    if (!marks.ok()) ::_exit(1);
    const CrashMarks::Computing outer(**marks, 7);
    { const CrashMarks::Computing inner(**marks, 7); }
    (*marks)->Forget(7);
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(Open()->CrashCount(7), 1);
}

TEST_F(CrashMarksTest, MarkOutlivesTheProcessHoweverItEnds) {
  DieMarked(7, SIGKILL);
  EXPECT_EQ(Open()->CrashCount(7), 1);
  DieMarked(7, SIGABRT);
  EXPECT_EQ(Open()->CrashCount(7), 2);
  EXPECT_TRUE(Open()->PoisonMessages().empty());
  DieMarked(7, SIGKILL);
  EXPECT_EQ(Open()->PoisonMessages(), std::vector<int64_t>{7});
}

TEST_F(CrashMarksTest, LiftedMarkAccusesNobody) {
  {
    auto marks = Open();
    const CrashMarks::Computing computing(*marks, 7);
  }
  EXPECT_EQ(Open()->CrashCount(7), 0);
}

TEST_F(CrashMarksTest, DeathsAreKeptWhileTheWorkGoesOnAndForgottenAtItsEnd) {
  DieMarked(7, SIGKILL);
  {
    auto marks = Open();
    { const CrashMarks::Computing computing(*marks, 7); }
    EXPECT_EQ(marks->CrashCount(7), 1) << "surviving one computation proves nothing about the next";
  }
  auto marks = Open();
  EXPECT_EQ(marks->CrashCount(7), 1);
  marks->Forget(7);
  EXPECT_EQ(marks->CrashCount(7), 0);
  EXPECT_EQ(Open()->CrashCount(7), 0);
}

TEST_F(CrashMarksTest, RestartsWithoutAMarkCountForNothing) {
  DieMarked(7, SIGKILL);
  for (int i = 0; i < 10; ++i) Open();
  EXPECT_EQ(Open()->CrashCount(7), 1);
}

TEST_F(CrashMarksTest, SuspectComputesAlone) {
  DieMarked(7, SIGKILL);
  auto marks = Open();
  std::atomic<bool> innocent_marked{false};
  std::thread innocent;
  {
    const CrashMarks::Computing suspect(*marks, 7);
    innocent = std::thread([&] {
      const CrashMarks::Computing computing(*marks, 8);
      innocent_marked = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(innocent_marked) << "a death now would accuse the innocent one, too";
  }
  innocent.join();
  EXPECT_TRUE(innocent_marked);
}

TEST_F(CrashMarksTest, InnocentsComputeBesideEachOther) {
  auto marks = Open();
  const CrashMarks::Computing one(*marks, 1);
  std::thread([&] { const CrashMarks::Computing two(*marks, 2); }).join();
}

TEST_F(CrashMarksTest, FileOfAnotherSizeOrContentIsReplaced) {
  std::ofstream(file_) << "not a file of marks";
  EXPECT_TRUE(Open()->PoisonMessages().empty());
  std::filesystem::resize_file(file_, 100);
  EXPECT_EQ(Open()->CrashCount(0), 0);
}

TEST_F(CrashMarksTest, FullTableRunsWithoutMarks) {
  // What died once keeps its place. A few at a time: ThreadSanitizer counts the locks that one thread holds.
  constexpr int64_t kAtOnce = 32;
  for (int64_t first = 1; first <= static_cast<int64_t>(CrashMarks::kEntries); first += kAtOnce) {
    DieMarked(first, SIGKILL, kAtOnce);
  }
  constexpr int64_t kOneTooMany = CrashMarks::kEntries + 1;
  ASSERT_EQ(Open()->CrashCount(kOneTooMany - 1), 1);
  DieMarked(kOneTooMany, SIGKILL);
  auto marks = Open();
  EXPECT_EQ(marks->CrashCount(kOneTooMany), 0);
  EXPECT_TRUE(marks->PoisonMessages().empty());
  // A place that is given back is used again.
  marks->Forget(1);
  marks.reset();
  DieMarked(kOneTooMany, SIGKILL);
  EXPECT_EQ(Open()->CrashCount(kOneTooMany), 1);
}

TEST_F(CrashMarksTest, FolderThatIsNotThereIsAnError) {
  const auto marks = CrashMarks::Open(folder_ / "missing" / "marks");
  ASSERT_FALSE(marks.ok());
  EXPECT_NE(marks.status().message().find("missing"), std::string::npos);
}

}  // namespace
}  // namespace yardmaster
