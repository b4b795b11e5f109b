#include "services/core/store/schedules.h"

#include <string>

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::SizeIs;

class SchedulesTest : public StoreFixture {
 protected:
  Schedules& schedules() { return store_->schedules(); }
};

TEST_F(SchedulesTest, ARunBeginsMovesOnAndEnds) {
  EXPECT_FALSE(schedules().Get("nightly")->has_value());
  ASSERT_TRUE(schedules().Start("nightly").ok());
  const auto started = clock_.Now();
  clock_.Advance(5s);
  ASSERT_TRUE(schedules().SetCursor("nightly", "page 3").ok());
  auto running = schedules().Get("nightly");
  ASSERT_TRUE(running.ok() && running->has_value());
  EXPECT_EQ((*running)->started_at, started);
  EXPECT_FALSE((*running)->finished_at.has_value());
  EXPECT_EQ((*running)->cursor, "page 3");
  ASSERT_TRUE(schedules().Finish("nightly", "17 decided").ok());
  auto done = schedules().Get("nightly");
  EXPECT_EQ((*done)->finished_at, clock_.Now());
  EXPECT_EQ((*done)->outcome, "17 decided");
  EXPECT_EQ((*done)->cursor, "");
}

TEST_F(SchedulesTest, ARunThatWasCutShortGoesOnWhereItWas) {
  ASSERT_TRUE(schedules().Start("nightly").ok());
  ASSERT_TRUE(schedules().SetCursor("nightly", "page 3").ok());
  Open();
  ASSERT_TRUE(schedules().Start("nightly").ok());
  EXPECT_EQ((*schedules().Get("nightly"))->cursor, "page 3");
}

TEST_F(SchedulesTest, AllByName) {
  ASSERT_TRUE(schedules().Start("b").ok());
  ASSERT_TRUE(schedules().SetCursor("a", "x").ok());
  auto all = schedules().List();
  ASSERT_THAT(*all, SizeIs(2));
  EXPECT_EQ((*all)[0].name, "a");
  EXPECT_FALSE((*all)[0].started_at.has_value());
  EXPECT_EQ((*all)[1].name, "b");
}

TEST_F(SchedulesTest, WhatCantBeStoredIsRefused) {
  EXPECT_EQ(schedules().Start("").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(schedules().SetCursor("a", std::string(kMaxCursorBytes + 1, 'x')).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(schedules().SetCursor("a", "\xff").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster::store
