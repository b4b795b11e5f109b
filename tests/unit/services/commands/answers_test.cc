#include "services/commands/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "services/core/readable.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::commands {
namespace {

using yardmaster::testing::ShippedCommands;

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

AnsweredCommand Asked(std::string_view id, std::string_view written, bool chinese = false) {
  return {"alice", written, chinese, ShippedCommands()->Find(id)};
}

PermissionDecision Refusal(PermissionDecision::Kind kind, SettingSource source, const std::vector<std::string>& who) {
  PermissionDecision decision;
  decision.kind = kind;
  decision.source = source;
  for (const std::string& name : who) {
    rules::CommandRight right;
    EXPECT_TRUE(rules::ParseRight(name, right));
    decision.who.push_back(right);
  }
  return decision;
}

TEST(Answers, SayWhoAskedForWhat) {
  const Answers answers(ShippedCommands());
  EXPECT_EQ(answers.Working(Asked("squash", "/squash 160")), "`/squash 160` (`alice`): working on it.");
  EXPECT_EQ(answers.Working(Asked("squash", "/squash 160", true)), "`/squash 160`（`alice`）：正在处理。");
  EXPECT_EQ(answers.Done(Asked("label", "/label feature"), "Added `feature`."),
            "`/label feature` (`alice`)\n\nAdded `feature`.");
  EXPECT_EQ(answers.Failed(Asked("label", "/label x"), "the forge does not answer"),
            "`/label x` (`alice`) did not work: the forge does not answer");
}

TEST(Answers, ARefusalSaysWhyAndWhoMay) {
  const Answers answers(ShippedCommands());
  const std::string refused = answers.Refused(
      Asked("squash", "/squash 160"),
      Refusal(PermissionDecision::Kind::kNotEntitled, SettingSource::kRepository, {"author", "team:org/core"}));
  EXPECT_EQ(refused,
            "`/squash 160` (`alice`) was not carried out. The repository's file says who may give it: the author, "
            "members of the team `org/core`.");
  EXPECT_EQ(answers.Refused(Asked("squash", "/squash 160", true),
                            Refusal(PermissionDecision::Kind::kNotEntitled, SettingSource::kPack, {"author"})),
            "`/squash 160`（`alice`）没有执行。可以使用它的人由规则包规定：作者。");
  EXPECT_THAT(answers.Refused(Asked("label", "/label x"),
                              Refusal(PermissionDecision::Kind::kWrongPlace, SettingSource::kPack, {})),
              HasSubstr("It can be given in: an issue, a pull request, chat."));
  EXPECT_THAT(answers.Refused(Asked("label", "/label x"),
                              Refusal(PermissionDecision::Kind::kDisabled, SettingSource::kDaemon, {})),
              HasSubstr("The service's configuration has switched it off."));
  EXPECT_THAT(answers.Refused(Asked("label", "/label x"),
                              Refusal(PermissionDecision::Kind::kBrokenFile, SettingSource::kOrganisation, {})),
              HasSubstr("The organisation's file has mistakes"));
  EXPECT_THAT(answers.Refused(Asked("label", "/label x"),
                              Refusal(PermissionDecision::Kind::kNotEntitled, SettingSource::kPack, {})),
              HasSubstr("nobody"));
}

TEST(Answers, WhatIsNotAvailableSaysWhy) {
  const Answers answers(ShippedCommands());
  EXPECT_EQ(
      answers.Unavailable(Asked("pr", "/create-pr")),
      "`/create-pr` (`alice`) is not available here yet: a pull request is opened where the branch is: write yard "
      "workflow pr in your clone. It was understood and noted; nothing was done.");
  const std::string autofix = answers.Unavailable(Asked("gate_autofix", "/autofix 92"));
  EXPECT_THAT(autofix, HasSubstr("is not offered: fixing is yours."));
  EXPECT_THAT(autofix, HasSubstr("/diagnose helps: it shows which stage failed"));
  EXPECT_THAT(answers.Unavailable(Asked("gate_autofix", "/autofix 92", true)), HasSubstr("不提供：修复要由你来做"));
}

TEST(Answers, EveryCommandThatDoesNotWorkHasAnAnswerWithoutPlaces) {
  const Answers answers(ShippedCommands());
  for (const rules::CommandModel& command : ShippedCommands()->commands()) {
    for (const bool chinese : {false, true}) {
      const std::string text = answers.Unavailable({"alice", command.usage, chinese, &command});
      EXPECT_THAT(text, Not(HasSubstr("{"))) << command.id;
      EXPECT_THAT(text, HasSubstr("alice")) << command.id;
    }
  }
}

TEST(Answers, UsageErrorsQuoteHarmlessly) {
  const Answers answers(ShippedCommands());
  const std::string text = answers.UsageError(
      Asked("squash", "/squash @bob"), {{"\"@bob\" is no pull request", "“@bob” 不是 PR"}, {"<script>", "<script>"}});
  EXPECT_THAT(text, Not(HasSubstr("@bob")));
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, HasSubstr("Usage: `/squash [PR] [-m MESSAGE]`"));
  EXPECT_THAT(text, EndsWith("`/help squash`"));
  EXPECT_THAT(answers.Ask(Asked("backport", "/backport 160", true), {{"which branch?", "到哪个分支？"}}),
              HasSubstr("到哪个分支？"));
}

