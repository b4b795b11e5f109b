#include "services/commands/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/text/zones.h"
#include "services/core/limits.h"
#include "services/core/readable.h"
#include "services/core/thread_clock.h"
#include "tests/support/hostile_texts.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = ParsedCommand::Kind;

CommandGrammar Grammar() {
  return CommandGrammar(yardmaster::testing::ShippedCommands(), {{"YardBot", "yard-app[bot]"}, {"cherry", "ci-*"}});
}

ParsedText Parse(std::string_view text) { return Grammar().Parse(text); }

// "squash", "?" for unknown ones, "…" for requests.
std::vector<std::string> Ids(std::string_view text) {
  std::vector<std::string> ids;
  for (const ParsedCommand& command : Parse(text).commands) {
    ids.emplace_back(command.kind == Kind::kCommand ? std::string(command.id())
                                                    : (command.kind == Kind::kUnknown ? "?" : "…"));
  }
  return ids;
}

ParsedCommand Only(std::string_view text) {
  ParsedText parsed = Parse(text);
  EXPECT_THAT(parsed.commands, SizeIs(1)) << text;
  return parsed.commands.empty() ? ParsedCommand() : std::move(parsed.commands[0]);
}

std::string Fingerprint(std::string_view text) { return Only(text).fingerprint; }

TEST(CommandGrammar, FindsEveryCommandOfATextInOrder) {
  const std::string_view text = "Thanks!\n/check-pr\n\n> /squash\n\n  /retest 160\n";
  const ParsedText parsed = Parse(text);
  ASSERT_THAT(parsed.commands, SizeIs(2));
  EXPECT_EQ(parsed.commands[0].id(), "gate_check_pr");
  EXPECT_EQ(parsed.commands[0].index, 0U);
  EXPECT_EQ(text.substr(parsed.commands[0].begin, parsed.commands[0].end - parsed.commands[0].begin), "/check-pr");
  EXPECT_EQ(parsed.commands[1].id(), "gate_retest");
  EXPECT_EQ(parsed.commands[1].index, 1U);
  EXPECT_EQ(text.substr(parsed.commands[1].begin, parsed.commands[1].end - parsed.commands[1].begin), "/retest 160");
  EXPECT_THAT(parsed.commands[1].words, ElementsAre("retest", "160"));
  EXPECT_FALSE(parsed.too_many);
  EXPECT_FALSE(parsed.too_deep);
  EXPECT_EQ(parsed.unread, std::string::npos);
}

TEST(CommandGrammar, FormsOfSeveralWordsAndOtherCase) {
  EXPECT_THAT(Ids("/autogit squash 160"), ElementsAre("squash"));
  EXPECT_THAT(Ids("/Squash 160"), ElementsAre("squash"));
  EXPECT_THAT(Ids("/AutoGit  Status"), ElementsAre("status"));
  EXPECT_THAT(Ids("／ｓｑｕａｓｈ　１６０"), ElementsAre("squash"));
}

TEST(CommandGrammar, AFormThatNeedsAParameterIsAnotherCommand) {
  EXPECT_THAT(Ids("/autogit pr --base r2.6"), ElementsAre("pr"));
  EXPECT_THAT(Ids("/autogit pr --to 231 --amend"), ElementsAre("pr_append"));
  EXPECT_THAT(Ids("/autogit pr to=231"), ElementsAre("pr_append"));
}

TEST(CommandGrammar, PatternsFillSlots) {
  const ParsedCommand command = Only("/retest_smoke_ascend910b_level1");
  EXPECT_EQ(command.id(), "test");
  EXPECT_EQ(std::get<std::string>(command.slots.at("device")), "ascend910b");
  EXPECT_EQ(std::get<int64_t>(command.slots.at("level")), 1);
}

