#include "services/core/store/chat_links.h"

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChatLinksTest : public StoreFixture {
 protected:
  void Offer(const std::string& user, const std::string& code, const std::string& forge = "github") {
    ASSERT_TRUE(store_->chat_links().Offer({"slack", user, forge}, code, clock_.Now() + 15min).ok());
  }
  std::string Redeem(const std::string& code, const std::string& login, const std::string& forge = "github") {
    const auto link = store_->chat_links().Redeem(code, forge, login);
    EXPECT_TRUE(link.ok()) << link.status();
    return link.ok() && link->has_value() ? (*link)->account.user + "=" + (*link)->login : "";
  }
  std::vector<std::string> All() {
    std::vector<std::string> all;
    const auto links = store_->chat_links().All();
    for (const ChatLink& link : *links) all.push_back(link.account.user + "=" + link.login);
    return all;
  }
};

TEST_F(ChatLinksTest, ACodeWorksOnceOnItsForgeAndTheLinkLasts) {
  Offer("u1", "c1");
  EXPECT_THAT(All(), IsEmpty()) << "a code is no link";
  EXPECT_EQ(Redeem("c2", "maria"), "");
  EXPECT_EQ(Redeem("c1", "maria", "gitcode"), "");
  EXPECT_EQ(Redeem("c1", "maria"), "u1=maria");
  EXPECT_EQ(Redeem("c1", "bob"), "") << "used";
  EXPECT_EQ(Redeem("c1", "Maria"), "u1=Maria") << "the same work done again";
  Open();
  EXPECT_THAT(All(), ElementsAre("u1=Maria"));
}

TEST_F(ChatLinksTest, ACodeIsLookedUpWithoutUsingIt) {
  Offer("u1", "c1");
  const auto find = [&](const std::string& code, const std::string& login, const std::string& forge = "github") {
    const auto account = store_->chat_links().FindCode(code, forge, login, clock_.Now());
    EXPECT_TRUE(account.ok()) << account.status();
    return account.ok() && account->has_value() ? (*account)->user : "";
  };
  EXPECT_EQ(find("c1", "maria"), "u1");
  EXPECT_EQ(find("c1", "bob"), "u1") << "nobody has used it";
  EXPECT_EQ(find("c2", "maria"), "");
  EXPECT_EQ(find("c1", "maria", "gitcode"), "");
  EXPECT_EQ(Redeem("c1", "maria"), "u1=maria");
  EXPECT_EQ(find("c1", "bob"), "");
  EXPECT_EQ(find("c1", "Maria"), "u1");
  Offer("u2", "c3");
  clock_.Advance(16min);
  EXPECT_EQ(find("c3", "maria"), "");
}

TEST_F(ChatLinksTest, ANewCodeTakesThePlaceOfTheOldOneAndTheLinkStaysUntilItIsUsed) {
  Offer("u1", "c1");
  EXPECT_EQ(Redeem("c1", "maria"), "u1=maria");
  Offer("u1", "c2");
  EXPECT_THAT(All(), ElementsAre("u1=maria"));
  EXPECT_EQ(Redeem("c1", "maria"), "");
  EXPECT_EQ(Redeem("c2", "bob"), "u1=bob");
  EXPECT_THAT(All(), ElementsAre("u1=bob"));
}

TEST_F(ChatLinksTest, ACodeEndsAndALinkIsRemoved) {
  Offer("u1", "c1");
  clock_.Advance(16min);
  EXPECT_EQ(Redeem("c1", "maria"), "");
  Offer("u2", "c2");
  EXPECT_EQ(Redeem("c2", "maria"), "u2=maria");
  Offer("u2", "c3", "gitcode");
  const auto gone = store_->chat_links().Remove("slack", "u2");
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->size(), 1U);
  EXPECT_THAT(All(), IsEmpty());
  EXPECT_EQ(Redeem("c3", "maria", "gitcode"), "") << "its codes end, too";
}

}  // namespace
}  // namespace yardmaster::store
