// What the words of a command are bound to, and the way back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/commands/pull_reference.h"
#include "services/commands/command_text.h"
#include "services/commands/grammar.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const CommandGrammar& HyperParallel() {
  static const auto* const kGrammar =
      new CommandGrammar(yardmaster::testing::ShippedCommands("hyper-parallel"), {{"yardbot"}, {}});
  return *kGrammar;
}

ParsedCommand Line(std::string_view line) {
  std::optional<ParsedCommand> command = HyperParallel().ParseLine(line);
  EXPECT_TRUE(command.has_value()) << line;
  return command.has_value() ? *std::move(command) : ParsedCommand();
}

// "pr=160 amend=true reviewers=a|b", with a "!" in front if there are problems.
std::string Slots(const ParsedCommand& command) {
  std::string out = command.problems.empty() ? "" : "!";
  for (const auto& [slot, value] : command.slots) {
    if (out.size() > 1) out += ' ';
    out += slot + "=";
    if (const auto* flag = std::get_if<bool>(&value)) out += *flag ? "true" : "false";
    if (const auto* number = std::get_if<int64_t>(&value)) out += std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&value)) out += *text;
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& item : *list) out += (&item == list->data() ? "" : "|") + item;
    }
  }
  return out;
}

std::string Bound(std::string_view line) { return Slots(Line(line)); }

std::vector<ProblemKind> ProblemKinds(std::string_view line) {
  std::vector<ProblemKind> kinds;
  for (const CommandProblem& problem : Line(line).problems) {
    kinds.push_back(problem.kind);
    EXPECT_FALSE(problem.message.en.empty()) << line;
    EXPECT_FALSE(problem.message.zh.empty()) << line;
  }
  return kinds;
}

// --- Values ---

TEST(CommandValues, APathIsTakenOnlyFromAWordThatLooksLikeOne) {
  EXPECT_EQ(Bound("/ignore OL48 the hardware wants it"), "reason=the hardware wants it rule=OL48");
  EXPECT_EQ(Bound("/ignore OL48.cube custom/a/*.py as measured"),
            "path=custom/a/*.py reason=as measured rule=OL48.cube");
  EXPECT_EQ(Bound("/ignore ruff/E501 a_impl.py \"too long: a URL\""),
            "path=a_impl.py reason=too long: a URL rule=ruff/E501");
  EXPECT_EQ(Bound("/ignore OL48 see https://example.com/x"), "reason=see https://example.com/x rule=OL48");
  EXPECT_THAT(Line("/ignore OL48").missing, SizeIs(1));
  EXPECT_EQ(Bound("/unignore OL48 custom/a/*.py"), "path=custom/a/*.py rule=OL48");
}

TEST(CommandValues, PullRequestsInEveryForm) {
  for (std::string_view reference : {"160", "#160", "!160", "＃１６０", "１６０", "！160", "PR 160", "pr #160", "pr160",
                                     "PR#160", "pr=160", "pr:160", "pr：160", "--pr 160", "--pr=160", "\"160\""}) {
    EXPECT_EQ(Bound("/squash " + std::string(reference)), "pr=160") << reference;
  }
}

TEST(CommandValues, PullRequestsOfARepository) {
  for (std::string_view reference :
       {"mindspore/hyper-parallel#160", "mindspore/hyper-parallel!160", "mindspore/hyper-parallel＃160"}) {
    const ParsedCommand command = Line("/squash " + std::string(reference));
    EXPECT_EQ(Slots(command), "pr=160 repo=mindspore/hyper-parallel") << reference;
    EXPECT_EQ(command.host, "") << reference;
  }
  for (std::string_view url :
       {"https://gitcode.com/mindspore/hyper-parallel/pull/160",
        "https://gitcode.com/mindspore/hyper-parallel/pulls/160/diffs",
        "http://www.gitcode.com/mindspore/hyper-parallel/merge_requests/160#note_33",
        "https://gitcode.com/mindspore/hyper-parallel/-/merge_requests/160/diffs?tab=x",
        "<https://gitcode.com/mindspore/hyper-parallel/pull/160>", "gitcode.com/mindspore/hyper-parallel/pull/160",
        "https：//gitcode.com/mindspore/hyper-parallel/pull/160。"}) {
    const ParsedCommand command = Line("/squash " + std::string(url));
    EXPECT_EQ(Slots(command), "pr=160 repo=mindspore/hyper-parallel") << url;
    EXPECT_EQ(command.host, "gitcode.com") << url;
  }
  EXPECT_EQ(Line("/squash https://github.com/a/b/pull/7/files").host, "github.com");
}

