#include "services/core/store/chat_threads.h"

#include <chrono>

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

v1::Subject PullNumber(int64_t number) {
  v1::Subject subject;
  subject.set_forge("github");
  subject.set_repository("o/r");
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  subject.set_number(number);
  return subject;
}

class ChatThreadsTest : public StoreFixture {
 protected:
  int64_t NumberOf(const ChatThread& thread) {
    const auto found = store_->chat_threads().Find(thread);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && found->has_value() ? (*found)->subject.number() : 0;
  }
};

TEST_F(ChatThreadsTest, AThreadIsAboutWhatWasNamedLastAlsoAfterAStart) {
  const ChatThread here{"slack", "C9", "1.1"};
  EXPECT_EQ(NumberOf(here), 0);
  ASSERT_TRUE(store_->chat_threads().Put(here, PullNumber(12)).ok());
  ASSERT_TRUE(store_->chat_threads().Put(here, PullNumber(13)).ok());
  Open();
  const auto found = store_->chat_threads().Find(here);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->subject.SerializeAsString(), PullNumber(13).SerializeAsString());
  EXPECT_EQ((*found)->at, clock_.Now());
  EXPECT_EQ(NumberOf({"slack", "C9", "1.2"}), 0);
  EXPECT_EQ(NumberOf({"slack", "C8", "1.1"}), 0);
  EXPECT_EQ(NumberOf({"feishu", "C9", "1.1"}), 0);
}

TEST_F(ChatThreadsTest, WhatNobodyAsksAboutIsForgotten) {
  ASSERT_TRUE(store_->chat_threads().Put({"slack", "C9", "old"}, PullNumber(1)).ok());
  clock_.Advance(kChatThreadLife + std::chrono::hours(1));
  ASSERT_TRUE(store_->chat_threads().Put({"slack", "C9", "new"}, PullNumber(2)).ok());
  EXPECT_EQ(NumberOf({"slack", "C9", "old"}), 0);
  EXPECT_EQ(NumberOf({"slack", "C9", "new"}), 2);
  EXPECT_EQ(store_->chat_threads().Put({"", "C9", "new"}, PullNumber(2)).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster::store
