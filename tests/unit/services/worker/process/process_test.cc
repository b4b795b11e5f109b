#include "services/worker/process/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "services/worker/process/process_starter.h"
#include "services/worker/process/process_table.h"
#include "services/worker/process/system_process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What came out of a process.
struct Output {
  std::mutex mutex;
  std::string out;
  std::string err;

  std::function<void(Stream, std::string_view)> Sink() {
    return [this](Stream stream, std::string_view text) {
      std::lock_guard<std::mutex> lock(mutex);
      (stream == Stream::kStdout ? out : err) += text;
    };
  }
  std::string Out() {
    std::lock_guard<std::mutex> lock(mutex);
    return out;
  }
  // Waits until `text` has come.
  bool WaitFor(std::string_view text) {
    for (int i = 0; i < 5'000; ++i) {
      if (Out().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(milliseconds(2));
    }
    return false;
  }
};

class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() : starter_(MakeProcessStarter()) {}

  ProcessSpec Shell(const std::string& script) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.directory = folder_.path();
    spec.output = output_.Sink();
    return spec;
  }
  std::unique_ptr<Process> Start(const ProcessSpec& spec, MemoryGroup* memory = nullptr) {
    absl::StatusOr<std::unique_ptr<Process>> process = starter_->Start(spec, memory);
    EXPECT_TRUE(process.ok()) << process.status();
    return process.ok() ? std::move(*process) : nullptr;
  }
  // Runs a script to its end.
  ProcessExit Run(const std::string& script) {
    const std::unique_ptr<Process> process = Start(Shell(script));
    const std::optional<ProcessExit> exit = process->WaitUntil(steady_clock::now() + seconds(60));
    EXPECT_TRUE(exit.has_value());
    strays_ = process->strays();
    return exit.value_or(ProcessExit{});
  }
  absl::Status Refusal(const ProcessSpec& spec) {
    const absl::StatusOr<std::unique_ptr<Process>> process = starter_->Start(spec, nullptr);
    return process.ok() ? absl::OkStatus() : process.status();
  }

  yardmaster::testing::TempDir folder_;
  Output output_;
  std::unique_ptr<ProcessStarter> starter_;
  int strays_ = 0;
};

bool IsGone(pid_t pid) {
  const std::optional<ProcessEntry> entry = ReadProcess(pid);
  return !entry.has_value();
}

std::set<pid_t> OwnChildren() {
  std::set<pid_t> children;
  for (const ProcessEntry& entry : ReadProcesses(0)) {
    if (entry.parent == ::getpid()) children.insert(entry.pid);
  }
  return children;
}

