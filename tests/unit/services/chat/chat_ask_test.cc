#include "services/chat/chat_ask.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

class ChatAskTest : public ::testing::Test {
 protected:
  ChatAskTest() {
    config_.channels["write"] = {"github", "o/r", true};
    config_.channels["read"] = {"github", "o/r", false};
    config_.channels["other"] = {"gitcode", "o/r", true};
    config_.users["u1"]["github"] = "alice";
  }
  ChatAsk Ask(const std::string& user, const std::string& channel, bool proved = true) {
    chat::ChatEvent event;
    event.user = user;
    event.channel = channel;
    event.proved = proved;
    return AskOf(config_, event);
  }

  chat::PlatformConfig config_;
};

TEST_F(ChatAskTest, AMappedUserInAChannelForWritingMayWrite) {
  const ChatAsk ask = Ask("u1", "write");
  ASSERT_NE(ask.channel, nullptr);
  EXPECT_EQ(ask.channel->repository, "o/r");
  EXPECT_EQ(ask.login, "alice");
  EXPECT_TRUE(ask.may_write());
}

TEST_F(ChatAskTest, ChannelUserAndPlatformEachBarWriting) {
  EXPECT_EQ(Ask("u1", "read").bar, ChatWriteBar::kChannel);
  EXPECT_EQ(Ask("u1", "read").login, "alice") << "who asks is known all the same";
  EXPECT_EQ(Ask("u2", "write").bar, ChatWriteBar::kNobody);
  const ChatAsk unproved = Ask("u1", "write", /*proved=*/false);
  EXPECT_EQ(unproved.bar, ChatWriteBar::kUnproved);
  EXPECT_EQ(unproved.login, "") << "anybody may have written the name";
  EXPECT_EQ(unproved.claimed, "alice");
  for (const ChatWriteBar bar : {ChatWriteBar::kChannel, ChatWriteBar::kNobody, ChatWriteBar::kUnproved}) {
    EXPECT_NE(ChatWriteBarText(bar), "");
  }
  EXPECT_EQ(ChatWriteBarText(ChatWriteBar::kNone), "");
}

TEST_F(ChatAskTest, AnAccountOfAnotherForgeIsNobodyHere) {
  EXPECT_EQ(Ask("u1", "other").login, "");
  EXPECT_EQ(Ask("u1", "other").bar, ChatWriteBar::kNobody);
}

TEST_F(ChatAskTest, ADirectConversationHasItsOwnEntryWhereNoChannelIsNamedForIt) {
  chat::ChatEvent event;
  event.user = "u1";
  event.channel = "D1";
  event.direct = true;
  EXPECT_EQ(AskOf(config_, event).channel, nullptr);
  config_.direct = {"github", "o/direct", true};
  ASSERT_NE(AskOf(config_, event).channel, nullptr);
  EXPECT_EQ(AskOf(config_, event).channel->repository, "o/direct");
  EXPECT_TRUE(AskOf(config_, event).may_write());
  event.user = "u2";
  EXPECT_EQ(AskOf(config_, event).bar, ChatWriteBar::kNobody);
  event.channel = "read";
  EXPECT_EQ(AskOf(config_, event).channel->repository, "o/r") << "what is named comes first";
  EXPECT_EQ(Ask("u1", "elsewhere").channel, nullptr) << "another channel is none";
}

TEST_F(ChatAskTest, AnUnknownChannelIsAboutNothing) {
  EXPECT_EQ(Ask("u1", "elsewhere").channel, nullptr);
  EXPECT_FALSE(Ask("u1", "elsewhere").may_write());
}

}  // namespace
}  // namespace yardmaster
