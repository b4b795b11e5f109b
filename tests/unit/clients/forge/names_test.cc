#include "clients/forge/names.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

TEST(CheckRepository, TakesOwnerAndName) {
  EXPECT_TRUE(CheckRepository("pytorch/pytorch").ok());
  EXPECT_TRUE(CheckRepository("a-b_c/d.e").ok());
}

TEST(CheckRepository, RefusesWhatWouldChangeTheUrl) {
  for (const char* name : {"", "a", "a/", "/b", "a/b/c", "a/..", "../b", "a/.", "a b/c", "a/b?x", "a/b#x", "a/%2e%2e",
                           "a/b\n", "a\\b/c"}) {
    const absl::Status status = CheckRepository(name);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(ForgeOutcomeOf(status), ForgeOutcome::kNotSent) << name;
  }
}

TEST(CheckSubject, NumbersBeginAtOne) {
  EXPECT_TRUE(CheckSubject({"o/r", 1, false}).ok());
  EXPECT_FALSE(CheckSubject({"o/r", 0, false}).ok());
  EXPECT_FALSE(CheckSubject({"o/r", -3, true}).ok());
}

TEST(CheckLabels, AnEmptyListIsRefused) { EXPECT_FALSE(CheckLabels({}, {}).ok()); }

TEST(CheckLabels, LengthCountsCharactersNotBytes) {
  const LabelRules rules{2, 20};
  EXPECT_TRUE(CheckLabels({"kind/bug"}, rules).ok());
  EXPECT_TRUE(CheckLabels({"ci-pipeline-running"}, rules).ok());
  EXPECT_TRUE(CheckLabels({std::string("一二三四五六七八九十一二三四五六七八九十")}, rules).ok());
  EXPECT_FALSE(CheckLabels({"x"}, rules).ok());
  const absl::Status status = CheckLabels({"oncall: distributed checkpointing"}, rules);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("33 characters"), std::string::npos) << status.message();
}

TEST(CheckLabels, CommasControlCharactersAndRepetitionsAreRefused) {
  EXPECT_FALSE(CheckLabels({"a,b"}, {}).ok());
  EXPECT_FALSE(CheckLabels({"a\nb"}, {}).ok());
  EXPECT_FALSE(CheckLabels({"\xFF"}, {}).ok());
  EXPECT_FALSE(CheckLabels({"bug", "bug"}, {}).ok());
  EXPECT_TRUE(CheckLabels({"bug", "Bug"}, {}).ok());
}

TEST(CheckComment, LengthCountsCharacters) {
  EXPECT_TRUE(CheckComment("错误", 2).ok());
  EXPECT_FALSE(CheckComment("错误!", 2).ok());
  EXPECT_FALSE(CheckComment("", 2).ok());
  EXPECT_FALSE(CheckComment("\xC3", 2).ok());
  EXPECT_FALSE(CheckComment(std::string_view("a\0b", 3), 10).ok());
}

TEST(CheckId, OnlyLettersDigitsAndDashes) {
  EXPECT_TRUE(CheckId("hook", "12345").ok());
  for (const char* id : {"", "1/2", "..", "1?x=2", "a b"}) EXPECT_FALSE(CheckId("hook", id).ok()) << id;
}

}  // namespace
}  // namespace yardmaster
