#include "services/intake/plans/recent_heads.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

v1::Subject Pull(int64_t number) {
  v1::Subject subject;
  subject.set_forge("github");
  subject.set_repository("o/r");
  subject.set_number(number);
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return subject;
}

TEST(RecentHeads, WhatCameAfterADeliveryWasNotSeenByWhoeverSentIt) {
  RecentHeads heads;
  EXPECT_FALSE(heads.MovedSince(Pull(1), "aaa", 5)) << "nothing is known";
  heads.Note(Pull(1), "aaa", 1);
  EXPECT_FALSE(heads.MovedSince(Pull(1), "aaa", 5));
  // An event that changes something else is no push.
  heads.Note(Pull(1), "aaa", 6);
  EXPECT_FALSE(heads.MovedSince(Pull(1), "aaa", 5));
  heads.Note(Pull(1), "bbb", 7);
  EXPECT_TRUE(heads.MovedSince(Pull(1), "bbb", 5));
  EXPECT_FALSE(heads.MovedSince(Pull(1), "bbb", 8));
  // Worked on late: it tells of an older head.
  heads.Note(Pull(1), "aaa", 2);
  EXPECT_FALSE(heads.MovedSince(Pull(1), "bbb", 8));
  // One that no event has told of yet.
  EXPECT_TRUE(heads.MovedSince(Pull(1), "ccc", 9));
  EXPECT_FALSE(heads.MovedSince(Pull(2), "ccc", 9));
}

TEST(RecentHeads, MemoryIsBounded) {
  RecentHeads heads;
  for (size_t i = 0; i <= kMaxRecentHeads; ++i) heads.Note(Pull(static_cast<int64_t>(i) + 1), "aaa", 1);
  EXPECT_FALSE(heads.MovedSince(Pull(1), "bbb", 5));
  EXPECT_TRUE(heads.MovedSince(Pull(2), "bbb", 5));
}

}  // namespace
}  // namespace yardmaster
