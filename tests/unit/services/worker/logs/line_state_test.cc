#include "services/worker/logs/line_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

TEST(LastState, AProgressBarLeavesItsLastState) {
  EXPECT_EQ(LastState("10%\r50%\r100%"), "100%");
  EXPECT_EQ(LastState("\r10%\r100%\r"), "100%");
  EXPECT_EQ(LastState("10%\r100%\r\r"), "100%");
}

TEST(LastState, ALineEndOfWindowsIsNoText) {
  EXPECT_EQ(LastState("text\r"), "text");
  EXPECT_EQ(LastState("\r"), "");
  EXPECT_EQ(LastState(""), "");
}

std::string Joined(const std::vector<std::string>& pieces, size_t limit = 1000) {
  LineState line;
  for (const std::string& piece : pieces) line.Add(piece, limit);
  return std::string(line.text()) + (line.dropped() > 0 ? "+" + std::to_string(line.dropped()) : "");
}

TEST(LineState, PiecesAreJoined) { EXPECT_EQ(Joined({"ab", "", "cd"}), "abcd"); }

TEST(LineState, WhereACarriageReturnFallsBetweenPiecesDoesNotMatter) {
  const std::string whole = "\r10%\rab\r\rcd";
  for (size_t first = 0; first <= whole.size(); ++first) {
    for (size_t second = first; second <= whole.size(); ++second) {
      EXPECT_EQ(Joined({whole.substr(0, first), whole.substr(first, second - first), whole.substr(second)}), "cd")
          << first << " " << second;
    }
  }
  EXPECT_EQ(Joined({"10%", "\r", "20%", "\r"}), "20%");
}

TEST(LineState, KeepsNoMoreThanTheLimitAndCountsTheRest) {
  EXPECT_EQ(Joined({"abcdef", "ghi"}, 4), "abcd+5");
  EXPECT_EQ(Joined({"abcdef", "\rx"}, 4), "x");
}

TEST(LineState, AnEndlessProgressBarTakesNoMemory) {
  LineState line;
  const std::string piece = "\rstep 123456 of 1000000";
  for (int i = 0; i < 100'000; ++i) line.Add(piece, 1'000'000'000);
  EXPECT_EQ(line.text(), piece.substr(1));
}

}  // namespace
}  // namespace yardmaster::worker