TEST(CommandGrammar, PunctuationAndTextDirectlyBehindTheNameAreNoPartOfIt) {
  EXPECT_THAT(Ids("/retest。"), ElementsAre("gate_retest"));
  EXPECT_THAT(Only("/retest。").problems, IsEmpty());
  EXPECT_THAT(Only("/retest!").problems, IsEmpty());
  EXPECT_THAT(Only("/squash: 160").problems, IsEmpty());
  EXPECT_THAT(Only("/squash：160").problems, SizeIs(0)) << "a wide colon";
  const ParsedCommand glued = Only("/retest一下");
  EXPECT_EQ(glued.id(), "gate_retest");
  ASSERT_THAT(glued.problems, SizeIs(1));
  EXPECT_EQ(glued.problems[0].word, "一下");
}

TEST(CommandGrammar, AQuestionIsNoCommand) {
  const ParsedCommand command = Only("/retest？");
  EXPECT_EQ(command.kind, Kind::kUnknown);
  EXPECT_EQ(command.suggestion, "/retest");
  EXPECT_THAT(Only("/squash 160?").problems, SizeIs(1));
}

TEST(CommandGrammar, MisspeltCommandsGetASuggestion) {
  for (const auto& [written, meant] :
       std::vector<std::pair<std::string, std::string>>{{"/sqaush 160", "/squash"},
                                                        {"/retets", "/retest"},
                                                        {"/reviw", "/review"},
                                                        {"/autogti squash 1", "/autogit squash"},
                                                        {"/autogit sqash 1", "/autogit squash"},
                                                        {"/commit@2", "/commit"}}) {
    const ParsedCommand command = Only(written);
    EXPECT_EQ(command.kind, Kind::kUnknown) << written;
    EXPECT_EQ(command.command, nullptr) << written;
    EXPECT_EQ(command.suggestion, meant) << written;
    ASSERT_THAT(command.problems, SizeIs(1)) << written;
    EXPECT_EQ(command.problems[0].kind, ProblemKind::kUnknownCommand) << written;
    EXPECT_THAT(command.problems[0].message.en, HasSubstr(meant)) << written;
    EXPECT_THAT(command.problems[0].message.zh, HasSubstr(meant)) << written;
    EXPECT_THAT(command.slots, IsEmpty()) << written;
  }
}

TEST(CommandGrammar, AWrongSecondWordOfAKnownFirstOneIsOurs) {
  const ParsedCommand command = Only("/autogit frobnicate");
  EXPECT_EQ(command.kind, Kind::kUnknown);
  EXPECT_THAT(command.problems[0].message.en, HasSubstr("/autogit frobnicate"));
  EXPECT_EQ(Only("/autogit").kind, Kind::kUnknown);
}

TEST(CommandGrammar, PathsAndUnknownWordsAreNoCommands) {
  for (std::string_view text : {"/usr/lib is full", "/usr", "/etc", "/home", "/tmp/a.py", "/api/v1", "/dev", "/x",
                                "/test/unit/a_test.py fails", "/foo-bar baz", "/n", "/regex.*/", "/2024"}) {
    EXPECT_THAT(Ids(text), IsEmpty()) << text;
    EXPECT_THAT(Parse(text).skipped_lines, IsEmpty()) << text;
  }
}

TEST(CommandGrammar, OtherBotsAreLeftAloneAndSaidSo) {
  const ParsedText parsed = Parse("/lgtm\n/assign @alice\n@dependabot rebase\n/retest");
  ASSERT_THAT(parsed.skipped_lines, SizeIs(3));
  EXPECT_EQ(parsed.skipped_lines[0].word, "/lgtm");
  EXPECT_EQ(parsed.skipped_lines[0].begin, 0U);
  EXPECT_EQ(parsed.skipped_lines[0].end, 5U);
  EXPECT_EQ(parsed.skipped_lines[2].word, "@dependabot");
  ASSERT_THAT(parsed.commands, SizeIs(1));
  EXPECT_EQ(parsed.commands[0].index, 0U);
}

TEST(CommandGrammar, TheRepositorysOwnListOfBotsWinsOverTheTable) {
  const CommandGrammar grammar(yardmaster::testing::ShippedCommands(), {{}, {"Retest", "squ*"}});
  EXPECT_THAT(grammar.Parse("/retest\n/squash 1\n/ReTest").commands, IsEmpty());
  EXPECT_THAT(grammar.Parse("/retest\n/squash 1").skipped_lines, SizeIs(2));
  EXPECT_THAT(grammar.Parse("/retests").commands, SizeIs(1)) << "no prefix";
  EXPECT_THAT(Parse("/ci-rerun now").skipped_lines, SizeIs(1));
}