TEST(CommandValues, WhatIsNoPullRequestIsRefused) {
  for (std::string_view word :
       {"abc", "0", "-1", "16.0", "#", "#16a", "99999999999", "0160", "a/b/c#1", "../x#1",
        "https://evil.com/a/b/pull/1", "https://github.com.evil.com/a/b/pull/1", "https://github.com/a/b/pull/x",
        "https://github.com/a/pull/1", "https://github.com/a/b/pull/1x", "https://github.com/a/b/issues/1",
        "https://user@github.com/a/b/pull/1"}) {
    EXPECT_THAT(ProblemKinds("/squash " + std::string(word)), SizeIs(1)) << word;
    EXPECT_THAT(Line("/squash " + std::string(word)).slots, IsEmpty()) << word;
  }
  EXPECT_THAT(ProblemKinds("/squash abc"), ElementsAre(ProblemKind::kNotAPull));
}

TEST(CommandValues, IssuesWhereIssuesAreMeant) {
  EXPECT_EQ(Bound("/why https://github.com/a/b/issues/12#issuecomment-3"), "issue=12 repo=a/b");
  EXPECT_EQ(Bound("/triage #12"), "issue=12");
}

TEST(CommandValues, MarkedReferencesAreThemselvesWhereverTheyStand) {
  EXPECT_EQ(Bound("/backport 88 r2.6"), "branch=r2.6 pr=88");
  EXPECT_EQ(Bound("/backport r2.6 #88"), "branch=r2.6 pr=88");
  EXPECT_EQ(Bound("/backport #88 to v0.9"), "branch=v0.9 pr=88");
  EXPECT_EQ(Bound("/backport --to v0.9 88"), "branch=v0.9 pr=88");
  EXPECT_EQ(Bound("/backport release/2.4"), "branch=release/2.4");
}

TEST(CommandValues, TextsOfOptions) {
  EXPECT_EQ(Bound("/squash 160 -m \"fix: layout cache\""), "message=fix: layout cache pr=160");
  EXPECT_EQ(Bound("/squash 160 -m fix"), "message=fix pr=160");
  EXPECT_EQ(Bound("/squash 160 --message=“修复：缓存”"), "message=修复：缓存 pr=160");
  EXPECT_EQ(Bound("/squash -m\"a b\" 160"), "message=a b pr=160");
  EXPECT_EQ(Bound("/squash message:'a b' 160"), "message=a b pr=160");
  EXPECT_EQ(Bound("/squash message: 'a b' 160"), "message=a b pr=160");
  EXPECT_EQ(Bound("/squash 160 -m fix,test"), "message=fix,test pr=160");
  EXPECT_EQ(Bound("/update 160 --title \"a=b, c\" --body \"d\""), "body=d pr=160 title=a=b, c");
  EXPECT_EQ(Bound("/commit -m \"feat(shard): add RmsNorm support\""), "message=feat(shard): add RmsNorm support");
}

TEST(CommandValues, AnUnquotedTextOfSeveralWordsIsRefused) {
  EXPECT_THAT(ProblemKinds("/commit -m fix the cache"), ElementsAre(ProblemKind::kTooManyValues));
  // The number could be part of the text, and the write would go to another pull request.
  EXPECT_THAT(ProblemKinds("/squash -m fix, 160"), ElementsAre(ProblemKind::kTooManyValues));
}

