#include "services/chat/chat_budgets.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_clock.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class ChatBudgetsTest : public ::testing::Test {
 protected:
  // How many messages go to a place at once.
  int Room(const ChatGoal& goal) {
    int count = 0;
    while (count < 2'000 && budgets_.Spend(goal).count() == 0) ++count;
    return count;
  }

  testing::FakeClock clock_;
  ChatBudgets budgets_{clock_};
};

TEST_F(ChatBudgetsTest, NoPlatformGetsMoreThanItTakes) {
  // 1 a second and channel; 10 a second; 5 a second and channel; 20 a minute; 30 a minute and member.
  EXPECT_EQ(Room({"slack", "C1", "u"}), 1);
  EXPECT_EQ(Room({"slack", "C2", "u"}), 1) << "each channel has its own";
  EXPECT_LE(Room({"mattermost", "C1", "u"}), 10);
  EXPECT_EQ(Room({"mattermost", "C2", "u"}), 0) << "the limiter counts the account";
  EXPECT_LE(Room({"feishu", "C1", "u"}), 5);
  EXPECT_LE(Room({"dingtalk", "C1", "u"}), 20);
  EXPECT_LE(Room({"wecom", "9", "u"}), 30);
  EXPECT_GT(Room({"wecom", "9", "other"}), 0) << "each member has its own";
  clock_.Advance(seconds(1));
  EXPECT_EQ(Room({"slack", "C1", "u"}), 1);
  EXPECT_GT(Room({"feishu", "C1", "u"}), 0);
  EXPECT_EQ(Room({"dingtalk", "C1", "u"}), 0);
  clock_.Advance(seconds(60));
  EXPECT_GT(Room({"dingtalk", "C1", "u"}), 0);
}

TEST_F(ChatBudgetsTest, FeishusApplicationHasALimitOverAllChannels) {
  int in_a_second = 0;
  for (int i = 0; i < 100; ++i) in_a_second += Room({"feishu", "C" + std::to_string(i), ""});
  EXPECT_LE(in_a_second, 50);
  EXPECT_GT(in_a_second, 20);
  int in_a_minute = in_a_second;
  for (int second = 1; second < 60; ++second) {
    clock_.Advance(seconds(1));
    for (int i = 0; i < 100; ++i) in_a_minute += Room({"feishu", "C" + std::to_string(i), ""});
  }
  EXPECT_LE(in_a_minute, 1'000);
  EXPECT_GT(in_a_minute, 500);
}

TEST_F(ChatBudgetsTest, AMemberOfWecomHasAnHoursLimitToo) {
  int in_an_hour = 0;
  for (int minute = 0; minute < 60; ++minute) {
    in_an_hour += Room({"wecom", "9", "u"});
    clock_.Advance(minutes(1));
  }
  EXPECT_LE(in_an_hour, 1'000);
  EXPECT_GT(in_an_hour, 500);
}

TEST_F(ChatBudgetsTest, WhatThePlatformAsksForIsKept) {
  budgets_.Hold({"dingtalk", "C1", "u"}, minutes(10));
  EXPECT_EQ(budgets_.Spend({"dingtalk", "C1", "other"}), minutes(10));
  EXPECT_EQ(budgets_.Spend({"dingtalk", "C2", "u"}), milliseconds(0)) << "another group";
  budgets_.Hold({"feishu", "C1", "u"}, seconds(17));
  EXPECT_EQ(budgets_.Spend({"feishu", "C2", "u"}), seconds(17)) << "the whole application";
  clock_.Advance(minutes(10));
  EXPECT_EQ(budgets_.Spend({"dingtalk", "C1", "u"}), milliseconds(0));
}

TEST_F(ChatBudgetsTest, ManyChannelsDoNotForgetWhatWasSaidInOne) {
  EXPECT_EQ(budgets_.Spend({"dingtalk", "C1", ""}), milliseconds(0));
  while (budgets_.Spend({"dingtalk", "C1", ""}).count() == 0) {
  }
  for (int i = 0; i < 5'000; ++i) budgets_.Spend({"slack", "S" + std::to_string(i), ""});
  EXPECT_GT(budgets_.Spend({"dingtalk", "C1", ""}), milliseconds(0));
}

}  // namespace
}  // namespace yardmaster
