#include "rules/engine/commands/command_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/command_reader.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

using yardmaster::testing::CommandsOf;
using yardmaster::testing::ShippedCommands;
using yardmaster::testing::ShippedPacks;

const CommandTable& Common() { return *ShippedCommands(); }

std::vector<CommandMatch> Find(std::vector<std::string_view> words) { return Common().FindWords(words); }

std::string FirstId(std::vector<std::string_view> words) {
  const std::vector<CommandMatch> found = Find(std::move(words));
  return found.empty() ? "" : found.front().command->id;
}

TEST(CommonCommands, HaveEveryCommandOfTheInterpreterAndMore) {
  std::set<std::string> ids;
  for (const CommandModel& command : Common().commands()) ids.insert(command.id);
  EXPECT_THAT(
      ids, IsSupersetOf({"commit",        "check",        "test",           "pr",       "pr_append",     "status",
                         "update",        "squash",       "gen_commit_msg", "review",   "gate_diagnose", "gate_retest",
                         "gate_check_pr", "gate_autofix", "sync",           "backport", "help",          "why",
                         "triage",        "label",        "unlabel",        "cancel",   "ok_to_test"}));
}

TEST(CommonCommands, WriteExactlyWhatTheInterpreterHoldsForWrites) {
  std::set<std::string> writes;
  for (const CommandModel& command : Common().commands()) {
    if (command.access == CommandAccess::kWrite) writes.insert(command.id);
  }
  EXPECT_EQ(writes, (std::set<std::string>{
                        "commit",        "pr",           "pr_append",  "update",     "squash",   "gate_retest",
                        "gate_check_pr", "gate_autofix", "sync",       "backport",   "triage",   "label",
                        "unlabel",       "cancel",       "ok_to_test", "ignore",     "unignore", "rebase",
                        "undo",          "yes",          "subscribe",  "unsubscribe"}));
}

TEST(CommonCommands, HaveExamplesInBothLanguagesAndTextsInBoth) {
  for (const CommandModel& command : Common().commands()) {
    EXPECT_FALSE(command.title.en.empty() || command.title.zh.empty()) << command.id;
    bool slash = false;
    for (const CommandExample& example : command.examples) {
      slash |= !example.phrase;
      EXPECT_EQ(example.phrase, example.text.front() != '/') << command.id;
    }
    EXPECT_TRUE(slash) << command.id;
    for (const CommandParameter& parameter : command.parameters) {
      EXPECT_FALSE(parameter.summary.en.empty() || parameter.summary.zh.empty()) << command.id << " " << parameter.name;
    }
  }
}

TEST(CommonCommands, SlashExamplesAreFoundInTheTable) {
  for (const CommandModel& command : Common().commands()) {
    for (const CommandExample& example : command.examples) {
      if (example.phrase) continue;
      std::vector<std::string_view> words;
      std::string_view rest = std::string_view(example.text).substr(1);
      while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      bool found = false;
      for (const CommandMatch& match : Find(words)) found |= match.command->id == example.id;
      EXPECT_TRUE(found) << example.text;
    }
  }
}

TEST(CommandTable, IdsAreFoundWithDashesToo) {
  EXPECT_EQ(Common().Find("gen-commit-msg")->id, "gen_commit_msg");
  EXPECT_EQ(Common().Find("gate_retest")->id, "gate_retest");
  EXPECT_EQ(Common().Find("nothing"), nullptr);
}