TEST(CommandValues, WordsAndLists) {
  EXPECT_EQ(Bound("/autogit pr --base r2.6 --reviewer alice,bob --ut changed --st skip"),
            "base=r2.6 reviewers=alice|bob st=skip ut=changed");
  EXPECT_EQ(Bound("/create-pr --reviewer 李雷、韩梅梅"), "reviewers=李雷|韩梅梅");
  EXPECT_EQ(Bound("/create-pr reviewers：@zhaoliu，@sunqi"), "reviewers=zhaoliu|sunqi");
  EXPECT_EQ(Bound("/create-pr --reviewer alice, bob --reviewer carol,alice"), "reviewers=alice|bob|carol");
  EXPECT_EQ(Bound("/create-pr --reviewer \"alice, bob\""), "reviewers=alice|bob");
  EXPECT_EQ(Bound("/gen-commit-msg --scope fsdp"), "scope=fsdp");
}

TEST(CommandValues, ClosedListsAndTheirShortForms) {
  EXPECT_EQ(Bound("/pr --ut FULL"), "ut=full");
  EXPECT_EQ(Bound("/pr --ut c --st n"), "st=skip ut=changed");
  EXPECT_THAT(ProblemKinds("/pr --ut sometimes"), ElementsAre(ProblemKind::kBadValue));
  EXPECT_THAT(Line("/pr --ut sometimes").problems[0].message.en, HasSubstr("skip, changed, full"));
}

TEST(CommandValues, Flags) {
  EXPECT_EQ(Bound("/autogit pr --to 231 --amend --no-rebase"), "amend=true pr=231 rebase=false");
  EXPECT_EQ(Bound("/autogit pr --to 231 —amend ——no-rebase"), "amend=true pr=231 rebase=false");
  EXPECT_EQ(Bound("/autogit pr --to 231 --amend=false --rebase=yes"), "amend=false pr=231 rebase=true");
  EXPECT_EQ(Bound("/autogit pr --to 231 --no-amend"), "amend=false pr=231");
  EXPECT_EQ(Bound("/create-pr --no-test"), "st=skip ut=skip");
  EXPECT_EQ(Bound("/code-review 160 detailed"), "detailed=true pr=160");
  EXPECT_EQ(Bound("/code-review detailed"), "detailed=true");
  EXPECT_EQ(Bound("/code-review --detailed 160"), "detailed=true pr=160");
  EXPECT_THAT(ProblemKinds("/pr --squash=maybe"), ElementsAre(ProblemKind::kBadValue));
  EXPECT_THAT(ProblemKinds("/pr --no-test=false"), ElementsAre(ProblemKind::kBadValue));
}

TEST(CommandValues, Numbers) {
  EXPECT_EQ(Bound("/test smoke device=ascend910b level=1 cards=8"), "cards=8 device=ascend910b level=1 suite=smoke");
  EXPECT_EQ(Bound("/test smoke device＝ascend910b　level＝１"), "device=ascend910b level=1 suite=smoke");
  EXPECT_THAT(ProblemKinds("/test smoke level=one"), ElementsAre(ProblemKind::kNotANumber));
  EXPECT_THAT(ProblemKinds("/test smoke level=-1"), ElementsAre(ProblemKind::kNotANumber));
  EXPECT_THAT(ProblemKinds("/test smoke level=12345678901234567890"), ElementsAre(ProblemKind::kNotANumber));
}

TEST(CommandValues, Labels) {
  EXPECT_EQ(Bound("/label needs-info"), "labels=needs-info");
  EXPECT_EQ(Bound("/label module: fsdp, module: dtensor"), "labels=module: fsdp|module: dtensor");
  EXPECT_EQ(Bound("/label module: fsdp，module: dtensor、x"), "labels=module: fsdp|module: dtensor|x");
  EXPECT_EQ(Bound("/label \"module: fsdp\" \"a, b\""), "labels=module: fsdp|a, b");
  EXPECT_EQ(Bound("/label kind/bug area/fsdp"), "labels=kind/bug|area/fsdp") << "both are known";
  EXPECT_EQ(Bound("/label kind/bug nobody"), "labels=kind/bug nobody") << "one of them is not";
  EXPECT_EQ(Bound("/label ｋｉｎｄ／ｂｕｇ"), "labels=kind/bug");
  EXPECT_EQ(Bound("/label a, a，a"), "labels=a");
  EXPECT_EQ(Bound("/remove-label a"), "labels=a");
  EXPECT_EQ(Bound("/label 需要 信息（全角）"), "labels=需要 信息（全角）");
}

