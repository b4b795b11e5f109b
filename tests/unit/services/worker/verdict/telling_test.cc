#include "services/worker/verdict/telling.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "services/worker/verdict/priorities.h"
#include "tests/unit/services/worker/verdict/step_case.h"

namespace yardmaster::worker {
namespace {

// With the words of the pack.
Telling Of(std::string_view line) { return TellingOf(line, CommonSignatures().Match(line, "test")); }

void Expect(Telling telling, const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines) EXPECT_EQ(static_cast<int>(Of(line)), static_cast<int>(telling)) << line;
}

TEST(TellingTest, WhatIsOnlyShownOrWarnedOfIsAside) {
  Expect(Telling::kNothing, {"", "   ^~~~~", "--------"});
  Expect(
      Telling::kAside,
      {"Traceback (most recent call last):", "  File \"/w/a.py\", line 3, in f", "#3 0x7f in f () from /lib/x.so",
       "=========================== FAILURES ===========================", "______________ test_split ______________",
       "   64 |         this->Attr(1);", "a.cc:3:4: warning: unused", "a.cc:3:4: note: declared here",
       "/w/a.py:3: UserWarning: slow", "[W503 01:52:07.597 socket.cpp:204] [c10d] no name", "WARNING: Retrying in 3 s",
       "2026-01-31 04:40:19,123 - trainer - WARNING - no fast path",
       "a.cpp: In constructor 'A::A()':", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
       "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace."});
}

TEST(TellingTest, ThatSomethingFailedIsAnEcho) {
  Expect(Telling::kEcho,
         {"make[2]: *** [all] Error 2", "gmake: *** [Makefile:286: all] Error 2",
          "ninja: build stopped: subcommand failed.", "FAILED (failures=1, skipped=40)",
          "========= 1 failed, 3 passed in 2.10s ==========", " 1 FAILED TEST", "error: subprocess-exited-with-error",
          "  error: command '/usr/bin/gcc' failed with exit code 1", "ERROR: Failed building wheel for plan",
          "srun: error: node-3: task 1: Exited with exit code 1", "##[error]Process completed with exit code 1.",
          "ERROR: Job failed: exit code 1", "  exitcode  : 1 (pid: 93)", "The following tests FAILED:"});
}

TEST(TellingTest, WhichTestFailedIsNotWhy) {
  Expect(Telling::kTest,
         {"[gw0] [ 50%] FAILED tests/test_mesh.py::test_slices", "FAIL: test_split (tests.test_plan.PlanTest)",
          "[  FAILED  ] Plan.Splits (1 ms)", "\t 27 - unit_plan (SEGFAULT)", "--- FAIL: TestSplit (0.00s)",
          "test plan::tests::splits ... FAILED"});
}

TEST(TellingTest, VictimsAndWrappersStandBehindErrors) {
  Expect(Telling::kVictim, {"RuntimeError: [pair.cc:547] Connection closed by peer [127.0.0.1]:5"});
  Expect(Telling::kWrapper, {"RuntimeError: Worker 3 died unexpectedly",
                             "E0503 01:52:10.1 71 x/api.py:869] failed (exitcode: 1) local_rank: 1",
                             "BrokenProcessPool: a process is gone"});
  Expect(Telling::kNumber, {"RuntimeError: NPUStream.cpp:363 NPU error, error code is 161002"});
  Expect(Telling::kFollowUp, {"SystemExit: 1", "EOFError", "EOFError: Ran out of input", "KeyboardInterrupt",
                              "concurrent.futures._base.CancelledError", "Fatal Python error: Aborted"});
}

TEST(TellingTest, WhatCannotBeDoneIsAComplaint) {
  Expect(Telling::kComplaint,
         {"Could not override 'model.depth'.", "tool: can't open file 'x'",
          "cp: cannot stat 'x': No such file or directory", "Killed", "#   Failed test 'splits'", "用例执行失败"});
}

TEST(TellingTest, AWordOfFailureIsAHintWhereverItStands) {
  Expect(Telling::kHint, {"CONFLICT (content): Merge conflict in src/plan.cc",
                          "run.sh: line 12: syntax error near unexpected token `fi'", "plan 7 was not found"});
  Expect(Telling::kPlain, {"0 failed, 3 done", "no conflict in src/plan.cc", "failed: 0"});
}

TEST(TellingTest, ErrorsCallThemselvesSo) {
  Expect(
      Telling::kError,
      {"ERROR: no matching layer", "kernel.pto:45:23: error: 'pto.alloc_tile' op", "[ERROR] compare failed at 3",
       "Error: no such device", "error: pathspec 'x'", "fatal: not a git repository", "  'out' FAIL  shape=(16, 5120)",
       "TEST FAILED: 'out' differs", "FAILED a.py::test_b - ValueError", "2026-01-31 04:40:19 - ERROR - no rank",
       "Error in user code", "E0116 07:02:59.408227 17 x.cpp:909] connect(): refused",
       "[E503 01:52:07 socket.cpp:204] [c10d] no way", "time=\"04:40\" level=fatal msg=\"no owner\"",
       "worker 3 raised ValueError: 3", "F401 [*] `os` imported but unused", "Fortran runtime error: no such index",
       "docker: Error response from x"});
  Expect(Telling::kPlain, {"0 errors", "no error", "error rate 0.1", "Errors: 0", "failed=0 errors=0",
                           "checking for strerror", "test_error PASSED"});
}

TEST(TellingTest, ExceptionsAndChecksTellMost) {
  Expect(Telling::kCause,
         {"ValueError: 3", "[rank1]: pkg.mod.PlanError: no owner", "E       assert 3 == 4", "E   AssertionError",
          "/w/plan_test.cc:41: Failure", "  what():  no owner", "AssertionError [ERR_ASSERTION]: 3 == 4",
          "    expect(received).toBe(expected)", "plans: Test Failed at /w/t.jl:12",
          "  3:5  error  'owner' is never used", "lua: plan.lua:3: attempt to index a nil value",
          "torch/a.py:3:8: F401 `os` imported but unused", "a: a.cc:12: int f(): Assertion `n > 0' failed."});
  // What pytest says of parts of an assertion comes after it.
  Expect(Telling::kPlain, {"E        +  where 3 = len([1, 2, 3])"});
}

TEST(TellingTest, AnExceptionThatIsOnlyLoggedEndsNothing) {
  Expect(Telling::kAside, {"WARNING 05-20 05:30:09 [core.py:489] ValueError: 3",
                           "2026-01-31 04:40:19,123 - trainer - WARNING - ValueError: 3"});
  // A program may pass on as its own information what another one says.
  Expect(Telling::kCause, {"2026-01-31 04:40:19,123 - trainer - INFO - ValueError: 3"});
  // A warning that a program treats as an error does.
  rules::FailureSignature exception;
  exception.id = "exception";
  exception.priority = kException;
  EXPECT_EQ(TellingOf("DeprecationWarning: plan is old", {&exception}), Telling::kCause);
}

TEST(TellingTest, WhatASignatureOfItsOwnKnowsIsAnError) {
  rules::FailureSignature known;
  known.id = "own";
  known.priority = kFirstHostFault;
  EXPECT_EQ(TellingOf("the plan is full", {&known}), Telling::kError);
  EXPECT_EQ(TellingOf("the plan is full, trying again", {&known}), Telling::kAside);
}

}  // namespace
}  // namespace yardmaster::worker