TEST(CommandTable, OneAndTwoWordFormsInAnyCase) {
  EXPECT_EQ(FirstId({"squash"}), "squash");
  EXPECT_EQ(FirstId({"Autogit", "SQUASH", "160"}), "squash");
  EXPECT_EQ(Find({"autogit", "squash", "160"}).front().words, 2u);
  EXPECT_EQ(FirstId({"code-review", "160"}), "review");
  EXPECT_THAT(Find({"autogit"}), IsEmpty());
  EXPECT_THAT(Find({"autogit", "nothing"}), IsEmpty());
  EXPECT_THAT(Find({"lgtm"}), IsEmpty());
  EXPECT_THAT(Find({}), IsEmpty());
  EXPECT_THAT(Find({std::string_view("\xff\xfe")}), IsEmpty());
  const std::string longest(100000, 'a');
  EXPECT_THAT(Find({longest}), IsEmpty());
  EXPECT_THAT(Find({"autogit", longest}), IsEmpty());
}

TEST(CommandTable, AFormThatNeedsAnOptionComesBeforeTheOneThatDoesNot) {
  const std::vector<CommandMatch> found = Find({"autogit", "pr", "--to", "231"});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].command->id, "pr_append");
  EXPECT_EQ(found[0].form->needs, "pr");
  EXPECT_EQ(found[0].command->Parameter("to")->name, "pr");
  EXPECT_EQ(found[1].command->id, "pr");
  EXPECT_EQ(found[1].form->needs, "");
}

TEST(CommandTable, NamesOfDeviceCommandsAreReadAsTests) {
  EXPECT_EQ(FirstId({"retest"}), "gate_retest");
  EXPECT_THAT(Find({"retest_ut"}).at(0).slots, ElementsAre(std::pair("suite", SlotValue("ut"))));
  const CommandMatch compile = Find({"retest_compile_ascend910b"}).at(0);
  EXPECT_EQ(compile.command->id, "test");
  EXPECT_EQ(compile.slots, (Slots{{"device", "ascend910b"}, {"suite", "compile"}}));
  EXPECT_EQ(Find({"retest_smoke_ascend_910b"}).at(0).slots, (Slots{{"device", "ascend_910b"}, {"suite", "smoke"}}));
  EXPECT_EQ(Find({"Retest_Smoke_Ascend910B_Level1"}).at(0).slots,
            (Slots{{"device", "ascend910b"}, {"level", int64_t{1}}, {"suite", "smoke"}}));
  // A level is a number: what is none belongs to the name of the device.
  EXPECT_EQ(Find({"retest_smoke_gpu_levels"}).at(0).slots, (Slots{{"device", "gpu_levels"}, {"suite", "smoke"}}));
  EXPECT_THAT(Find({"retest_smoke_"}), IsEmpty());
  EXPECT_EQ(Find({"retest_ut_cpp"}).at(0).slots, (Slots{{"suite", "cpp"}}));
  EXPECT_THAT(Find({"retest_else"}), IsEmpty());
}

TEST(CommandTable, PrefixesKnowTheirSecondWord) {
  EXPECT_TRUE(Common().IsPrefix("AUTOGIT"));
  EXPECT_FALSE(Common().IsPrefix("squash"));
  EXPECT_FALSE(Common().IsPrefix("nothing"));
}

TEST(CommandTable, SuggestsTheNearestForm) {
  EXPECT_EQ(Common().Nearest("squahs"), "/squash");
  EXPECT_EQ(Common().Nearest("autogit sqash"), "/autogit squash");
  EXPECT_EQ(Common().Nearest("Reveiw"), "/review");
  EXPECT_EQ(Common().Nearest("something else entirely"), "");
}

TEST(CommandTable, OtherBotsCommandsAndLoginsAreKnown) {
  EXPECT_TRUE(Common().IsOtherBotsCommand("LGTM"));
  EXPECT_TRUE(Common().IsOtherBotsCommand("ci-anything"));
  EXPECT_FALSE(Common().IsOtherBotsCommand("retest"));
  EXPECT_TRUE(Common().IsOtherBotsLogin("PyTorchBot"));
  EXPECT_FALSE(Common().IsOtherBotsLogin("yardmaster"));
}

TEST(CommandTable, NoCommandOfOursIsListedAsAnotherBots) {
  for (const CommandModel& command : Common().commands()) {
    for (const CommandForm& form : command.forms) {
      EXPECT_FALSE(Common().IsOtherBotsCommand(form.words.front())) << form.text;
    }
  }
}