TEST(CommandValues, ATextToTheEndOfTheLine) {
  EXPECT_EQ(Bound("/help autogit pr"), "command=autogit pr");
  EXPECT_EQ(Bound("/help  a,  b=c --d"), "command=a,  b=c --d");
  EXPECT_EQ(Bound("/help \"squash\""), "command=squash");
  EXPECT_EQ(Bound("/help"), "");
}

// --- What is wrong ---

TEST(CommandProblems, UnknownOptionsWithTheNearestOne) {
  EXPECT_THAT(ProblemKinds("/squash 160 --frobnicate"), ElementsAre(ProblemKind::kUnknownOption));
  EXPECT_THAT(ProblemKinds("/squash 160 --mesage x"), ElementsAre(ProblemKind::kUnknownOption));
  EXPECT_THAT(Line("/squash 160 --mesage x").problems[0].message.en, HasSubstr("--message"));
  EXPECT_THAT(ProblemKinds("/squash 160 -x"), ElementsAre(ProblemKind::kUnknownOption));
  EXPECT_THAT(ProblemKinds("/squash 160 frob=1"), ElementsAre(ProblemKind::kUnknownOption));
  EXPECT_THAT(ProblemKinds("/squash 160 --no-frob"), ElementsAre(ProblemKind::kUnknownOption));
}

TEST(CommandProblems, MissingValues) {
  for (std::string_view line : {"/squash 160 -m", "/squash 160 --message=", "/squash 160 -m --amend", "/squash -m \"\"",
                                "/pr --base", "/pr --base=", "/pr --reviewer \",\"", "/pr base:"}) {
    const ParsedCommand command = Line(line);
    ASSERT_FALSE(command.problems.empty()) << line;
    EXPECT_EQ(command.problems[0].kind, ProblemKind::kMissingValue) << line;
    EXPECT_FALSE(command.usage.empty()) << line;
  }
}

TEST(CommandProblems, TooManyValues) {
  EXPECT_THAT(ProblemKinds("/retest 160 161"), ElementsAre(ProblemKind::kTooManyValues));
  EXPECT_THAT(ProblemKinds("/check please"), ElementsAre(ProblemKind::kTooManyValues));
  EXPECT_THAT(ProblemKinds("/pr --base a,b"), ElementsAre(ProblemKind::kTooManyValues));
  EXPECT_THAT(ProblemKinds("/squash 160 谢谢"), ElementsAre(ProblemKind::kTooManyValues));
}

TEST(CommandProblems, Contradictions) {
  EXPECT_THAT(ProblemKinds("/squash pr=160 --pr 161"), ElementsAre(ProblemKind::kContradiction));
  EXPECT_THAT(ProblemKinds("/pr --no-test --ut full"), ElementsAre(ProblemKind::kContradiction));
  EXPECT_THAT(ProblemKinds("/autogit pr --to 1 --rebase --no-rebase"), ElementsAre(ProblemKind::kContradiction));
  EXPECT_EQ(Bound("/autogit pr --to 1 --rebase --rebase"), "pr=1 rebase=true");
}

TEST(CommandProblems, NamesThatOtherProgramsCouldTakeForOptionsAreRefused) {
  for (std::string_view line : {"/pr --base \"--upload-pack=x\"", "/pr --base=-x", "/sync \"-x\"",
                                "/pr --base \"a\u202Eb\"", "/pr --base \"a\x01z\"", "/pr --reviewer \"-a\""}) {
    EXPECT_THAT(ProblemKinds(line), ElementsAre(ProblemKind::kBadValue)) << line;
  }
  EXPECT_THAT(ProblemKinds("/sync " + std::string(300, 'a')), ElementsAre(ProblemKind::kBadValue));
}

