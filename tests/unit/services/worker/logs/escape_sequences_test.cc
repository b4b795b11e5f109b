#include "services/worker/logs/escape_sequences.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::worker {
namespace {

std::string Plain(std::string_view text) {
  std::string buffer;
  return std::string(WithoutEscapes(text, buffer));
}

TEST(WithoutEscapes, ColoursTitlesAndLinksAreLeftOut) {
  EXPECT_EQ(Plain("\x1b[0;32m[ RUN      ] \x1b[mA.B"), "[ RUN      ] A.B");
  EXPECT_EQ(Plain("\x1b]0;title\ax\x1b]8;;u\x1b\\y"), "xy");
  EXPECT_EQ(Plain("a\x1b"
                  "7b"),
            "ab");
  EXPECT_EQ(Plain("plain"), "plain");
  EXPECT_EQ(Plain(""), "");
}

TEST(WithoutEscapes, WhatIsNeverClosedTakesNothingWithIt) {
  EXPECT_EQ(Plain("\x1b]0;never closed\nnext"), "0;never closed\nnext");
  EXPECT_EQ(Plain("a\x1b[31"), "a");
  EXPECT_EQ(Plain("a\x1b[31\nb"), "a\nb");
  EXPECT_EQ(Plain("a\x1b["), "a");
  EXPECT_EQ(Plain("a\x1b"), "a");
  EXPECT_EQ(Plain("\x1b\x1b[1mb"), "b");
}

TEST(WithoutEscapes, ATextWithoutAnyIsNotCopied) {
  const std::string text = "plain";
  std::string buffer;
  EXPECT_EQ(WithoutEscapes(text, buffer).data(), text.data());
}

}  // namespace
}  // namespace yardmaster::worker
