#include "clients/cli/subject_argument.h"

#include <gtest/gtest.h>

namespace yardmaster::cli {
namespace {

TEST(ParseSubject, ForgeRepositoryAndNumberAreTakenApart) {
  const auto subject = ParseSubject("github:pytorch/pytorch#123");
  ASSERT_TRUE(subject.has_value());
  EXPECT_EQ(subject->forge(), "github");
  EXPECT_EQ(subject->repository(), "pytorch/pytorch");
  EXPECT_EQ(subject->number(), 123);
  EXPECT_EQ(subject->kind(), v1::SUBJECT_KIND_ISSUE);
}

TEST(ParseSubject, AnythingElseIsNone) {
  for (const char* text : {"", "issue.json", "01hv3k9x2m0g4", "github:pytorch#1", "github:a/b/c#1", "github:a/b#0",
                           "github:a/b#-1", "github:a/b#1x", "github:a/b#", ":a/b#1", "github:/b#1", "github:a/#1",
                           "a/b#1", "#1", "git hub:a/b#1", "github:a/b#99999999999999999999"}) {
    EXPECT_FALSE(ParseSubject(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace yardmaster::cli
