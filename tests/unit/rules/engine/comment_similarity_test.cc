#include "rules/engine/comment_similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;

const ZoneSplitter& Splitter() {
  static const auto* const kSplitter = [] {
    Problems problems;
    return ZoneSplitter::Create({}, problems).release();
  }();
  return *kSplitter;
}

TEST(CommentTokens, LettersAndDigitsInLowerCaseOnceEach) {
  EXPECT_THAT(CommentTokens("Please add NCCL 2.19, please!", Splitter()),
              ElementsAre("19", "2", "add", "nccl", "please"));
}

TEST(CommentTokens, ChineseCharactersCountOneByOneAndPunctuationNot) {
  EXPECT_THAT(CommentTokens("请，补充", Splitter()), ElementsAre("充", "补", "请"));
}

TEST(CommentTokens, QuotesCodeAndMarkersAreLeftOut) {
  EXPECT_THAT(CommentTokens("> quoted words\n\nown\n\n```\ncode()\n```\n<!-- yardmaster pack=p template=t key=k -->\n",
                            Splitter()),
              ElementsAre("own"));
}

TEST(Jaccard, SharedOverAll) {
  EXPECT_DOUBLE_EQ(Jaccard({"a", "b", "c"}, {"b", "c", "d"}), 0.5);
  EXPECT_DOUBLE_EQ(Jaccard({}, {}), 0);
}

TEST(HasTemplateMarker, FoundInsideALongerCommentForThatTemplateOnly) {
  const std::string comment = "Hello\n\nmore words\n\n<!-- yardmaster pack=p template=ask key=1 -->";
  EXPECT_TRUE(HasTemplateMarker(comment, "ask", Splitter()));
  EXPECT_FALSE(HasTemplateMarker(comment, "as", Splitter()));
}

TEST(HasTemplateMarker, QuotedMarkerDoesNotCount) {
  EXPECT_FALSE(HasTemplateMarker("```\n<!-- yardmaster pack=p template=ask key=1 -->\n```\n", "ask", Splitter()));
}

}  // namespace
}  // namespace yardmaster::rules