TEST(CommandProblems, ManyMistakesAreNotAllListed) {
  std::string line = "/squash";
  for (int i = 0; i < 100; ++i) line += " --frob" + std::to_string(i);
  EXPECT_THAT(Line(line).problems, SizeIs(8));
}

TEST(CommandProblems, WhatTheThreadMayGiveIsMissingAndNoProblem) {
  const ParsedCommand backport = Line("/backport 88");
  EXPECT_THAT(backport.problems, IsEmpty());
  ASSERT_THAT(backport.missing, SizeIs(1));
  EXPECT_EQ(backport.missing[0]->name, "branch");
  EXPECT_THAT(Line("/label").missing, SizeIs(1));
  EXPECT_THAT(Line("/backport 88 r2.6").missing, IsEmpty());
}

// --- The way back ---

TEST(CommandText, IsTheShortestUsualForm) {
  const auto text = [](std::string_view line) {
    const ParsedCommand command = Line(line);
    return command.command == nullptr ? std::string() : CommandText(*command.command, command.slots, command.host);
  };
  EXPECT_EQ(text("/autogit squash #160 --message=“fix: a”"), "/squash 160 --message \"fix: a\"");
  EXPECT_EQ(text("/code-review detailed #160"), "/review 160 --detailed");
  EXPECT_EQ(text("/squash a/b!7"), "/squash a/b#7");
  EXPECT_EQ(text("/squash https://gitcode.com/a/b/merge_requests/7/diffs"), "/squash https://gitcode.com/a/b/pull/7");
  EXPECT_EQ(text("/backport --to 26"), "/backport --branch 26") << "without a number 26 would be the pull request";
  EXPECT_EQ(text("/backport 88 26"), "/backport 88 26");
  EXPECT_EQ(text("/label module: fsdp, x"), "/label \"module: fsdp\", x");
  EXPECT_EQ(text("/help autogit pr"), "/help \"autogit pr\"");
  EXPECT_EQ(text("/create-pr --reviewer a、b"), "/create-pr --reviewers a, b");
  EXPECT_EQ(text("/retest_smoke_ascend910b_level1"), "/test smoke --device ascend910b --level 1");
}

TEST(CommandText, WhatCannotBeWrittenIsEmpty) {
  const rules::CommandModel& squash = *HyperParallel().table().Find("squash");
  EXPECT_EQ(CommandText(squash, {{"nobody", true}}), "");
  EXPECT_EQ(CommandText(squash, {{"pr", std::string("x")}}), "");
  EXPECT_EQ(CommandText(*HyperParallel().table().Find("pr_append"), {}), "") << "no form without a pull request";
}

TEST(CommandText, GivesTheSameCommandWhenItIsReadAgain) {
  for (std::string_view line :
       {"/squash 160 -m \"say \\\"hi\\\" \\\\ ＂x＂ “y” 'z' `t`\"", "/autogit pr --to 231 --amend --no-rebase --ut f",
        "/create-pr --no-test --squash --reviewer a,李雷 --title \"a, b\"", "/code-review a/b#160 detailed",
        "/backport r2.6 https://github.com/a/b/pull/7", "/label \"a, b\", module: fsdp, -x, kind/bug",
        "/test \"level\" cards=8", "/sync \"a b\"", "/why https://gitcode.com/a/b/issues/3", "/backport \"to\" 88",
        "/help --frob x, y", "/commit -m \"-x\"", "/review \"160\" --pack \"detailed\""}) {
    const ParsedCommand command = Line(line);
    ASSERT_NE(command.command, nullptr) << line;
    ASSERT_THAT(command.problems, IsEmpty()) << line;
    const std::string text = CommandText(*command.command, command.slots, command.host);
    const ParsedCommand again = Line(text);
    EXPECT_EQ(again.command, command.command) << text;
    EXPECT_EQ(Slots(again), Slots(command)) << text;
    EXPECT_EQ(again.host, command.host) << text;
  }
}

