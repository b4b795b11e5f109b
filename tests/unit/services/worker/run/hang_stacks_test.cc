#include "services/worker/run/hang_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "services/worker/launch/python_hook.h"
#include "services/worker/logs/log.h"
#include "services/worker/run/python_stacks.h"
#include "services/worker/verdict/stand.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(StackLines, OnlyFramesAndThreadsAreKept) {
  EXPECT_THAT(StackLines("[New LWP 12]\nUsing host libthread_db library\nThread 1 (LWP 12):\n#0  0x1 in read ()\n"
                         "#1  0x2 in main ()\nThe program is not being run.\n"),
              ElementsAre("Thread 1 (LWP 12):", "#0  0x1 in read ()", "#1  0x2 in main ()"));
  EXPECT_THAT(
      StackLines("Process 12: python3 a.py\nThread 12 (idle): \"MainThread\"\n    all_reduce (dist/core.py:250)\n"),
      ElementsAre("Thread 12 (idle): \"MainThread\"", "    all_reduce (dist/core.py:250)"));
  EXPECT_THAT(StackLines("ptrace: Operation not permitted.\n"), IsEmpty());
}

TEST(StackLines, OfTooManyThoseOfTheFirstThreadStay) {
  std::string output = "Thread 0x1 (most recent call first):\n";
  for (int i = 0; i < 1000; ++i) output += "  File \"a.py\", line " + std::to_string(i + 1) + " in worker\n";
  output += "Current thread 0x2 (most recent call first):\n  File \"b.py\", line 1 in main\n";
  const std::vector<std::string> lines = StackLines(output);
  EXPECT_LE(lines.size(), 400U);
  EXPECT_EQ(lines.back(), "  File \"b.py\", line 1 in main");
}

TEST(CatchesSignal, ByTheBitOfItsNumber) {
  EXPECT_TRUE(CatchesSignal("Name:\tpython3\nSigCgt:\t0000000000000800\n", 12));
  EXPECT_FALSE(CatchesSignal("Name:\tpython3\nSigCgt:\t0000000000000400\n", 12));
  EXPECT_FALSE(CatchesSignal("SigIgn:\t0000000000000800\n", 12));
}

TEST(SourceLine, OfFilesBelowTheFolderOnly) {
  const yardmaster::testing::TempDir folder;
  const std::filesystem::path secret = folder.Write("secret", "hush\n");
  folder.Write("source/a/b.py", "import time\n  loss.item()  \n");
  const std::filesystem::path source = folder.path() / "source";
  std::filesystem::create_symlink(secret, source / "link.py");
  EXPECT_EQ(SourceLine(source, source / "a/b.py", 2), "loss.item()");
  EXPECT_EQ(SourceLine(source, source / "a/b.py", 3), "");
  EXPECT_EQ(SourceLine(source, source / "a/b.py", 0), "");
  EXPECT_EQ(SourceLine(source, source / "link.py", 1), "");
  EXPECT_EQ(SourceLine(source, secret, 1), "");
  EXPECT_EQ(SourceLine(source, source / "../secret", 1), "");
}

// A program that is told to stand somewhere, as a step would start it.
class HangTest : public ::testing::Test {
 protected:
  HangTest() : processes_(MakeProcessStarter()) {
    for (const char* name : {"python", "stacks", "source"}) std::filesystem::create_directory(dir_.path() / name);
    dir_.Write("python/sitecustomize.py", PythonHook(dir_.path() / "stacks"));
    request_.tools = processes_.get();
    request_.path = "/nonexistent";
    request_.stacks = dir_.path() / "stacks";
    request_.source = dir_.path() / "source";
    request_.ranked = true;
  }

