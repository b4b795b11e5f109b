#include "services/worker/verdict/tracebacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHeader = "Traceback (most recent call last):";
constexpr std::string_view kFrame = "  File \"a.py\", line 3, in f";

// The lines that say an exception.
std::vector<std::string_view> Exceptions(std::initializer_list<std::string_view> lines) {
  Tracebacks tracebacks;
  std::vector<std::string_view> exceptions;
  for (const std::string_view line : lines) {
    (void)tracebacks.Next(line);
    if (tracebacks.AtException()) exceptions.push_back(line);
  }
  return exceptions;
}

// How the last line goes on from what was said before.
Chain LastChain(std::initializer_list<std::string_view> lines) {
  Tracebacks tracebacks;
  Chain last = Chain::kNone;
  for (const std::string_view line : lines) last = tracebacks.Next(line);
  return last;
}

TEST(Tracebacks, TheFirstLineThatIsNotFurtherInIsTheException) {
  EXPECT_THAT(Exceptions({kHeader, kFrame, "    g()", "torch._dynamo.exc.Unsupported: call of a skipped function"}),
              ElementsAre("torch._dynamo.exc.Unsupported: call of a skipped function"));
  EXPECT_THAT(Exceptions({kHeader, kFrame, "", "queue.Empty"}), ElementsAre("queue.Empty"));
  EXPECT_THAT(Exceptions({"E   Traceback (most recent call last):", "E     File \"a.py\", line 3", "E   Halted: 3"}),
              ElementsAre("E   Halted: 3"));
}

TEST(Tracebacks, OtherLinesAreNoException) {
  EXPECT_THAT(Exceptions({"Unsupported: 3", "Result: FAIL"}), ElementsAre());
  EXPECT_THAT(Exceptions({kHeader, kFrame, "step 3 of 4", "Halted: 3"}), ElementsAre());
  EXPECT_THAT(Exceptions({kHeader, kFrame, "ERROR: 3"}), ElementsAre());
}

TEST(Tracebacks, AnExceptionThatAnnouncesAnotherOneTellsOfAProcess) {
  EXPECT_EQ(LastChain({kHeader, kFrame, "RuntimeError: Process 1 exited with error code 10 and exception:", kHeader}),
            Chain::kOfProcess);
  EXPECT_EQ(LastChain({kHeader, kFrame, "CheckpointException: ranks:dict_keys([0])",
                       "Traceback (most recent call last): (RANK 0)"}),
            Chain::kOfProcess);
  EXPECT_EQ(LastChain({"-- Process 0 terminated with the following error:"}), Chain::kOfProcess);
}

TEST(Tracebacks, ALoadersProcessSaysWhyBelow) {
  EXPECT_EQ(LastChain({kHeader, kFrame, "RuntimeError: Caught KeyError in DataLoader worker process 0.",
                       "Original Traceback (most recent call last):"}),
            Chain::kOfProcess);
}

TEST(Tracebacks, WhatStandsInFrontOfTheHeaderStandsInFrontOfEachLine) {
  constexpr std::string_view kNode = "node-7 | trainer[2] ";
  const std::string node(kNode);
  const std::string header = node + std::string(kHeader);
  const std::string frame = "node-7 | trainer[13] " + std::string(kFrame);
  const std::string exception = node + "plan.Halted: 3";
  EXPECT_THAT(Exceptions({header, frame, exception}), ElementsAre(exception));
  // Words in front of the header alone are no prefix.
  EXPECT_THAT(Exceptions({"hit an exception: Traceback (most recent call last):", kFrame, "plan.Halted: 3"}),
              ElementsAre("plan.Halted: 3"));
}

TEST(Tracebacks, AFrameAroundATracebackIsNoPartOfIt) {
  EXPECT_THAT(
      Exceptions({"╭──── Traceback (most recent call last) ────╮", "│ /w/a.py:3 in f                            │",
                  "│ ❱ 3     raise Halted(3)                   │", "╰───────────────────────────────────────────╯",
                  "Halted: 3"}),
      ElementsAre("Halted: 3"));
}

TEST(Tracebacks, WhatIsTidiedUpOrLoggedEndsNothing) {
  const auto aside = [](std::initializer_list<std::string_view> lines) {
    Tracebacks tracebacks;
    for (const std::string_view line : lines) (void)tracebacks.Next(line);
    return tracebacks.Aside();
  };
  EXPECT_TRUE(aside({"Exception ignored in: <function f at 0x7f>", kHeader, kFrame, "KeyError: 3"}));
  EXPECT_TRUE(aside({"--- Logging error ---", kHeader, kFrame, "TypeError: 3"}));
  EXPECT_TRUE(aside({"Task exception was never retrieved", "future: <Task finished>", kHeader, kFrame, "KeyError: 3"}));
  // The next one does.
  EXPECT_FALSE(aside(
      {"Exception ignored in: <function f at 0x7f>", kHeader, kFrame, "KeyError: 3", kHeader, kFrame, "KeyError: 4"}));
  EXPECT_FALSE(aside({kHeader, kFrame, "KeyError: 3"}));
}

TEST(Tracebacks, ASecondTracebackByItselfIsNoPartOfTheFirst) {
  EXPECT_EQ(LastChain({kHeader, kFrame, "TypeError: 3", kHeader}), Chain::kNone);
  EXPECT_EQ(LastChain({"CheckpointException: [0, 1]", "Traceback (most recent call last): (RANK 0)", kFrame,
                       "RuntimeError: 3", "Traceback (most recent call last): (RANK 1)"}),
            Chain::kNone);
}

TEST(Tracebacks, PythonSaysHowTheyHangTogether) {
  EXPECT_EQ(LastChain({kHeader, kFrame, "KeyError: 3", "",
                       "During handling of the above exception, another exception occurred:"}),
            Chain::kHandled);
  EXPECT_EQ(LastChain({kHeader, kFrame, "KeyError: 3", "",
                       "The above exception was the direct cause of the following exception:"}),
            Chain::kRaisedFrom);
}

TEST(Tracebacks, APoolRaisesTheExceptionOfItsProcessAgain) {
  constexpr std::string_view kCause = "The above exception was the direct cause of the following exception:";
  for (const std::string_view title :
       {"multiprocessing.pool.RemoteTraceback: ", "concurrent.futures.process._RemoteTraceback:"}) {
    EXPECT_EQ(LastChain({title, "\"\"\"", kHeader, kFrame, "KeyError: 3", "\"\"\"", "", kCause}), Chain::kRepeated);
  }
  // Once only.
  EXPECT_EQ(LastChain({"multiprocessing.pool.RemoteTraceback:", kHeader, kFrame, "KeyError: 3", kCause, kHeader, kFrame,
                       "KeyError: 3", kCause}),
            Chain::kRaisedFrom);
}

TEST(Tracebacks, StatementsOfFramesAreSource) {
  Tracebacks tracebacks;
  std::vector<std::string_view> source;
  const std::vector<std::string_view> lines = {
      "    before", kHeader, kFrame, "    raise exc.Missing()", "          ^^^^^^^", "exc.Missing: no compiler",
      "    words"};
  for (const std::string_view line : lines) {
    (void)tracebacks.Next(line);
    if (tracebacks.AtSource()) source.push_back(line);
  }
  EXPECT_THAT(source, ElementsAre("    raise exc.Missing()", "          ^^^^^^^"));
}

}  // namespace
}  // namespace yardmaster::worker
