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

TEST(LineKinds, ASummaryRepeatsExceptions) {
  EXPECT_TRUE(RepeatsException("    RuntimeError: expected scalar type Float but found Half"));
  EXPECT_FALSE(RepeatsException("    raise RuntimeError(f'no {op}')"));
  EXPECT_FALSE(RepeatsException("RuntimeError: "));
}

TEST(LineKinds, ThatACommandFailedSaysLittle) {
  EXPECT_TRUE(SaysLittle("error: subprocess-exited-with-error"));
  EXPECT_TRUE(SaysLittle("  error: command '/usr/bin/gcc' failed with exit code 1"));
  EXPECT_TRUE(SaysLittle("WARNING: Retrying in 3 s"));
  EXPECT_TRUE(SaysLittle("_____________ ERROR collecting tests/test_slow.py _____________"));
  EXPECT_FALSE(SaysLittle("ERROR tests/test_slow.py - Failed: no such mark"));
  EXPECT_FALSE(SaysLittle("error: 'x' was not declared"));
  EXPECT_FALSE(SaysLittle("a.cc:3:4: error: command is not a member of 'x'"));
}

TEST(LineKinds, ANumberOfAnErrorSaysNotWhatItMeans) {
  EXPECT_TRUE(NamesOnlyCode("RuntimeError: NPUStream.cpp:363 NPU error, error code is 107020"));
  EXPECT_TRUE(NamesOnlyCode("rtSetDevice failed, retCode=507033."));
  EXPECT_FALSE(NamesOnlyCode("error code is 107020: the task of another rank ran out of time"));
  EXPECT_FALSE(NamesOnlyCode("RuntimeError: expected 4 ranks, found 2"));
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

TEST(LineKinds, ErrorsCallThemselvesSo) {
  for (const std::string_view line :
       {"ERROR: no matching layer", "[ERROR] compare failed", "Error: no such device", "error: pathspec 'x'",
        "fatal: not a git repository", "  'out' FAIL  shape=(16, 5120)", "TEST FAILED: 'out' differs",
        "kernel.pto:45:23: error: 'pto.alloc_tile' op", "FAILED a.py::test_b - ValueError",
        "2026-01-31 04:40:19 - ERROR - no rank", "E0116 07:02:59.408227 17 x.cpp:909] connect(): refused",
        "make[2]: *** [all] Error 2", "torch/a.py:3:8: F401 `os` imported but unused", "Error in user code",
        "[  FAILED  ] Suite.Test (3 ms)"}) {
    EXPECT_TRUE(CallsItselfError(line)) << line;
  }
  for (const std::string_view line : {"0 errors", "no error", "error rate 0.1", "test_error PASSED", "Errors: 0",
                                      "failed=0 errors=0", "checking for strerror", "-- Looking for errno.h",
                                      "a.cc:3:4: warning: unused", "a.cc:3:4: note: declared here", ""}) {
    EXPECT_FALSE(CallsItselfError(line)) << line;
  }
}

}  // namespace
}  // namespace yardmaster::worker
