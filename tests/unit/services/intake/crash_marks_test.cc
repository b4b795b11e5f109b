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
#include <thread>

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
  // A process that opens the file, marks `delivery` and dies by `signal`.
  void DieMarked(int64_t delivery, int signal) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      auto marks = CrashMarks::Open(file_);
      if (!marks.ok()) ::_exit(1);
      const CrashMarks::Computing computing(**marks, delivery);
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

TEST_F(CrashMarksTest, MarkOutlivesTheProcessHoweverItEnds) {
  DieMarked(7, SIGKILL);
  EXPECT_EQ(Open()->Deaths(7), 1);
  DieMarked(7, SIGABRT);
  EXPECT_EQ(Open()->Deaths(7), 2);
  EXPECT_TRUE(Open()->Condemned().empty());
  DieMarked(7, SIGKILL);
  EXPECT_EQ(Open()->Condemned(), std::vector<int64_t>{7});
}

TEST_F(CrashMarksTest, LiftedMarkAccusesNobody) {
  {
    auto marks = Open();
    const CrashMarks::Computing computing(*marks, 7);
  }
  EXPECT_EQ(Open()->Deaths(7), 0);
}

TEST_F(CrashMarksTest, DeathsAreKeptWhileTheWorkGoesOnAndForgottenAtItsEnd) {
  DieMarked(7, SIGKILL);
  {
    auto marks = Open();
    { const CrashMarks::Computing computing(*marks, 7); }
    EXPECT_EQ(marks->Deaths(7), 1) << "surviving one computation proves nothing about the next";
  }
  auto marks = Open();
  EXPECT_EQ(marks->Deaths(7), 1);
  marks->Forget(7);
  EXPECT_EQ(marks->Deaths(7), 0);
  EXPECT_EQ(Open()->Deaths(7), 0);
}

TEST_F(CrashMarksTest, RestartsWithoutAMarkCountForNothing) {
  DieMarked(7, SIGKILL);
  for (int i = 0; i < 10; ++i) Open();
  EXPECT_EQ(Open()->Deaths(7), 1);
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
  EXPECT_TRUE(Open()->Condemned().empty());
  std::filesystem::resize_file(file_, 100);
  EXPECT_EQ(Open()->Deaths(0), 0);
}

TEST_F(CrashMarksTest, FullTableRunsWithoutMarks) {
  auto marks = Open();
  std::vector<std::unique_ptr<CrashMarks::Computing>> all;
  for (size_t i = 1; i <= CrashMarks::kEntries + 5; ++i) {
    all.push_back(std::make_unique<CrashMarks::Computing>(*marks, static_cast<int64_t>(i)));
  }
  all.clear();
  EXPECT_TRUE(Open()->Condemned().empty());
}

TEST_F(CrashMarksTest, FolderThatIsNotThereIsAnError) {
  const auto marks = CrashMarks::Open(folder_ / "missing" / "marks");
  ASSERT_FALSE(marks.ok());
  EXPECT_NE(marks.status().message().find("missing"), std::string::npos);
}

}  // namespace
}  // namespace yardmaster