TEST(CommandText, OfAnyLineGivesTheSameCommandWhenItIsReadAgain) {
  // Lines put together from what commands are made of.
  const std::vector<std::string> parts = {"160",
                                          "#7",
                                          "a/b#1",
                                          "-a/b#1",
                                          "https://gitcode.com/a/b/merge_requests/3/diffs",
                                          "r2.6",
                                          "pr",
                                          "pr9",
                                          "to",
                                          "base",
                                          "--to",
                                          "-m",
                                          "—m",
                                          "--amend",
                                          "--no-rebase",
                                          "--rebase=no",
                                          "detailed",
                                          "--ut",
                                          "full",
                                          "c",
                                          "\"a b\"",
                                          "“x，y”",
                                          "'q'",
                                          "`t`",
                                          "\"\\\"\"",
                                          "，",
                                          ",",
                                          "、",
                                          "。",
                                          "module:",
                                          "fsdp",
                                          "kind/bug",
                                          "-x",
                                          "x=y",
                                          "title=\"a\"",
                                          "reviewers：@a",
                                          "李雷",
                                          "--title",
                                          "--reviewer",
                                          "level=1",
                                          "１",
                                          "？",
                                          "«",
                                          "--",
                                          "=",
                                          ":",
                                          "\\"};
  const std::vector<std::string> starts = {"/squash", "/backport", "/label", "/help",   "/pr",       "/autogit pr",
                                           "/review", "/test",     "/why",   "/update", "/retest_ut"};
  std::mt19937 random(20260101);
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  size_t read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line = pick(starts);
    for (size_t words = random() % 6; words > 0; --words) line += (random() % 8 == 0 ? "" : " ") + pick(parts);
    const std::optional<ParsedCommand> command = HyperParallel().ParseLine(line);
    if (!command.has_value() || command->command == nullptr || !command->problems.empty()) continue;
    ++read;
    const std::string text = CommandText(*command->command, command->slots, command->host);
    const ParsedCommand again = Line(text);
    ASSERT_EQ(again.command, command->command) << line << " → " << text;
    ASSERT_EQ(Slots(again), Slots(*command)) << line << " → " << text;
    ASSERT_EQ(again.host, command->host) << line << " → " << text;
  }
  EXPECT_GT(read, 3000U);
}

// --- Everything that the packs say ---

TEST(ShippedCommands, EveryExampleIsReadAsItsCommandWithoutProblems) {
  for (const rules::CommandModel& command : HyperParallel().table().commands()) {
    for (const rules::CommandExample& example : command.examples) {
      if (example.phrase) continue;
      const ParsedText parsed = HyperParallel().Parse(example.text);
      ASSERT_THAT(parsed.commands, SizeIs(1)) << example.text;
      EXPECT_EQ(parsed.commands[0].id(), example.id) << example.text;
      EXPECT_THAT(parsed.commands[0].problems, IsEmpty()) << example.text;
      EXPECT_THAT(parsed.commands[0].missing, IsEmpty()) << example.text;
    }
  }
}

TEST(ShippedCommands, NoFormOfOursIsListedAsAnotherBots) {
  for (const rules::CommandModel& command : HyperParallel().table().commands()) {
    for (const rules::CommandForm& form : command.forms) {
      if (form.words.empty()) continue;
      EXPECT_FALSE(HyperParallel().table().IsOtherBotsCommand(form.words[0])) << form.text;
    }
  }
}

TEST(PullReference, OnlyMarkedOnesAreMarked) {
  EXPECT_FALSE(rules::IsMarkedReference("160"));
  EXPECT_FALSE(rules::IsMarkedReference(""));
  EXPECT_FALSE(rules::IsMarkedReference("r2.6"));
  EXPECT_TRUE(rules::IsMarkedReference("#160"));
  EXPECT_TRUE(rules::IsMarkedReference("a/b#160"));
}

}  // namespace
}  // namespace yardmaster::commands