TEST(CommandGrammar, MentionsOfTheBotAreASecondWayIn) {
  for (std::string_view text : {"@yardbot squash 160", "@YardBot /squash 160", "＠yardbot：/squash 160",
                                "@yardbot, squash #160", "@yard-app squash 160", "@yard-app[bot] squash 160。"}) {
    const ParsedCommand command = Only(text);
    EXPECT_EQ(command.kind, Kind::kCommand) << text;
    EXPECT_EQ(command.id(), "squash") << text;
    EXPECT_TRUE(command.mention) << text;
    EXPECT_EQ(std::get<int64_t>(command.slots.at("pr")), 160) << text;
    EXPECT_THAT(command.problems, IsEmpty()) << text;
  }
  EXPECT_FALSE(Only("/squash 160").mention);
}

TEST(CommandGrammar, ACodeBehindAMentionIsNoSentenceWhateverItsLetters) {
  for (std::string_view code : {"ABCD-EFGH-JKLM", "2345-6789-2345", "NOSE-PAIR-LAMB", "abc4-defg-hjkm"}) {
    const ParsedCommand command = Only("@yardbot link " + std::string(code));
    EXPECT_EQ(command.id(), "link") << code;
    EXPECT_EQ(std::get<std::string>(command.slots.at("code")), code);
  }
  for (std::string_view text : {"@yardbot link please", "@yardbot link THIS", "@yardbot link Pre-Commit"}) {
    EXPECT_EQ(Only(text).kind, Kind::kRequest) << text;
  }
}

TEST(CommandGrammar, FreeTextBehindAMentionIsForTheInterpreter) {
  for (const auto& [text, request] :
       std::vector<std::pair<std::string, std::string>>{{"@yardbot 帮我把 PR 160 压一下", "帮我把 PR 160 压一下"},
                                                        {"@yardbot帮忙看下", "帮忙看下"},
                                                        {"@yardbot please squash 160", "please squash 160"},
                                                        {"@yardbot squash 160 吧", "squash 160 吧"},
                                                        {"@yardbot test this", "test this"},
                                                        {"@yardbot help me with 160", "help me with 160"},
                                                        {"@yardbot status?", "status?"},
                                                        {"@yardbot squash 160 --frob", "squash 160 --frob"},
                                                        {"@yardbot", ""},
                                                        {"@yardbot\n看下 #160\n\n别的", "看下 #160"}}) {
    const ParsedCommand command = Only(text);
    EXPECT_EQ(command.kind, Kind::kRequest) << text;
    EXPECT_TRUE(command.mention) << text;
    EXPECT_EQ(command.command, nullptr) << text;
    EXPECT_THAT(command.slots, IsEmpty()) << text;
    EXPECT_THAT(command.problems, IsEmpty()) << text;
    EXPECT_THAT(command.request, HasSubstr(request)) << text;
  }
  EXPECT_EQ(Only("@yardbot 看下 <!-- /squash 160 --> 吧").request.find("squash"), std::string::npos);
}

TEST(CommandGrammar, AnUnknownCommandThatIsSaidToTheBotIsAnswered) {
  EXPECT_EQ(Only("@yardbot /frobnicate").kind, Kind::kUnknown);
  EXPECT_THAT(Parse("@yardbot /lgtm").skipped_lines, SizeIs(1));
}

TEST(CommandGrammar, MentionsOfOthersAreNothing) {
  for (std::string_view text : {"@alice squash 160", "@yardbots squash", "@yard /squash", "@ /squash", "@", "@alice"}) {
    EXPECT_THAT(Ids(text), IsEmpty()) << text;
  }
}

TEST(CommandGrammar, UsageIsGivenWhereItIsNeeded) {
  EXPECT_EQ(Only("/retest").usage, "");
  EXPECT_EQ(Only("/retest please").usage, "/retest [PR]");
  EXPECT_EQ(Only("/label").usage, "/label LABEL[, LABEL…]");
}

