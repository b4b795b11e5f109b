#include "services/chat/chat_target.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

const std::map<std::string, std::string, std::less<>> kHosts = {{"github.com", "github"}, {"gitcode.com", "gitcode"}};

ChatTarget TargetIn(std::string_view text) { return FindChatTarget(text, kHosts); }

TEST(ChatTargetTest, AddressesNameForgeRepositoryAndNumber) {
  EXPECT_EQ(TargetIn("/why https://github.com/octo/repo/issues/12"), (ChatTarget{"github", "octo/repo", 12, false}));
  EXPECT_EQ(TargetIn("why https://github.com/octo/repo/pull/7/files now"),
            (ChatTarget{"github", "octo/repo", 7, true}));
  EXPECT_EQ(TargetIn("看看https://gitcode.com/o/r/merge_requests/3"), (ChatTarget{"gitcode", "o/r", 3, true}));
  // What is no forge of ours names nothing, not even its number.
  EXPECT_EQ(TargetIn("https://example.org/octo/repo/issues/12"), ChatTarget());
}

TEST(ChatTargetTest, ShortNames) {
  EXPECT_EQ(TargetIn("/why octo/repo#12"), (ChatTarget{"", "octo/repo", 12, false}));
  EXPECT_EQ(TargetIn("o/r!5 please"), (ChatTarget{"", "o/r", 5, true}));
  EXPECT_EQ(TargetIn("why was #12 labelled"), (ChatTarget{"", "", 12, false}));
  EXPECT_EQ(TargetIn("为什么#12是bug"), (ChatTarget{"", "", 12, false}));
  EXPECT_EQ(TargetIn("review PR 160"), (ChatTarget{"", "", 160, true}));
  EXPECT_EQ(TargetIn("PR #160"), (ChatTarget{"", "", 160, true}));
  EXPECT_EQ(TargetIn("/squash --pr 160"), (ChatTarget{"", "", 160, true}));
  EXPECT_EQ(TargetIn("squash一下PR12- 谢谢"), (ChatTarget{"", "", 12, true}));
  EXPECT_EQ(TargetIn("/squash 160"), (ChatTarget{"", "", 160, false}));
  EXPECT_EQ(TargetIn("帮我把 160 压一下"), (ChatTarget{"", "", 160, false}));
}

TEST(ChatTargetTest, WhatIsNoNumberOfAnything) {
  for (const char* text : {"", "/help", "cards=8", "v2.6", "level:1", "#0", "&#64;", "1234567890123", "release-2",
                           "/yard link ABCD-PR23-EFGH", "/yard link MR45-ABCD-EFGH"}) {
    EXPECT_EQ(TargetIn(text), ChatTarget()) << text;
  }
}

}  // namespace
}  // namespace yardmaster