TEST(CommandTable, PeopleMaySetOnlyTheLabelsThatThePackLists) {
  Problems problems;
  const auto table = ShippedCommands("pytorch-distributed-next");
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(table->IsPeopleLabel("module: fsdp"));
  EXPECT_FALSE(table->IsPeopleLabel("Module: fsdp"));
  EXPECT_FALSE(table->IsPeopleLabel("high priority"));
  EXPECT_FALSE(table->IsPeopleLabel("bot-triaged"));
  EXPECT_FALSE(Common().IsPeopleLabel("module: fsdp"));
  EXPECT_NE(table->Find("squash"), nullptr);
}

TEST(Rights, AreWrittenAsTheyAreRead) {
  for (const char* name : {"anyone", "author", "collaborator", "maintainer", "team:core", "team:pytorch/core-dev"}) {
    CommandRight right;
    EXPECT_TRUE(ParseRight(name, right)) << name;
    EXPECT_EQ(RightName(right), name);
  }
  CommandRight right;
  for (const char* name :
       {"", "Author", "team:", "team:/x", "team:a/b/c", "team:a b", "team:../x", "everyone", "team:x/"}) {
    EXPECT_FALSE(ParseRight(name, right)) << name;
  }
}

// --- The reader's problems ---

// A pack with one command; what `commands` says replaces the list, what `more` says is put behind it.
std::vector<std::string> ProblemsOf(const std::string& commands, const std::string& more = "") {
  std::string answers;
  for (const AnswerText& answer : AnswerTexts()) {
    answers += (answers.empty() ? "\"" : ", \"") + std::string(answer.id) + R"(": {"en": "e", "zh": "z"})";
  }
  const PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "P"})"},
                           {"p/commands.json",
                            "{\"groups\": [{\"id\": \"g\", \"title\": {\"en\": \"G\", \"zh\": \"G\"}}],\n"
                            "\"commands\": [\n" +
                                commands + "\n],\n\"answers\": {" + answers + "}" + more + "}"}};
  Problems problems;
  const auto model = LoadPack(files, "p", problems);
  if (model) CompiledPack::Compile(*model, problems);
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.ToString());
  return out;
}

std::string Command(const std::string& id, const std::string& rest) {
  return R"({"id": ")" + id + R"(", "group": "g", "title": {"en": "t", "zh": "t"}, "usage": "/x",)" +
         R"("examples": [{"text": "/x"}], "access": "read", "where": ["issue"], )" + rest + "}";
}

TEST(CommandReader, ACompleteCommandIsFine) {
  EXPECT_THAT(ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone"], "state": "works")")), IsEmpty());
}

TEST(CommandReader, AnUnknownKeyIsNamedWithFilePointerAndLine) {
  const auto problems = ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone"], "stat": "works")"));
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_THAT(problems[0], HasSubstr("p/commands.json:3:"));
  EXPECT_THAT(problems[0], HasSubstr("/commands/0/stat: unknown key \"stat\""));
  EXPECT_THAT(problems[0], HasSubstr("did you mean \"state\"?"));
}

TEST(CommandReader, AnUnknownRightIsAProblem) {
  const auto problems = ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone", "boss"], "state": "works")"));
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0], HasSubstr("p/commands.json:3:"));
  EXPECT_THAT(problems[0],
              HasSubstr("/commands/0/who/1: expected anyone, author, collaborator, maintainer or team:NAME, "
                        "got \"boss\""));
}

TEST(CommandReader, WhatDoesNotWorkSaysWhyAndWhatWorksDoesNot) {
  EXPECT_THAT(ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone"], "state": "not_yet")")),
              ElementsAre(HasSubstr("missing key \"reason\"")));
  EXPECT_THAT(ProblemsOf(Command(
                  "x", R"("forms": ["/x"], "who": ["anyone"], "state": "works", "reason": {"en": "r", "zh": "r"})")),
              ElementsAre(HasSubstr("a command that works has no reason")));
}