size_t OpenDescriptors() {
  size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

TEST_F(ProcessTest, ExitCodeAndOutputOfBothStreamsComeThrough) {
  const ProcessExit exit = Run("echo one; echo two >&2; exit 3");
  EXPECT_EQ(exit.code, 3);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_EQ(output_.out, "one\n");
  EXPECT_EQ(output_.err, "two\n");
  EXPECT_GT(exit.peak_rss_kb, 0u);
  EXPECT_EQ(strays_, 0);
}

TEST_F(ProcessTest, EverythingOfALargeOutputArrives) {
  Run("head -c 20000000 /dev/zero; printf end");
  EXPECT_EQ(output_.out.size(), 20'000'003u);
  EXPECT_EQ(output_.out.substr(20'000'000), "end");
}

TEST_F(ProcessTest, ASignalIsTheExitCodeFrom128On) {
  const ProcessExit exit = Run("kill -SEGV $$");
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_EQ(exit.code, 128 + SIGSEGV);
}

TEST_F(ProcessTest, NoCoreFileIsLeft) { EXPECT_EQ((Run("ulimit -c"), output_.out), "0\n"); }

TEST_F(ProcessTest, NothingOfTheEnvironmentIsInheritedButTheMark) {
  ::setenv("YARD_TEST_OF_INHERITING", "yes", 1);
  ProcessSpec spec = Shell("");
  spec.argv = {"env"};
  spec.environment = {"PATH=/usr/bin:/bin", "ONE=1"};
  const std::unique_ptr<Process> process = Start(spec);
  ASSERT_TRUE(process->WaitUntil(steady_clock::now() + seconds(60)).has_value());
  EXPECT_THAT(output_.out, StartsWith("PATH=/usr/bin:/bin\nONE=1\nYARD_PROCESS_MARK="));
  EXPECT_EQ(std::count(output_.out.begin(), output_.out.end(), '\n'), 3);
}

TEST_F(ProcessTest, StandardInputIsEmptyAndNoOtherDescriptorIsOpen) {
  // Open on purpose, and not closed on execution.
  const int fd = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(::fcntl(fd, F_DUPFD, 50), 50);
  Run("cat; ls /proc/self/fd | tr '\\n' ' '");
  // 3 is the folder that ls reads.
  EXPECT_EQ(output_.out, "0 1 2 3 ");
  ::close(50);
  ::close(fd);
}

TEST_F(ProcessTest, SignalsThatWeBlockOrIgnoreAreAsUsualInTheChild) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  Run("grep -E 'SigBlk|SigIgn' /proc/self/status");
  ::signal(SIGPIPE, handler);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(output_.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(ProcessTest, ItLeadsASessionOfItsOwn) {
  const std::unique_ptr<Process> process = Start(Shell("cut -d' ' -f5,6 /proc/$$/stat"));
  ASSERT_TRUE(process->WaitUntil(steady_clock::now() + seconds(60)).has_value());
  EXPECT_EQ(output_.out, std::to_string(process->pid()) + " " + std::to_string(process->pid()) + "\n");
}

TEST_F(ProcessTest, TheKernelWouldRatherKillItThanUs) {
  Run("cat /proc/self/oom_score_adj");
  EXPECT_GE(std::stoi(output_.out), ReadOomScore(::getpid()).value());
  EXPECT_GE(std::stoi(output_.out), 500);
}

TEST_F(ProcessTest, AProgramThatIsNowhereIsNamedWithThePath) {
  ProcessSpec spec = Shell("");
  spec.argv = {"no-such-program"};
  spec.environment = {"PATH=/usr/bin:/nowhere"};
  const absl::Status status = Refusal(spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "there is no program 'no-such-program' in PATH (/usr/bin:/nowhere)");

  spec.argv = {"./no-such-program"};
  EXPECT_EQ(Refusal(spec).message(), "there is no program './no-such-program'");
  spec.argv = {"ls"};
  spec.environment = {};
  EXPECT_EQ(Refusal(spec).message(), "there is no program 'ls': the environment has no PATH");
}

TEST_F(ProcessTest, AMissingInterpreterIsNamed) {
  const std::filesystem::path script = folder_.Write("script", "#!/opt/none/python3 -u\nprint(1)\n");
  ::chmod(script.c_str(), 0755);
  ProcessSpec spec = Shell("");
  spec.argv = {"./script"};
  const absl::Status status = Refusal(spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "'./script' can't be started: its interpreter '/opt/none/python3' does not exist");
}

TEST_F(ProcessTest, WhatCantBeExecutedSaysWhy) {
  folder_.Write("plain", "echo hello\n");
  ProcessSpec spec = Shell("");
  spec.argv = {"./plain"};
  EXPECT_EQ(Refusal(spec).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Refusal(spec).message(), "'./plain' can't be executed: Permission denied");

  ::chmod((folder_.path() / "plain").c_str(), 0755);
  EXPECT_EQ(Refusal(spec).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Refusal(spec).message()), HasSubstr("neither a binary nor has a #! line"));

  spec.argv = {"/tmp"};
  EXPECT_EQ(Refusal(spec).message(), "'/tmp' can't be executed: it is a folder");
}

TEST_F(ProcessTest, AMissingFolderIsNamed) {
  ProcessSpec spec = Shell("true");
  spec.directory = folder_.path() / "missing";
  const absl::Status status = Refusal(spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("missing': No such file or directory"));
}

TEST_F(ProcessTest, ARefusedStartLeavesNoChildAndNoDescriptor) {
  const std::set<pid_t> children = OwnChildren();
  const size_t descriptors = OpenDescriptors();
  ProcessSpec spec = Shell("");
  spec.argv = {"no-such-program"};
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(Refusal(spec).ok());
  EXPECT_EQ(OwnChildren(), children);
  EXPECT_EQ(OpenDescriptors(), descriptors);
}

TEST_F(ProcessTest, WithoutAProgramNothingStarts) {
  EXPECT_EQ(Refusal(ProcessSpec{}).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ProcessTest, ADeadlineThatPassesLeavesItRunning) {
  const std::unique_ptr<Process> process = Start(Shell("sleep 1000"));
  EXPECT_FALSE(process->WaitUntil(steady_clock::now() + milliseconds(20)).has_value());
  EXPECT_FALSE(IsGone(process->pid()));
  process->Stop(milliseconds(0));
  EXPECT_TRUE(IsGone(process->pid()));
  EXPECT_EQ(process->WaitUntil(steady_clock::now())->signal, SIGKILL);
}

TEST_F(ProcessTest, StopAsksFirstAndTheProgramMayTidyUp) {
  const std::unique_ptr<Process> process =
      Start(Shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(output_.WaitFor("ready"));
  process->Stop(seconds(60));
  const std::optional<ProcessExit> exit = process->WaitUntil(steady_clock::now());
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 7);
  EXPECT_EQ(output_.out, "ready\nbye\n");
}

TEST_F(ProcessTest, WhoIgnoresTheRequestIsKilledAfterTheGrace) {
  const std::unique_ptr<Process> process = Start(Shell("trap '' TERM; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(output_.WaitFor("ready"));
  process->Stop(milliseconds(100));
  EXPECT_EQ(process->WaitUntil(steady_clock::now())->signal, SIGKILL);
}

TEST_F(ProcessTest, AStoppedProcessHearsTheRequest) {
  const std::unique_ptr<Process> process = Start(Shell("trap 'exit 7' TERM; echo ready; kill -STOP $$; sleep 1000"));
  ASSERT_TRUE(output_.WaitFor("ready"));
  process->Stop(seconds(60));
  EXPECT_EQ(process->WaitUntil(steady_clock::now())->code, 7);
}

TEST_F(ProcessTest, TheOutputMayAskForTheStop) {
  ProcessSpec spec = Shell("echo enough; sleep 1000");
  std::atomic<Process*> stopped{nullptr};
  spec.output = [&](Stream, std::string_view) {
    while (stopped == nullptr) std::this_thread::yield();
    stopped.load()->Stop(milliseconds(0));
  };
  const std::unique_ptr<Process> process = Start(spec);
  stopped = process.get();
  const std::optional<ProcessExit> exit = process->WaitUntil(steady_clock::now() + seconds(60));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->signal, SIGKILL);
}

// Each writes the number of the process that tries to get away.
struct Escape {
  const char* name;
  const char* script;
};
class EscapeTest : public ProcessTest, public ::testing::WithParamInterface<Escape> {
 protected:
  // The number that the script wrote.
  pid_t Escaped() {
    EXPECT_TRUE(output_.WaitFor("escaped\n"));
    const std::string number = yardmaster::testing::ReadWholeFile(folder_.path() / "pid");
    return number.empty() ? 0 : std::stoi(number);
  }
};

TEST_P(EscapeTest, IsEndedByStop) {
  const std::unique_ptr<Process> process = Start(Shell(std::string(GetParam().script) + " echo escaped; sleep 1000"));
  const pid_t escaped = Escaped();
  ASSERT_GT(escaped, 0);
  process->Stop(milliseconds(50));
  EXPECT_TRUE(IsGone(escaped));
  EXPECT_TRUE(IsGone(process->pid()));
}

TEST_P(EscapeTest, IsCountedAndKilledWhenItOutlivesTheProcess) {
  const std::unique_ptr<Process> process = Start(Shell(std::string(GetParam().script) + " echo escaped; exit 5"));
  const pid_t escaped = Escaped();
  ASSERT_GT(escaped, 0);
  const std::optional<ProcessExit> exit = process->WaitUntil(steady_clock::now() + seconds(60));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 5);
  EXPECT_EQ(process->strays(), 1);
  EXPECT_TRUE(IsGone(escaped));
}

// Who escapes writes the file itself, so that it has escaped when the script goes on.
INSTANTIATE_TEST_SUITE_P(
    Ways, EscapeTest,
    ::testing::Values(Escape{"Child", "sleep 1000 & echo $! >pid;"},
                      Escape{"WithoutTheOutput", "sleep 1000 >/dev/null 2>&1 & echo $! >pid;"},
                      Escape{"DoubleFork", "(sleep 1000 & echo $! >pid) ;"},
                      Escape{"OwnSession",
                             "(setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &);"
                             "while [ ! -s pid ]; do sleep 0.01; done;"},
                      Escape{
                          "OwnSessionAndEmptyEnvironment",
                          "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ >pid; exec /bin/sleep 1000' >/dev/null 2>&1 &);"
                          "while [ ! -s pid ]; do sleep 0.01; done;"},
                      Escape{"DeafToTerm",
                             "(setsid sh -c 'trap \"\" TERM; echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &);"
                             "while [ ! -s pid ]; do sleep 0.01; done;"}),
    [](const ::testing::TestParamInfo<Escape>& info) { return std::string(info.param.name); });

TEST_F(ProcessTest, WhatEndsByItselfSoonAfterIsNoStray) {
  const ProcessExit exit = Run("(sleep 0.1; echo last words) & exit 0");
  EXPECT_EQ(exit.code, 0);
  EXPECT_EQ(strays_, 0);
  EXPECT_EQ(output_.out, "last words\n");
}

TEST_F(ProcessTest, OutputThatAStrangerHoldsOpenIsNotWaitedForForever) {
  // We open the writing end by way of /proc, so that nobody of the tree holds it when all have ended.
  const std::unique_ptr<Process> process = Start(Shell("echo ready; while [ ! -e go ]; do sleep 0.01; done; exit 4"));
  ASSERT_TRUE(output_.WaitFor("ready"));
  const int held = ::open(("/proc/" + std::to_string(process->pid()) + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(held, 0);
  folder_.Write("go", "");
  const std::optional<ProcessExit> exit = process->WaitUntil(steady_clock::now() + seconds(60));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 4);
  EXPECT_EQ(process->strays(), 0);
  ::close(held);
}

TEST_F(ProcessTest, DaemonsThatEndedAreWaitedFor) {
  const std::set<pid_t> before = OwnChildren();
  // Its parent ends first, so that it becomes our child, and nothing but its OOM score tells where it came from.
  Run("(setsid true &) ; (setsid true &); sleep 0.1");
  EXPECT_EQ(OwnChildren(), before);
}

TEST_F(ProcessTest, ChildrenOfOthersAreLeftAlone) {
  const pid_t own = ::fork();
  if (own == 0) ::_exit(42);
  // It is a zombie when the processes are looked through.
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(own), &info, WEXITED | WNOWAIT), 0);
  Run("(setsid true &); sleep 0.05");
  int status = 0;
  ASSERT_EQ(::waitpid(own, &status, WNOHANG), own);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(ProcessTest, ProcessesOfOneJobDoNotEndThoseOfAnother) {
  Output other_output;
  ProcessSpec spec = Shell("(setsid sh -c 'echo up; exec sleep 1000' &); sleep 1000");
  spec.output = other_output.Sink();
  const std::unique_ptr<Process> other = Start(spec);
  ASSERT_TRUE(other_output.WaitFor("up"));
  Run("true");
  EXPECT_EQ(strays_, 0);
  EXPECT_FALSE(other->WaitUntil(steady_clock::now()).has_value());
  other->Stop(milliseconds(0));
}

TEST_F(ProcessTest, DestroyingEndsTheTree) {
  const pid_t pid = [&] {
    const std::unique_ptr<Process> process = Start(Shell("sleep 1000 & sleep 1000"));
    return process->pid();
  }();
  EXPECT_TRUE(IsGone(pid));
  for (const ProcessEntry& entry : ReadProcesses(0)) EXPECT_NE(entry.session, pid);
}

TEST_F(ProcessTest, FiftyInParallelLeaveNoChildAndNoDescriptor) {
  const std::set<pid_t> children = OwnChildren();
  const size_t descriptors = OpenDescriptors();
  constexpr int kProcesses = 50;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  threads.reserve(kProcesses);
  for (int i = 0; i < kProcesses; ++i) {
    threads.emplace_back([&, i] {
      std::string text;
      // A third ends by itself, a third leaves something behind, a third is stopped.
      ProcessSpec spec = Shell(i % 3 == 0   ? "echo hello; exit 3"
                               : i % 3 == 1 ? "echo hello; (setsid sleep 1000 >/dev/null 2>&1 &) ; exit 3"
                                            : "echo hello; sleep 1000 & sleep 1000");
      spec.output = [&](Stream, std::string_view piece) { text += piece; };
      const absl::StatusOr<std::unique_ptr<Process>> process = starter_->Start(spec, nullptr);
      if (!process.ok()) return;
      if (i % 3 == 2) {
        (*process)->Stop(milliseconds(20));
        const std::optional<ProcessExit> exit = (*process)->WaitUntil(steady_clock::now());
        if (exit.has_value() && exit->signal != 0) ++right;
      } else {
        const std::optional<ProcessExit> exit = (*process)->WaitUntil(steady_clock::now() + seconds(60));
        if (exit.has_value() && exit->code == 3 && text == "hello\n" && (*process)->strays() == i % 3) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kProcesses);
  EXPECT_EQ(OwnChildren(), children);
  EXPECT_EQ(OpenDescriptors(), descriptors);
}

TEST(ProcessMark, IsLongAndNeverTheSame) {
  EXPECT_EQ(MakeProcessMark().size(), 32u);
  EXPECT_NE(MakeProcessMark(), MakeProcessMark());
}

TEST(ProcessMark, StandsBehindTheMarksOfTheJobAroundUs) {
  EXPECT_EQ(WithMark({"A=1", "YARD_PROCESS_MARK=foreign"}, "mine", "outer"),
            (std::vector<std::string>{"A=1", "YARD_PROCESS_MARK=outer:mine"}));
  EXPECT_EQ(WithMark({}, "mine", ""), (std::vector<std::string>{"YARD_PROCESS_MARK=mine"}));
}

}  // namespace
}  // namespace yardmaster::worker
