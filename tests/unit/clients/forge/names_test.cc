#include "clients/forge/names.h"

#include <gtest/gtest.h>

#include <string>

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

TEST(CheckPath, NothingClimbsAndNothingIsEmpty) {
  for (const char* path : {"a", ".github/yardmaster.json", "a b/c#d", "..a/b..", "多/字.py"}) {
    EXPECT_TRUE(CheckPath(path).ok()) << path;
  }
  for (const char* path : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a\nb", "\xFF"}) {
    EXPECT_FALSE(CheckPath(path).ok()) << path;
  }
  EXPECT_FALSE(CheckPath(std::string(5'000, 'a')).ok());
  EXPECT_EQ(EncodePath("a b/c#d/多?"), "a%20b/c%23d/%E5%A4%9A%3F");
}

TEST(CheckLogin, WhatWouldChangeTheUrlIsRefused) {
  for (const char* login : {"alice", "dependabot[bot]", "a.b_c", "用户"}) EXPECT_TRUE(CheckLogin(login).ok()) << login;
  for (const char* login : {"", ".", "..", "a\nb", "\xFF"}) EXPECT_FALSE(CheckLogin(login).ok()) << login;
}

TEST(CheckNamePart, OrganisationsAndTeamsAreOnePartOfAPath) {
  EXPECT_TRUE(CheckNamePart("team", "core-devs").ok());
  for (const char* name : {"", "a/b", "..", "a b", "a?b"}) EXPECT_FALSE(CheckNamePart("team", name).ok()) << name;
}

TEST(CheckRef, BranchesTagsCommitsAndNothing) {
  for (const char* ref : {"", "main", "release/2.1", "refs/pull/5/head", "0123abcd"}) {
    EXPECT_TRUE(CheckRef(ref).ok()) << ref;
  }
  for (const char* ref : {"a\nb", "\xFF"}) EXPECT_FALSE(CheckRef(ref).ok()) << ref;
}

TEST(CheckLabelPart, ALabelThatIsThereCanBeNamedWhateverTheForgeTakesNow) {
  EXPECT_TRUE(CheckLabelPart("kind/bug").ok());
  EXPECT_TRUE(CheckLabelPart(std::string(60, 'x')).ok());
  for (const char* label : {"", ".", "..", "a,b", "a\nb"}) EXPECT_FALSE(CheckLabelPart(label).ok()) << label;
}

}  // namespace
}  // namespace yardmaster