TEST(CommandReader, TheSameWordsForTwoCommandsAreAProblem) {
  EXPECT_THAT(ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone"], "state": "works")") + ",\n" +
                         Command("y", R"("forms": ["/x"], "who": ["anyone"], "state": "works")")),
              ElementsAre(HasSubstr("the words \"/x\" are those of \"x\" already: p/commands.json:3")));
  EXPECT_THAT(ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone"], "state": "works")") + ",\n" +
                         Command("x", R"("forms": ["/y"], "who": ["anyone"], "state": "works")")),
              ElementsAre(HasSubstr("the command \"x\" is there already: p/commands.json:3")));
}

TEST(CommandReader, FormsNameParametersThatAreThere) {
  const auto problems = ProblemsOf(Command(
      "x",
      R"("forms": ["/x_{level}", {"text": "/y", "needs": "to", "sets": {"kind": "a"}}], "who": ["anyone"], "state": "works")"));
  ASSERT_THAT(problems, SizeIs(3));
  EXPECT_THAT(problems[0],
              HasSubstr("/commands/0/forms/0: expected the slot of a parameter between braces, got \"level\""));
  EXPECT_THAT(problems[1], HasSubstr("/commands/0/forms/1/needs: expected the name of a parameter, got \"to\""));
  EXPECT_THAT(problems[2], HasSubstr("/commands/0/forms/1/sets/kind: expected the slot of a parameter"));
}

TEST(CommandReader, ParametersAreHeldAgainstEachOther) {
  const auto problems = ProblemsOf(Command(
      "x",
      R"("forms": ["/x"], "who": ["anyone"], "state": "works", "parameters": [)"
      R"({"name": "a", "type": "text", "positional": true, "title": {"en": "t", "zh": "t"}},)"
      R"({"name": "b", "type": "word", "positional": true, "aliases": ["a"], "title": {"en": "t", "zh": "t"}},)"
      R"({"name": "c", "type": "word", "bare": true, "values": ["u"], "value_aliases": {"v": "w"}, "title": {"en": "t", "zh": "t"}})"
      "]"));
  ASSERT_THAT(problems, SizeIs(4));
  EXPECT_THAT(problems[0],
              HasSubstr("/parameters/1: a positional parameter before this one takes the rest of the line"));
  EXPECT_THAT(problems[1], HasSubstr("/parameters/1: the name \"a\" is there already in this command"));
  EXPECT_THAT(problems[2], HasSubstr("/parameters/2/value_aliases/v: expected one of \"values\""));
  EXPECT_THAT(problems[3], HasSubstr("/parameters/2: only a flag has \"bare\" or \"sets\""));
}

TEST(CommandReader, LabelsForPeopleNeedGuardrails) {
  EXPECT_THAT(ProblemsOf(Command("x", R"("forms": ["/x"], "who": ["anyone"], "state": "works")"),
                         ",\n\"people_labels\": [\"a\"]"),
              ElementsAre(HasSubstr("a pack without guardrails.json writes no labels")));
}

TEST(CommandReader, LabelsForPeopleAreNoForbiddenOnesAndNoMarkers) {
  PackFiles files = ShippedPacks();
  files["hyper-parallel/commands.json"] =
      "{\n\"people_labels\": [\"area/docs\", \"not in the rubric\",\n\"Priority/high\",\n\"ym-triaged\"]}";
  Problems problems;
  auto model = LoadPack(files, "hyper-parallel", problems);
  ASSERT_TRUE(model);
  EXPECT_EQ(CompiledPack::Compile(*std::move(model), problems), nullptr);
  ASSERT_THAT(problems, SizeIs(2));
  LocateProblems(files, problems);
  EXPECT_THAT(problems[0].ToString(), HasSubstr("hyper-parallel/commands.json:3:"));
  EXPECT_THAT(problems[0].ToString(), HasSubstr("/people_labels/2: guardrails.json forbids 'Priority/high'"));
  EXPECT_THAT(problems[1].ToString(), HasSubstr("/people_labels/3: "));
}

