#include "services/worker/reports/report_text.h"

#include <gtest/gtest.h>

#include <string>

#include "services/core/readable.h"
#include "services/worker/reports/report.h"

namespace yardmaster::worker {
namespace {

TEST(CutMessage, ShortTextsLoseOnlyBlanksAroundThem) {
  EXPECT_EQ(CutMessage("\n a\n b \n"), "a\n b");
  EXPECT_EQ(CutMessage(" \n"), "");
}

TEST(CutMessage, LongTextsLoseTheirMiddleBetweenCharacters) {
  std::string text = "begin";
  while (text.size() < 4 * kMaxReportMessageBytes) text += "字";
  text += "end";
  for (size_t shift = 0; shift < 4; ++shift) {
    const std::string cut = CutMessage(std::string(shift, 'x') + text);
    EXPECT_LE(cut.size(), kMaxReportMessageBytes);
    EXPECT_TRUE(IsValidUtf8(cut));
    EXPECT_EQ(cut.substr(cut.size() - 3), "end");
  }
}

TEST(CutMessage, BytesThatAreNoTextAreCutToo) {
  EXPECT_LE(CutMessage(std::string(100'000, '\x80')).size(), kMaxReportMessageBytes);
}

TEST(MessageCollector, KeepsWhatCutMessageKeeps) {
  MessageCollector collector;
  std::string all;
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = "line " + std::to_string(i);
    collector.Add(line);
    all += line + "\n";
  }
  EXPECT_EQ(collector.Message(), CutMessage(all));
  collector.Clear();
  collector.Add("a");
  EXPECT_EQ(collector.Message(), "a");
}

TEST(PlainLine, EscapeSequencesAndLineEndsAreTakenAway) {
  std::string buffer;
  EXPECT_EQ(PlainLine("plain\r\n", buffer), "plain");
  EXPECT_EQ(PlainLine("\x1b[0;32m[ RUN      ] \x1b[mA.B", buffer), "[ RUN      ] A.B");
  EXPECT_EQ(PlainLine("\x1b]0;title\ax\x1b]8;;u\x1b\\y", buffer), "xy");
  EXPECT_EQ(PlainLine("a\x1b[31", buffer), "a");
  EXPECT_EQ(PlainLine("a\x1b", buffer), "a");
}

TEST(CountOf, OnlyWholeNumbersCount) {
  EXPECT_EQ(CountOf(" 12 "), 12U);
  for (const char* text : {"", "-1", "1.5", "x", "99999999999999999999999"}) {
    EXPECT_FALSE(CountOf(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace yardmaster::worker