TEST(CommandGrammar, LimitsAreSaid) {
  std::string many;
  for (size_t i = 0; i < kMaxCommandsInText + 5; ++i) many += "/retest " + std::to_string(i + 1) + "\n";
  EXPECT_THAT(Parse(many).commands, SizeIs(kMaxCommandsInText));
  EXPECT_TRUE(Parse(many).too_many);

  const ParsedCommand line = Only("/squash 160 -m \"" + std::string(kMaxCommandLineBytes, 'a') + "\"");
  EXPECT_EQ(line.id(), "squash");
  ASSERT_THAT(line.problems, SizeIs(1));
  EXPECT_EQ(line.problems[0].kind, ProblemKind::kTooLong);
  EXPECT_THAT(line.slots, IsEmpty());
  EXPECT_THAT(Parse("/frobnicate " + std::string(kMaxCommandLineBytes, 'a')).commands, IsEmpty());

  const ParsedCommand words = Only("/label " + testing::Repeat("a ", 4 * kMaxCommandWords));
  ASSERT_THAT(words.problems, SizeIs(1));
  EXPECT_EQ(words.problems[0].kind, ProblemKind::kTooLong);

  const std::string filler = testing::Repeat("word word word\n", rules::kMaxMarkdownBytes);
  EXPECT_EQ(Parse(filler + "/retest").unread, filler.size());
  EXPECT_TRUE(Parse(testing::Repeat("- ", 4096) + "a\n/retest").too_deep);
}

TEST(CommandGrammar, LinesThatAreNoUtf8AreRefused) {
  const ParsedCommand command = Only("/squash 160 -m \"\xFF\"");
  EXPECT_EQ(command.id(), "squash");
  ASSERT_THAT(command.problems, SizeIs(1));
  EXPECT_EQ(command.problems[0].kind, ProblemKind::kUnreadable);
  EXPECT_TRUE(IsValidUtf8(Only("@yardbot \xFF").request));
}

TEST(CommandGrammar, AQuoteThatIsNeverClosedIsRefused) {
  const ParsedCommand command = Only("/squash 160 -m \"fix");
  ASSERT_THAT(command.problems, SizeIs(1));
  EXPECT_EQ(command.problems[0].kind, ProblemKind::kOpenQuote);
  EXPECT_THAT(command.slots, IsEmpty());
}

// --- What a command is known by ---

TEST(CommandFingerprint, IsTheSameHoweverTheSameWordsAreTyped) {
  const std::string squash = Fingerprint("/squash 160 -m \"fix: a b\"");
  EXPECT_THAT(squash, SizeIs(16));
  EXPECT_EQ(Fingerprint("  /SQUASH   160  -m 'fix: a b'"), squash);
  EXPECT_EQ(Fingerprint("／squash　１６０ -m “fix: a b”。"), squash);
  EXPECT_EQ(Fingerprint("text\n\n@yardbot /squash 160 -m \"fix: a b\""), squash);
  EXPECT_EQ(Fingerprint("@yardbot squash 160 -m \"fix: a b\""), squash);
  EXPECT_EQ(Fingerprint("/squash <!-- note --> 160 -m \"fix: a b\""), squash);
}

TEST(CommandFingerprint, ChangesWithTheWords) {
  const std::string squash = Fingerprint("/squash 160");
  EXPECT_NE(Fingerprint("/squash 161"), squash);
  EXPECT_NE(Fingerprint("/squash 160 -m x"), squash);
  EXPECT_NE(Fingerprint("/squash 1 60"), squash);
  EXPECT_NE(Fingerprint("/review 160"), squash);
  EXPECT_NE(Fingerprint("/squash 160 -m \"a b\""), Fingerprint("/squash 160 -m a b"));
  EXPECT_NE(Fingerprint("/commit -m A"), Fingerprint("/commit -m a"));
}