TEST(CommandReader, PlacesOfAnswersThatNothingFillsAreProblems) {
  const PackFiles files = {
      {"p/pack.json", R"({"name": "p", "title": "P", "extends": "common"})"},
      {"p/commands.json", R"({"answers": {"working": {"en": "{outcome}", "zh": "z"}, "w": {"en": "e", "zh": "z"}}})"},
      {"common/pack.json", ShippedPacks().at("common/pack.json")},
      {"common/commands.json", ShippedPacks().at("common/commands.json")}};
  Problems problems;
  EXPECT_FALSE(LoadPack(files, "p", problems));
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_THAT(problems[0].ToString(), HasSubstr("/answers/w: unknown answer"));
  EXPECT_THAT(problems[1].ToString(),
              HasSubstr("/answers/working/en: nothing is filled in for {outcome}; expected {person}, {command}"));
}

TEST(CommandReader, APackReplacesAndRemovesInheritedCommands) {
  PackFiles files = {
      {"p/pack.json", R"({"name": "p", "title": "P", "extends": "common", "remove": {"commands": ["commit"]}})"},
      {"p/commands.json", R"({"commands": [{"id": "squash", "group": "workflow", "title": {"en": "t", "zh": "t"},
                        "usage": "/press", "forms": ["/press"], "examples": [{"text": "/press"}], "access": "write",
                        "who": ["maintainer"], "where": ["pull"], "state": "works"}], "bot_commands": ["squash"]})"},
      {"common/pack.json", ShippedPacks().at("common/pack.json")},
      {"common/commands.json", ShippedPacks().at("common/commands.json")}};
  Problems problems;
  const auto table = CommandsOf(files, "p");
  ASSERT_NE(table, nullptr) << (problems.empty() ? "" : problems[0].ToString());
  EXPECT_EQ(table->Find("commit"), nullptr);
  EXPECT_EQ(table->Find("squash")->usage, "/press");
  EXPECT_EQ(table->Find("squash")->origin.file, "p/commands.json");
  EXPECT_TRUE(table->IsOtherBotsCommand("squash"));
  EXPECT_TRUE(table->IsOtherBotsCommand("lgtm"));
  EXPECT_EQ(table->commands().size(), Common().commands().size() - 1);
}

TEST(CommandReader, TheOldNamesOfOtherBotsAreAccepted) {
  const PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "P", "extends": "common"})"},
                           {"p/commands.json", R"({"robot_commands": ["deploy"], "robot_logins": ["some-bot"]})"},
                           {"common/pack.json", ShippedPacks().at("common/pack.json")},
                           {"common/commands.json", ShippedPacks().at("common/commands.json")}};
  const auto table = CommandsOf(files, "p");
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(table->IsOtherBotsCommand("deploy"));
  EXPECT_TRUE(table->IsOtherBotsCommand("lgtm")) << "inherited";
  EXPECT_TRUE(table->IsOtherBotsLogin("some-bot"));
}

TEST(CompiledPack, HasTheTableOfItsCommands) {
  Problems problems;
  auto model = LoadPack(ShippedPacks(), "hyper-parallel", problems);
  ASSERT_TRUE(model);
  const auto pack = CompiledPack::Compile(*std::move(model), problems);
  ASSERT_NE(pack, nullptr) << (problems.empty() ? "" : problems[0].ToString());
  EXPECT_NE(pack->commands()->Find("retest"), pack->commands()->Find("gate_retest"));
  EXPECT_TRUE(pack->commands()->IsPeopleLabel("needs-info"));
}

}  // namespace
}  // namespace yardmaster::rules
