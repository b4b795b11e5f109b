// The fake of tests keeps what process.h promises.
#include "tests/support/fake_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace yardmaster::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using worker::Process;
using worker::ProcessExit;
using worker::ProcessSpec;
using worker::Stream;

TEST(FakeProcess, SaysAndEndsAsItIsTold) {
  FakeRun run;
  run.output = {{Stream::kStdout, "out"}, {Stream::kStderr, "err"}};
  run.code = 3;
  run.oom_kills = 2;
  FakeProcessStarter starter(run);
  std::string reason;
  const auto memory = starter.MakeMemoryGroup("step", 1024, reason);
  std::string heard;
  ProcessSpec spec;
  spec.argv = {"program"};
  spec.output = [&](Stream, std::string_view text) { heard += text; };
  const auto process = starter.Start(spec, memory.get());
  ASSERT_TRUE(process.ok());
  const std::optional<ProcessExit> exit = (*process)->WaitUntil(steady_clock::now() + milliseconds(60'000));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 3);
  EXPECT_EQ(heard, "outerr");
  EXPECT_EQ(memory->oom_kills(), 2);
  EXPECT_EQ(starter.started()[0].argv[0], "program");
  EXPECT_EQ(starter.groups()[0].second, 1024u);
}

TEST(FakeProcess, HangsUntilItIsStopped) {
  FakeRun run;
  run.hangs = true;
  FakeProcessStarter starter(run);
  const auto process = starter.Start(ProcessSpec{}, nullptr);
  ASSERT_TRUE(process.ok());
  EXPECT_FALSE((*process)->WaitUntil(steady_clock::now()).has_value());
  (*process)->Stop(milliseconds(10));
  EXPECT_EQ((*process)->WaitUntil(steady_clock::now())->signal, SIGTERM);
}

TEST(FakeProcess, RefusesToStart) {
  FakeRun run;
  run.refused = absl::NotFoundError("there is no program 'x'");
  FakeProcessStarter starter(run);
  EXPECT_EQ(starter.Start(ProcessSpec{}, nullptr).status(), run.refused);
  std::string reason;
  starter.RefuseMemoryGroups("not here");
  EXPECT_EQ(starter.MakeMemoryGroup("step", 1, reason), nullptr);
  EXPECT_EQ(reason, "not here");
}

}  // namespace
}  // namespace yardmaster::testing
