#include "services/commands/command_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shipped_packs.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WriteCommand, HasWhatTheTableSays) {
  const auto table = yardmaster::testing::ShippedCommands();
  ASSERT_NE(table, nullptr);
  v1::CommandInfo backport;
  WriteCommand(*table->Find("backport"), backport);
  EXPECT_EQ(backport.id(), "backport");
  EXPECT_TRUE(backport.writes());
  EXPECT_THAT(backport.forms(), ElementsAre("/backport", "/autogit backport"));
  EXPECT_THAT(backport.who(), ElementsAre("collaborator"));
  EXPECT_THAT(backport.places(), ElementsAre("pull", "chat", "cli"));
  EXPECT_EQ(backport.state(), v1::CommandInfo::STATE_WORKS);
  EXPECT_EQ(backport.reason().en(), "");
  v1::CommandInfo commit;
  WriteCommand(*table->Find("commit"), commit);
  EXPECT_EQ(commit.state(), v1::CommandInfo::STATE_NOT_YET);
  EXPECT_THAT(commit.reason().en(), HasSubstr("yard workflow commit"));
  ASSERT_EQ(backport.parameters_size(), 2);
  EXPECT_EQ(backport.parameters(0).type(), "pr");
  EXPECT_THAT(backport.parameters(1).aliases(), ElementsAre("to", "base"));
  EXPECT_TRUE(backport.parameters(1).required());

  v1::CommandInfo help;
  WriteCommand(*table->Find("help"), help);
  EXPECT_EQ(help.state(), v1::CommandInfo::STATE_WORKS);
  EXPECT_FALSE(help.has_reason());
  EXPECT_FALSE(help.writes());
  v1::CommandInfo autofix;
  WriteCommand(*table->Find("gate_autofix"), autofix);
  EXPECT_EQ(autofix.state(), v1::CommandInfo::STATE_NOT_OFFERED);
}

}  // namespace
}  // namespace yardmaster::commands