TEST(CommandFingerprint, AnEditThatAddsACommandLeavesTheOthersAsTheyWere) {
  const std::vector<ParsedCommand> before = Parse("/check-pr\n/retest").commands;
  const std::vector<ParsedCommand> after = Parse("hello\n/squash 160\n/check-pr\n\n/retest").commands;
  ASSERT_THAT(before, SizeIs(2));
  ASSERT_THAT(after, SizeIs(3));
  EXPECT_EQ(before[0].fingerprint, after[1].fingerprint);
  EXPECT_EQ(before[1].fingerprint, after[2].fingerprint);
}

TEST(CommandFingerprint, TheSameCommandTwiceIsTwo) {
  const std::vector<ParsedCommand> twice = Parse("/retest\n/retest").commands;
  ASSERT_THAT(twice, SizeIs(2));
  EXPECT_NE(twice[0].fingerprint, twice[1].fingerprint);
  EXPECT_EQ(twice[0].fingerprint, Fingerprint("/retest"));
}

TEST(CommandFingerprint, DoesNotDependOnTheTable) {
  const CommandGrammar other(std::make_shared<const rules::CommandTable>(rules::CommandsModel{}), {{"yardbot"}, {}});
  EXPECT_EQ(other.Parse("@yardbot /squash 160").commands.at(0).fingerprint, Fingerprint("/squash 160"));
}

TEST(CommandFingerprint, OfARequestIsThatOfItsWords) {
  EXPECT_EQ(Fingerprint("@yardbot 看下  #160"), Fingerprint("@yardbot：看下 ＃１６０"));
  EXPECT_NE(Fingerprint("@yardbot 看下 #160"), Fingerprint("@yardbot 看下 #161"));
}

// --- Single lines ---

TEST(CommandGrammar, ALineOfChatIsReadWithoutMarkdown) {
  const std::optional<ParsedCommand> command = Grammar().ParseLine("    /squash 160\nmore");
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->id(), "squash");
  EXPECT_EQ(command->begin, 4U);
  EXPECT_EQ(command->end, 15U);
  EXPECT_THAT(command->words, ElementsAre("squash", "160"));
  EXPECT_EQ(command->fingerprint, Fingerprint("/squash 160"));
  EXPECT_FALSE(Grammar().ParseLine("squash 160").has_value());
  EXPECT_FALSE(Grammar().ParseLine("/lgtm").has_value());
  EXPECT_FALSE(Grammar().ParseLine("").has_value());
  EXPECT_EQ(Grammar().ParseLine("@yardbot 帮忙")->request, "帮忙");
}

// --- Hostile texts ---

TEST(CommandGrammar, HostileTextsTakeNoTimeAndGiveNoCommands) {
  const CommandGrammar grammar = Grammar();
  for (auto& [name, hostile] : testing::HostileTexts(rules::kMaxMarkdownBytes - 16)) {
    const auto start = ThreadClock::now();
    for (const ParsedCommand& command : grammar.Parse(hostile).commands) ADD_FAILURE() << name << command.id();
    EXPECT_LT(ThreadClock::now() - start, std::chrono::seconds(3)) << name;
  }
}

TEST(CommandGrammar, HostileLinesTakeNoTime) {
  const CommandGrammar grammar = Grammar();
  for (std::string_view unit : {"/retets\n", "/autogit x\n", "/squash \"\n", "/label 'a ‘b `c \n", "@yardbot a\n",
                                "/squash --a --b=c d:e\n", "/label “““““““““ ", "/label a, ", "@yardbot squash ` ' "}) {
    std::string line(unit);
    if (unit.back() != '\n') line += testing::Repeat(unit.substr(unit.find(' ')), kMaxCommandLineBytes - 64) + "\n";
    const std::string text = testing::Repeat(line, rules::kMaxMarkdownBytes);
    const auto start = ThreadClock::now();
    const ParsedText parsed = grammar.Parse(text);
    EXPECT_LE(parsed.commands.size(), kMaxCommandsInText) << unit;
    EXPECT_LT(ThreadClock::now() - start, std::chrono::seconds(2)) << unit;
  }
}

}  // namespace
}  // namespace yardmaster::commands
