#include "services/commands/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/shipped_packs.h"
#include "tests/support/source_path.h"

namespace yardmaster::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const rules::CommandTable& Table() { return *yardmaster::testing::ShippedCommands(); }

std::string IdOf(std::string_view asked) {
  const rules::CommandModel* command = FindForHelp(Table(), asked);
  return command == nullptr ? "" : command->id;
}

TEST(FindForHelp, TakesIdsAndFormsAsPeopleWriteThem) {
  EXPECT_EQ(IdOf("squash"), "squash");
  EXPECT_EQ(IdOf("/autogit squash"), "squash");
  EXPECT_EQ(IdOf("  Squash "), "squash");
  EXPECT_EQ(IdOf("／ｓｑｕａｓｈ"), "squash");
  EXPECT_EQ(IdOf("gen-commit-msg"), "gen_commit_msg");
  EXPECT_EQ(IdOf("gate retest"), "gate_retest");
  EXPECT_EQ(IdOf("pr"), "pr");
  EXPECT_EQ(IdOf("pr_append"), "pr_append");
  EXPECT_EQ(IdOf("retest_ut"), "test");
  EXPECT_EQ(IdOf("nothing"), "");
  EXPECT_EQ(IdOf(""), "");
  EXPECT_EQ(IdOf(std::string(100000, 'a')), "");
}

TEST(HelpList, HasEveryCommandWithUsageAndWhoMay) {
  for (const bool chinese : {false, true}) {
    HelpOptions options;
    options.chinese = chinese;
    const std::string list = HelpList(Table(), options);
    for (const rules::CommandModel& command : Table().commands()) {
      EXPECT_THAT(list, HasSubstr(command.title.In(chinese))) << command.id;
      EXPECT_THAT(list, HasSubstr("`" + command.forms.front().text)) << command.id;
    }
  }
}

TEST(HelpList, LeavesOutWhatIsSwitchedOffAndWhatCantComeFromThere) {
  CommandSettings repository;
  repository.commands["squash"].enabled = false;
  HelpOptions options;
  options.layers.repository = &repository;
  EXPECT_THAT(HelpList(Table(), options), Not(HasSubstr("/squash")));
  HelpOptions issue;
  issue.places = rules::kFromIssue;
  EXPECT_THAT(HelpList(Table(), issue), Not(HasSubstr("/squash")));
  EXPECT_THAT(HelpList(Table(), issue), HasSubstr("/label"));
}

TEST(HelpOne, ShowsTheRightsThatHold) {
  CommandSettings repository;
  rules::CommandRight team;
  ASSERT_TRUE(rules::ParseRight("team:core", team));
  repository.commands["squash"].who = {team};
  HelpOptions options;
  options.layers.repository = &repository;
  const std::string text = HelpOne(Table(), *Table().Find("squash"), options);
  EXPECT_THAT(text, HasSubstr("Who may: members of the team `core`"));
  EXPECT_THAT(text, HasSubstr("Usage: `/squash [PR] [-m MESSAGE]`"));
  EXPECT_THAT(text, HasSubstr("Also: `/autogit squash`"));
  EXPECT_THAT(HelpOne(Table(), *Table().Find("pr"), options), HasSubstr("**Not available here yet**"));
  EXPECT_THAT(text, HasSubstr("`--message MESSAGE`, `-m MESSAGE`"));
}

TEST(HelpOne, IsWrittenInBothLanguages) {
  HelpOptions options;
  options.chinese = true;
  const std::string text = HelpOne(Table(), *Table().Find("pr"), options);
  EXPECT_THAT(text, HasSubstr("用法：`/create-pr"));
  EXPECT_THAT(text, HasSubstr("谁可以用：作者、有 triage 或写权限的人"));
  EXPECT_THAT(text, HasSubstr("`--ut skip|changed|full`"));
}

TEST(HelpAnswer, UnknownNamesAreEchoedHarmlessly) {
  const std::string text = HelpAnswer(Table(), "@all <b>", {});
  EXPECT_THAT(text, StartsWith("There is no command `@\xe2\x81\xa0"
                               "all <b>`. These are the commands:"));
  EXPECT_THAT(text, HasSubstr("/squash"));
  EXPECT_EQ(HelpAnswer(Table(), "  ", {}), HelpList(Table(), {}));
  EXPECT_EQ(HelpAnswer(Table(), "squash", {}), HelpOne(Table(), *Table().Find("squash"), {}));
}

TEST(CommandJson, HasWhatScriptsNeed) {
  const auto json = CommandJson(*Table().Find("gate_autofix"));
  EXPECT_EQ(json["id"], "gate_autofix");
  EXPECT_EQ(json["access"], "write");
  EXPECT_EQ(json["state"], "not_offered");
  EXPECT_TRUE(json["reason"].contains("zh"));
  EXPECT_EQ(json["where"], (nlohmann::ordered_json{"pull", "chat", "cli"}));
}

// After a change of commands.json: build/<preset>/bin/yard help commands --markdown > deploy/commands.md
TEST(DocsPage, IsTheOneInTheRepository) {
  EXPECT_TRUE(yardmaster::testing::SourceText("deploy/commands.md") == DocsPage(Table()))
      << "deploy/commands.md is out of date: write it anew with\n"
         "  build/release/bin/yard help commands --markdown > deploy/commands.md";
}

}  // namespace
}  // namespace yardmaster::commands