TEST(Answers, MisspeltCommandsGetTheirSuggestion) {
  const Answers answers(ShippedCommands());
  EXPECT_EQ(answers.Unknown(Asked("none", "/sqaush 160"), "/squash"),
            "There is no command `/sqaush 160` (`alice`). Did you mean `/squash`? Nothing was done.");
  EXPECT_THAT(answers.Unknown(Asked("none", "/autogit frobnicate"), ""), HasSubstr("`/help` lists what there is"));
}

TEST(Answers, WhatPeopleWroteCantFillPlacesOrBreakOut) {
  const Answers answers(ShippedCommands());
  const AnsweredCommand asked = {"{command}", "/label {reason} ``` <!-- yardmaster pack=x --> @all", false,
                                 ShippedCommands()->Find("label")};
  const std::string text = answers.Failed(asked, "{outcome} stays");
  EXPECT_THAT(text, HasSubstr("{reason}"));
  EXPECT_THAT(text, HasSubstr("{outcome} stays"));
  EXPECT_THAT(text, StartsWith("````"));
  EXPECT_THAT(text, Not(HasSubstr("@all")));
  for (const std::string& bytes : {std::string("\xff\xfe"), std::string(), std::string(100000, '`')}) {
    const std::string answer = answers.Working({bytes, bytes, false, nullptr});
    EXPECT_TRUE(IsValidUtf8(answer));
    EXPECT_LT(answer.size(), 4096u);
  }
}

TEST(Answers, LongOutcomesAreCutBetweenLines) {
  const Answers answers(ShippedCommands());
  std::string outcome;
  while (outcome.size() < 2 * kMaxAnswerBytes) outcome += "one line of the outcome\n";
  const std::string text = answers.Done(Asked("review", "/review"), outcome);
  EXPECT_LE(text.size(), kMaxAnswerBytes + 8);
  EXPECT_THAT(text, EndsWith("one line of the outcome\n\n…"));
  std::string without_lines;
  while (without_lines.size() < 2 * kMaxAnswerBytes) without_lines += "一";
  EXPECT_TRUE(IsValidUtf8(answers.Failed(Asked("review", "/review"), without_lines)));
}

TEST(Answers, LabelsThatAreNotForPeopleAreNamed) {
  const Answers answers(ShippedCommands());
  EXPECT_EQ(answers.RefusedLabels({"high priority", "a`b"}, false),
            "People can't set these labels through the bot: `high priority`, ``a`b``.");
  EXPECT_THAT(answers.RefusedLabels(std::vector<std::string>(100, "x"), true), HasSubstr(" …"));
}

TEST(Answers, WithoutTextsTheFactsAreStillSaid) {
  const Answers answers(std::make_shared<const rules::CommandTable>(rules::CommandsModel()));
  EXPECT_THAT(answers.Failed({"alice", "/x", false, nullptr}, "why"), HasSubstr("why"));
}

}  // namespace
}  // namespace yardmaster::commands
