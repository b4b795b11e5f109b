#include "services/worker/verdict/line_kinds.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::worker {
namespace {

TEST(LineKinds, ATestEndsWhereItsOutcomeStands) {
  for (const std::string_view line :
       {"tests/a_test.py::test_b PASSED", "a.py::T::test_b[x-1] PASSED [ 12%]", "PASSED", ".PASSED [1.2s] [ 66%]",
        "[gw0] [ 12%] PASSED a.py::test_b", "[       OK ] Suite.Test (3 ms)", "test_b (m.T.test_b) ... ok"}) {
    EXPECT_EQ(TestEndOf(line), TestEnd::kPassed) << line;
  }
  for (const std::string_view line :
       {"a.py::test_b FAILED", "FAILED a.py::test_b - ValueError: 3", "[gw0] [ 12%] ERROR a.py::test_b",
        "a.py::test_b SKIPPED [ 12%]", "ERROR [ 3/12]", "[  FAILED  ] Suite.Test (3 ms)", "test_b (m.T) ... FAIL",
        " 2/3 Test  #2: unit_a .....................***Exception: SegFault  0.41 sec",
        "=========================== FAILURES ==========================="}) {
    EXPECT_EQ(TestEndOf(line), TestEnd::kOther) << line;
  }
}

TEST(LineKinds, AWordOfAnOutcomeIsNoEndOfATest) {
  for (const std::string_view line :
       {"PASSED a.py::test_b", "all checks PASSED so far", "[  PASSED  ] 3 tests.", "checking whether it works ... ok",
        "ERROR: no space", "ERROR [core.cc:3] no device", "ERROR std::bad_alloc", "a.py::test_b ",
        "1/3 Test  #1: unit_a .....................   Passed    0.20 sec", "*** stack smashing detected ***",
        "[ RUN      ] Suite.Test", ""}) {
    EXPECT_EQ(TestEndOf(line), TestEnd::kNone) << line;
  }
}

TEST(LineKinds, AnotherAttemptIsARetry) {
  EXPECT_TRUE(SaysRetry("WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'X'"));
  EXPECT_TRUE(SaysRetry("Download failed, will retry in 5 s"));
  EXPECT_FALSE(SaysRetry("Max retries exceeded with url: /simple/torch/"));
  EXPECT_FALSE(SaysRetry("ValueError: 3"));
}

TEST(LineKinds, AProgramMayGoOnWithoutWhatFailed) {
  for (const std::string_view line : {"Falling back to eager attention", "no fast path, continuing without it",
                                      "using gloo instead", "the error is ignored", "will retry in 3 s"}) {
    EXPECT_TRUE(SaysItGoesOn(line)) << line;
  }
  for (const std::string_view line : {"expected 3, got 4 instead of 5", "step 3 continues", "ValueError: 3"}) {
    EXPECT_FALSE(SaysItGoesOn(line)) << line;
  }
}

TEST(LineKinds, WhatPytestComparedIsShownByItsMarks) {
  for (const std::string_view line : {"  - Segmentation fault (core dumped)", "+ killed", "        ?  ^^^^"}) {
    EXPECT_TRUE(ShowsDifference(line)) << line;
  }
  // It explains the assertion.
  for (const std::string_view line :
       {"  +  where 1 = run().returncode", "  +    and   2 = two()", "-- Found MPI", "killed"}) {
    EXPECT_FALSE(ShowsDifference(line)) << line;
  }
}

TEST(LineKinds, ALoggersLevelStandsAtTheStartOrBehindTheTime) {
  for (const std::string_view line :
       {"2026-05-01 12:00:00,101 INFO ckpt: plan built", "INFO:run:step 3", "[DEBUG] x"}) {
    EXPECT_EQ(LevelOf(line), LogLevel::kInfo) << line;
  }
  for (const std::string_view line :
       {"2026-05-01 12:00:00,101 ERROR ckpt: no plan", "WARNING:run:slow", "[CRITICAL] x"}) {
    EXPECT_EQ(LevelOf(line), LogLevel::kFailure) << line;
  }
  for (const std::string_view line : {"Traceback (most recent call last):", "ERRORS", "the INFO line", ""}) {
    EXPECT_EQ(LevelOf(line), LogLevel::kNone) << line;
  }
}

TEST(LineKinds, ANumberOfAnErrorSaysNotWhatItMeans) {
  EXPECT_TRUE(NamesOnlyCode("RuntimeError: NPUStream.cpp:363 NPU error, error code is 107020"));
  EXPECT_TRUE(NamesOnlyCode("rtSetDevice failed, retCode=507033."));
  EXPECT_FALSE(NamesOnlyCode("error code is 107020: the task of another rank ran out of time"));
  EXPECT_FALSE(NamesOnlyCode("RuntimeError: expected 4 ranks, found 2"));
}

TEST(LineKinds, WordsAreOfLettersDigitsOrChinese) {
  EXPECT_TRUE(SaysAnything("  3"));
  EXPECT_TRUE(SaysAnything("失败"));
  EXPECT_FALSE(SaysAnything("  ^~~~ ──╰─> "));
}

TEST(LineKinds, WhatAnAssertionQuotesIsData) {
  std::string buffer;
  EXPECT_EQ(WithoutQuotedData("E   assert 'ready' in 'Killed'", buffer), "E   assert '' in ''");
  EXPECT_EQ(WithoutQuotedData(R"(AssertionError: "a \"b\"" does not match "c")", buffer),
            "AssertionError: '' does not match ''");
  for (const std::string_view line : {"AssertionError: rank 'a' lost 'b'", "print('assert x')", "ValueError: 'a'"}) {
    EXPECT_EQ(WithoutQuotedData(line, buffer), line);
  }
}

TEST(LineKinds, WhatATestPrintsBehindItsNameIsALineOfItsOwn) {
  EXPECT_EQ(BehindTestName("tests/a.py::test_b Fatal Python error: Aborted"), "Fatal Python error: Aborted");
  EXPECT_EQ(BehindTestName("a.py::PlanTest::test_b[2-x y] LLVM ERROR: no"), "LLVM ERROR: no");
  EXPECT_EQ(BehindTestName("test_b (tests.a.PlanTest) ... Process 3:"), "Process 3:");
  for (const std::string_view whole :
       {"tests/a.py::test_b PASSED [ 12%]", "tests/a.py::test_b FAILED", "tests/a.py::test_b ", "tests/a.py::test_b",
        "test_b (tests.a.PlanTest) ... ok", "test_b (tests.a.PlanTest) ... FAIL", "plan 3 ... and so on",
        "FAILED tests/a.py::test_b - ValueError: 3", "tests/a.py::test_b[a[0] b] PASSED"}) {
    EXPECT_EQ(BehindTestName(whole), whole);
  }
}

}  // namespace
}  // namespace yardmaster::worker