  // Returns once the program has written `ready`.
  void Start(std::vector<std::string> words, int rank, std::vector<std::string> more = {}) {
    ProcessSpec spec;
    spec.argv = std::move(words);
    spec.environment = {"PATH=/usr/bin:/bin", "PYTHONPATH=" + (dir_.path() / "python").native(),
                        "READY=" + Ready().native()};
    spec.environment.insert(spec.environment.end(), more.begin(), more.end());
    spec.directory = request_.source;
    absl::StatusOr<std::unique_ptr<Process>> process = processes_->Start(spec, nullptr);
    ASSERT_TRUE(process.ok()) << process.status();
    request_.leaders.push_back({(*process)->pid(), rank});
    running_.push_back(*std::move(process));
    for (int i = 0; i < 1000 && !std::filesystem::exists(Ready()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(std::filesystem::exists(Ready()));
    std::filesystem::remove(Ready());
  }
  std::filesystem::path Ready() const { return dir_.path() / "ready"; }

  void WriteTool(const std::string& name, const std::string& text) {
    const std::filesystem::path tool = dir_.Write("bin/" + name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    request_.path = tool.parent_path().native();
  }

  yardmaster::testing::TempDir dir_;
  std::unique_ptr<ProcessStarter> processes_;
  HangRequest request_;
  std::vector<std::unique_ptr<Process>> running_;
};

constexpr const char* kProgram =
    "import os, time\nopen(os.environ['READY'], 'w')\ndef load_shard():\n"
    "    time.sleep(60)\nload_shard()\n";

// Ready once the child runs its program: until then it is a copy of the shell.
constexpr const char* kSleepBelowAShell =
    "sleep 60 & until grep -q sleep /proc/$!/comm; do sleep 0.01; done; echo > $READY; wait";

TEST_F(HangTest, PythonSaysByItselfWhereItStands) {
  const std::filesystem::path program = dir_.Write("source/train.py", kProgram);
  // A wrapper around the program and a shell that stays, as launchers have them.
  Start({"bash", "-c", "python3 train.py; true"}, 3);
  const std::vector<HangingProcess> found = LookAtHang(request_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_THAT(found[0].process.name, HasSubstr("python"));
  EXPECT_EQ(found[0].process.state, 'S');
  ASSERT_TRUE(found[0].process.cpu.has_value());
  EXPECT_LT(*found[0].process.cpu, 0.3);
  EXPECT_THAT(found[0].process.stack, Contains(HasSubstr("line 4 in load_shard")));
  EXPECT_THAT(found[0].process.stack, Contains("    | time.sleep(60)"));
  const Stand stand = StandOfProcess(found[0].process);
  EXPECT_EQ(stand.doing, Doing::kElsewhere);
  EXPECT_EQ(stand.place, "train.py:4 in load_shard");
}

TEST_F(HangTest, ForkedProcessesThatShareAFileAreAskedOneAfterTheOther) {
  dir_.Write(
      "source/train.py",
      "import os, time\nchild = os.fork()\ndef parent():\n    open(os.environ['READY'], 'w')\n    time.sleep(60)\n"
      "def worker():\n    time.sleep(60)\n(parent if child else worker)()\n");
  Start({"python3", "train.py"}, 0);
  const std::vector<HangingProcess> found = LookAtHang(request_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].process.stack, Contains(HasSubstr("in parent")));
  EXPECT_THAT(found[0].process.stack, Not(Contains(HasSubstr("in worker"))));
  EXPECT_THAT(found[1].process.stack, Contains(HasSubstr("in worker")));
}

TEST_F(HangTest, WhoHasOtherPlansWithTheSignalIsLeftAlone) {
  dir_.Write("source/train.py",
             "import os, signal, time\nsignal.signal(signal.SIGUSR2, signal.SIG_DFL)\nopen(os.environ['READY'], 'w')\n"
             "time.sleep(60)\n");
  Start({"python3", "train.py"}, 0);
  const std::vector<HangingProcess> found = LookAtHang(request_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].process.stack, IsEmpty());
  EXPECT_FALSE(running_[0]->WaitUntil(std::chrono::steady_clock::now()).has_value());
}

TEST_F(HangTest, AFileThatAStepExchangedForALinkIsNotRead) {
  dir_.Write("secret", "Thread 0x1 (most recent call first):\n");
  // The process holds the secret open itself, lets it grow when it is asked, and a link to it lies where its stacks
  // would be.
  dir_.Write("source/train.py",
             "import faulthandler, os, signal, time\nfile = open('../secret', 'a')\n"
             "faulthandler.register(signal.SIGUSR2, file=file)\nos.symlink('../secret', '../stacks/1.x')\n"
             "open(os.environ['READY'], 'w')\ntime.sleep(60)\n");
  Start({"python3", "-S", "train.py"}, 0);
  const std::vector<HangingProcess> found = LookAtHang(request_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].process.stack, IsEmpty());
}

TEST_F(HangTest, TheFirstToolThatSaysSomethingIsAskedAboutWhatSaysNothingItself) {
  WriteTool("py-spy",
            "[ \"$2\" = --native ] && exit 1\necho \"Process $3: sleep\"\necho \"Thread $3 (idle)\"\n"
            "echo '    main (train.py:7)'\n");
  WriteTool("gdb", "echo never\n");
  Start({"bash", "-c", kSleepBelowAShell}, 2);
  const std::vector<HangingProcess> found = LookAtHang(request_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].process.name, "sleep");
  EXPECT_THAT(found[0].process.stack,
              ElementsAre("Thread " + std::to_string(found[0].process.pid) + " (idle)", "    main (train.py:7)"));
}

TEST_F(HangTest, NativeFramesAreAddedWherePythonDoesNotShowAWait) {
  dir_.Write("source/train.py", kProgram);
  WriteTool("eu-stack", "echo 'TID 12:'\necho '#0  0x00007f5e2a1 PMPI_Barrier'\n");
  Start({"python3", "train.py"}, 0);
  const std::vector<HangingProcess> found = LookAtHang(request_);
  ASSERT_EQ(found.size(), 1U);
  const Stand stand = StandOfProcess(found[0].process);
  EXPECT_EQ(stand.doing, Doing::kWaitsForOthers);
  EXPECT_EQ(stand.operation, "MPI_Barrier");
  EXPECT_EQ(stand.place, "train.py:4 in load_shard");
}

TEST_F(HangTest, DebuggersAreNotStartedOnTheProgramsOfStrangers) {
  WriteTool("eu-stack", "echo 'TID 12:'\necho '#0  0x00007f5e2a1 PMPI_Barrier'\n");
  Start({"bash", "-c", kSleepBelowAShell}, 0);
  request_.debuggers = false;
  EXPECT_THAT(LookAtHang(request_).at(0).process.stack, IsEmpty());
  request_.debuggers = true;
  EXPECT_THAT(LookAtHang(request_).at(0).process.stack, Not(IsEmpty()));
}

TEST_F(HangTest, ARankOfALauncherIsKnownByItsEnvironment) {
  request_.rank_variable = "OMPI_COMM_WORLD_RANK";
  Start({"bash", "-c",
         "(export OMPI_COMM_WORLD_RANK=0; bash -c 'sleep 60 & until grep -q sleep /proc/$!/comm; do sleep 0.01; done; "
         "echo > $READY.0; wait' & "
         "export OMPI_COMM_WORLD_RANK=1; sleep 61 & until [ -e $READY.0 ]; do sleep 0.01; done; echo > $READY; wait)"},
        kNoRank);
  std::vector<std::string> seen;
  for (const HangingProcess& one : LookAtHang(request_)) {
    seen.push_back(std::to_string(one.rank) + " " + one.process.name);
  }
  EXPECT_THAT(seen, ElementsAre("0 sleep", "1 sleep"));
}

}  // namespace
}  // namespace yardmaster::worker
