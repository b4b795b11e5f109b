// Loading of phrases, and each stage on the phrases that are shipped.
#include "rules/engine/phrases/phrase_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/shipped_phrases.h"

namespace yardmaster::rules {
namespace {

// "squash {"pr":12} then commit"
std::string Told(std::string_view message, const PhraseContext& context = {}) {
  const Interpretation result = yardmaster::testing::ShippedPhrases()->Interpret(message, context);
  std::string out = result.command;
  if (!result.slots.empty()) out += " " + nlohmann::json(result.slots).dump();  // sorted
  for (const PhraseCommand& next : result.then) out += " then " + next.command;
  return out;
}

Problems ProblemsOf(const std::string& phrases) {
  const PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "P"})"}, {"p/phrases/a.json", phrases}};
  Problems problems;
  EXPECT_EQ(PhraseSet::Load(files, "p", problems), nullptr);
  return problems;
}

TEST(PhraseSetLoad, ThePackCommonHasPhrases) {
  const auto phrases = yardmaster::testing::ShippedPhrases();
  ASSERT_NE(phrases, nullptr);
  EXPECT_FALSE(phrases->empty());
  EXPECT_GT(phrases->cases().size(), 100u);
}

TEST(PhraseSetLoad, APackWithoutPhrasesTakesEverythingForNothing) {
  const PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "P"})"}};
  Problems problems;
  const auto phrases = PhraseSet::Load(files, "p", problems);
  ASSERT_NE(phrases, nullptr);
  EXPECT_TRUE(phrases->empty());
  EXPECT_EQ(phrases->Interpret("squash PR 1", {}).command, "none");
}

TEST(PhraseSetLoad, AnUnknownConceptIsAProblemWithItsPlaceAndTheNearestName) {
  const Problems problems = ProblemsOf(R"({"words": {"squash": ["squash"]},
 "commands": {"squash": {"access": "write"}},
 "rules": [{"id": "r", "command": "squash",
            "match": ["squosh"]}]})");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, "p/phrases/a.json");
  EXPECT_EQ(problems[0].pointer, "/rules/0/match/0");
  EXPECT_EQ(problems[0].line, 4u);
  EXPECT_NE(problems[0].message.find("did you mean \"squash\"?"), std::string::npos) << problems[0].message;
}

TEST(PhraseSetLoad, AWordOfTwoConceptsIsAProblem) {
  const Problems problems = ProblemsOf(R"({"words": {"a": ["same"], "b": ["Same"]}})");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].pointer, "/words/b/0");
}

TEST(PhraseSetLoad, UnknownKeysRolesCommandsAndBadPatternsAreProblems) {
  EXPECT_EQ(ProblemsOf(R"({"wrods": {}})").size(), 1u);
  EXPECT_EQ(ProblemsOf(R"({"words": {"a": ["a"]}, "roles": {"negatoin": ["a"]}})").size(), 1u);
  EXPECT_EQ(ProblemsOf(R"({"rules": [{"id": "r", "command": "fly", "match": ["x"]}]})").size(), 1u);
  EXPECT_EQ(ProblemsOf(R"({"finds": [{"id": "f", "pattern": "(", "becomes": "x"}]})").size(), 1u);
  EXPECT_EQ(ProblemsOf(R"({"finds": [{"id": "f", "pattern": "{nothing}", "becomes": "x"}]})").size(), 1u);
}

TEST(PhraseSetLoad, APackThatExtendsAddsWordsAndReplacesRules) {
  const PackFiles files = {
      {"p/pack.json", R"({"name": "p", "title": "P"})"},
      {"p/phrases/a.json",
       R"({"words": {"go": ["go"]}, "commands": {"run": {"access": "read"}, "fly": {"access": "read"}},
        "rules": [{"id": "r", "command": "run", "match": ["^ go $"]}]})"},
      {"q/pack.json", R"({"name": "q", "title": "Q", "extends": "p"})"},
      {"q/phrases/a.json",
       R"({"words": {"go": ["los"]}, "rules": [{"id": "r", "command": "fly", "match": ["^ go $"]}]})"}};
  Problems problems;
  const auto phrases = PhraseSet::Load(files, "q", problems);
  ASSERT_NE(phrases, nullptr);
  EXPECT_EQ(phrases->Interpret("los", {}).command, "fly");
  EXPECT_EQ(PackWithPhrases(files, "q"), "q");
}

TEST(PhraseSetLoad, TheOldNameOfOtherBotsIsAccepted) {
  const PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "P"})"},
                           {"p/phrases/a.json", R"({"other_robots": ["some-bot"], "words": {"go": ["go"]},
        "commands": {"run": {"access": "read"}}, "rules": [{"id": "r", "command": "run", "match": ["go"]}]})"}};
  Problems problems;
  const auto phrases = PhraseSet::Load(files, "p", problems);
  ASSERT_NE(phrases, nullptr);
  EXPECT_EQ(phrases->Interpret("go", {}).command, "run");
  EXPECT_EQ(phrases->Interpret("@some-bot go", {}).command, "none");
}

TEST(Phrases, ReferencesComeInManyForms) {
  for (const char* form : {"PR 160", "#160", "pr160", "!160", "PR#160", "160号PR", "160 这个 PR", "pull request 160",
                           "ＰＲ１６０", "MR !160", "PR No. 160"}) {
    EXPECT_EQ(Told(std::string("squash ") + form), "squash {\"pr\":160}") << form;
  }
  EXPECT_EQ(Told("squash mindspore/mindspore#7"), "squash {\"pr\":7,\"repo\":\"mindspore/mindspore\"}");
  EXPECT_EQ(Told("squash https://gitcode.com/Ascend/pypto/merge_requests/7"),
            "squash {\"pr\":7,\"repo\":\"Ascend/pypto\"}");
}

TEST(Phrases, OtherNumbersAreNoPullRequests) {
  EXPECT_EQ(Told("squash issue #45"), "ask");
  EXPECT_EQ(Told("squash the last 2 commits"), "ask");
  EXPECT_EQ(Told("squash r2.6"), "ask");
}

TEST(Phrases, MoreThanOnePullRequestAsksBack) {
  EXPECT_EQ(Told("squash #12 and #13"), "ask");
  EXPECT_EQ(Told("压缩 #12、#13"), "ask");
  EXPECT_EQ(Told("squash #12，不对，是 #13"), "ask");
}

TEST(Phrases, TheThreadGivesWhatTheWordsLeaveOut) {
  const PhraseContext context = {160, "o/r"};
  EXPECT_EQ(Told("squash"), "ask");
  EXPECT_EQ(Told("squash", context), "squash {\"pr\":160,\"repo\":\"o/r\"}");
  EXPECT_EQ(Told("squash #12", context), "squash {\"pr\":12}");
}

TEST(Phrases, QuotedLinesCodeAndQuotationsAreNoRequests) {
  EXPECT_EQ(Told("> squash PR 12"), "none");
  EXPECT_EQ(Told("`squash PR 12`"), "none");
  EXPECT_EQ(Told("“squash PR 12” 是什么意思"), "none");
  EXPECT_EQ(Told("```\n/squash 12\n```"), "none");
  // A pattern that finds its end in the next line takes nothing from this one.
  EXPECT_EQ(Told("log:\nsquash PR 12"), "squash {\"pr\":12}");
  EXPECT_EQ(Told("pasted log:\n```\nFAILED test_tp.py\n```\nwhy is the gate of PR 12 red?"),
            "gate_diagnose {\"pr\":12}");
  EXPECT_EQ(Told("<!-- /squash 12 -->"), "none");
}

TEST(Phrases, NegationsForbidWhatTheySpeakOf) {
  EXPECT_EQ(Told("don't squash PR 12"), "none");
  EXPECT_EQ(Told("先别提 PR"), "none");
  EXPECT_EQ(Told("squash 就算了"), "none");
  EXPECT_EQ(Told("don't retest, just tell me why PR 92 is red"), "gate_diagnose {\"pr\":92}");
  EXPECT_EQ(Told("don't squash and push"), "none");
}

TEST(Phrases, QuestionsAboutACommandAreNoRequestsButPoliteOnesAre) {
  EXPECT_EQ(Told("squash 会丢提交历史吗？"), "none");
  EXPECT_EQ(Told("does squash PR 12 lose commits?"), "none");
  EXPECT_EQ(Told("commit 之后会自动推送吗"), "none");
  EXPECT_EQ(Told("能不能帮我 squash #12？"), "squash {\"pr\":12}");
  EXPECT_EQ(Told("could you squash PR 12?"), "squash {\"pr\":12}");
}

TEST(Phrases, ReportsAndPlansAreNoRequests) {
  EXPECT_EQ(Told("我已经提交了"), "none");
  EXPECT_EQ(Told("I squashed PR 12 yesterday"), "none");
  EXPECT_EQ(Told("要提 PR 了，先吃饭"), "none");
  EXPECT_EQ(Told("The retest passed, thank you"), "none");
  EXPECT_EQ(Told("我晚点再提交"), "none");
}

TEST(Phrases, OtherBotsAndPeopleAreSpokenToByOthers) {
  EXPECT_EQ(Told("@dependabot squash and merge"), "none");
  EXPECT_EQ(Told("@zhangsan 帮忙 squash 一下 #12"), "none");
  EXPECT_EQ(Told("@yardmaster squash #12"), "squash {\"pr\":12}");
  EXPECT_EQ(Told("/lgtm"), "none");
}

TEST(Phrases, ConditionsOnSomethingElseAskBack) {
  EXPECT_EQ(Told("if CI is green, squash #12"), "ask");
  EXPECT_EQ(Told("先跑检查，没问题就提交"), "check then commit");
}

TEST(Phrases, AReportInFrontOfTheObjectIsNoRequest) {
  EXPECT_EQ(Told("刚把 #10 压了"), "none");
  EXPECT_EQ(Told("已经帮你把 #10 压了"), "none");
  EXPECT_EQ(Told("把刚才的改动推上去"), "commit");
  EXPECT_EQ(Told("把 #10 压了吧"), R"(squash {"pr":10})");
}

TEST(Phrases, ThanksForSomethingAskForNothing) {
  EXPECT_EQ(Told("感谢提交 PR！"), "none");
  EXPECT_EQ(Told("thanks for opening this PR"), "none");
  EXPECT_EQ(Told("提交一下，谢谢"), "commit");
  EXPECT_EQ(Told("thanks, please commit this"), "commit");
}

TEST(Phrases, AdviceAndWhatADocumentSaysAskForNothing) {
  EXPECT_EQ(Told("你应该先提交再推送，文档里写了"), "none");
  EXPECT_EQ(Told("规范要求先跑 UT 再提 PR"), "none");
  EXPECT_EQ(Told("you should squash #12"), "none");
  EXPECT_EQ(Told("the checklist says squash and push"), "none");
  EXPECT_EQ(Told("按规范生成一条 commit message"), "gen_commit_msg");
}

TEST(Phrases, SomebodyWhoIsNamedIsAskedInsteadOfUs) {
  EXPECT_EQ(Told("please rebase and push, @author"), "none");
  EXPECT_EQ(Told("作者麻烦 rebase 一下再推"), "none");
  EXPECT_EQ(Told("麻烦作者更新一下描述"), "none");
  EXPECT_EQ(Told("李工你把 #10 压一下"), "none");
  EXPECT_EQ(Told("Bob, please push your branch"), "ask");
  EXPECT_EQ(Told("大佬，帮我提交一下"), "commit");
}

TEST(Phrases, AStepThatIsToBeDoneFirstIsCarriedOutFirst) {
  EXPECT_EQ(Told("跑完 UT 就提交"), "test then commit");
  EXPECT_EQ(Told("lint 完了没问题就 commit"), "check then commit");
  EXPECT_EQ(Told("同步完 fork 再提个 PR"), "sync then pr");
  EXPECT_EQ(Told("提交完跑一下门禁"), "commit then gate_retest");
  EXPECT_EQ(Told("先跑 lint 再跑 UT 最后提交"), "check then test then commit");
  EXPECT_EQ(Told("UT 已经跑完了"), "none");
}

TEST(Phrases, WhatWentWrongIsNotAskedForAgain) {
  EXPECT_EQ(Told("推送失败，提示没权限"), "none");
  EXPECT_EQ(Told("push keeps failing with 403"), "none");
  EXPECT_EQ(Told("门禁触发失败了").rfind("gate_retest", 0), std::string::npos);
  EXPECT_EQ(Told("修复 #50 的门禁失败"), R"(gate_autofix {"pr":50})");
}

TEST(Phrases, HowSomethingIsDoneIsAQuestion) {
  EXPECT_EQ(Told("怎么查看门禁日志"), "none");
  EXPECT_EQ(Told("how do I append to a PR"), "none");
  EXPECT_EQ(Told("门禁怎么又挂了"), "gate_diagnose");
}

TEST(Phrases, ForbiddingMoreDoesNotTakeBackALook) {
  EXPECT_EQ(Told("帮我 review 一下，先不用改"), "review");
  EXPECT_EQ(Told("帮我提交一下，算了"), "none");
}

TEST(Phrases, OptionsBelongToTheirCommand) {
  EXPECT_EQ(Told("创建PR，不要 squash，目标分支用 br_infer_iter"), R"(pr {"base":"br_infer_iter","squash":false})");
  EXPECT_EQ(Told("提个 PR，UT 只跑改动的，ST 全跑"), R"(pr {"st":"full","ut":"changed"})");
  EXPECT_EQ(Told("追加到 #160，不用 rebase"), R"(pr_append {"pr":160,"rebase":false})");
  EXPECT_EQ(Told("不用跑 UT 了"), "none");
}

TEST(Phrases, NamesEndWhereOurWordsBegin) {
  EXPECT_EQ(Told("open PR, reviewer erin, skip UT and ST"), R"(pr {"reviewers":["erin"],"st":"skip","ut":"skip"})");
  EXPECT_EQ(Told("提 PR，检视人：wanglei、zhouyu、刘洋"), R"(pr {"reviewers":["wanglei","zhouyu","刘洋"]})");
}

TEST(Phrases, MessagesAreKeptAsWritten) {
  EXPECT_EQ(Told("commit with message \"fix: Handle Empty Mesh\""), R"(commit {"message":"fix: Handle Empty Mesh"})");
  EXPECT_EQ(Told("提交代码，commit message 用：refactor: 拆分 Op dispatch"),
            R"(commit {"message":"refactor: 拆分 Op dispatch"})");
}

TEST(Phrases, WordsAreFoundInBothScriptsAndWithMistakes) {
  EXPECT_EQ(Told("請幫我建立 PR"), "pr");
  EXPECT_EQ(Told("plz commmit my changes"), "commit");
  EXPECT_EQ(Told("帮我创健一个 PR"), "pr");
}

TEST(Phrases, AVerbInFrontOfANegationIsWhatItIsAbout) {
  EXPECT_EQ(Told("测试先不跑"), "none");
  EXPECT_EQ(Told("#12 的提交先别压"), "none");
  // Two things of which one is forbidden stay two.
  EXPECT_EQ(Told("提交代码，测试先不跑"), "commit");
}

TEST(Phrases, APermissionIsARequestOnlyWhereItHasComeToIt) {
  EXPECT_EQ(Told("可以提 PR 了"), "pr");
  EXPECT_EQ(Told("可以提 PR 了吗"), "none");
  EXPECT_EQ(Told("可以提 PR"), "none");
}

TEST(Phrases, AClauseThatOnlyNamesAPullRequestDesignatesIt) {
  EXPECT_EQ(Told("push, it's for #12"), R"(pr_append {"pr":12})");
  // More than one, or another sentence, names none.
  EXPECT_EQ(Told("push, it's for #12 and #13"), "ask");
  EXPECT_EQ(Told("push. #12"), "ask");
}

TEST(Phrases, WhatHasToWaitIsNotAskedFor) {
  EXPECT_EQ(Told("等评审完再提交，现在别提"), "none");
  EXPECT_EQ(Told("wait for CI, then push"), "none");
  EXPECT_EQ(Told("push if it passes"), "ask");
  EXPECT_EQ(Told("after the review is done, push"), "ask");
  // What it waits for is asked for as well: a sequence.
  EXPECT_EQ(Told("先跑 UT，等过了再提交"), "test then commit");
  EXPECT_EQ(Told("跑完 UT 再提交"), "test then commit");
}

TEST(Phrases, AQuestionAtTheEndIsOneInSpiteOfTheOrderOfWords) {
  EXPECT_EQ(Told("把 #12 的提交压一下吗"), "ask");
  EXPECT_EQ(Told("能把 #12 的提交压一下吗"), R"(squash {"pr":12})");
  EXPECT_EQ(Told("push it, right?"), "ask");
}

TEST(Phrases, WhatIsUnknownInFrontOfAVerbMayBeWhoOrWhen) {
  EXPECT_EQ(Told("接口定了再 squash 一下 #12"), "ask");
  EXPECT_EQ(Told("直接 squash 一下 #12"), R"(squash {"pr":12})");
}

TEST(Phrases, ALongMessageChoosesNoWrite) {
  const std::string filler(kMaxPhraseBytes, 'a');
  EXPECT_EQ(Told("squash #12 " + filler), "ask");
}

TEST(Phrases, BytesThatAreNoTextDoNoHarm) {
  EXPECT_EQ(Told(std::string("\xFF\xFE\x00\x01", 4)), "none");
  EXPECT_EQ(Told(""), "none");
  EXPECT_EQ(Told(std::string(5000, '/')), "none");
}

TEST(Phrases, AnAskHasItsChoices) {
  const Interpretation result = yardmaster::testing::ShippedPhrases()->Interpret("squash please", {});
  EXPECT_EQ(result.command, "ask");
  ASSERT_EQ(result.choices.size(), 1u);
  EXPECT_EQ(result.choices[0].command, "squash");
  EXPECT_FALSE(result.why.empty());
}

TEST(Phrases, WordsThatMayMeanSeveralCommandsNameThemAsChoices) {
  const Interpretation result = yardmaster::testing::ShippedPhrases()->Interpret("合并 #12", {});
  EXPECT_EQ(result.command, "ask");
  ASSERT_GT(result.choices.size(), 1u);
  EXPECT_EQ(result.choices[0].command, "squash");
  EXPECT_EQ(result.choices[0].slots.value("pr", 0), 12);
  for (const char* unclear :
       {"update PR 12", "check PR 12", "merge", "重跑一下", "帮忙修下 160 吧", "PR 12 按老规矩来"}) {
    EXPECT_FALSE(yardmaster::testing::ShippedPhrases()->Interpret(unclear, {}).choices.empty()) << unclear;
  }
}

TEST(Phrases, AFurtherCommandThatDependsOnAConditionSaysSo) {
  const Interpretation plain = yardmaster::testing::ShippedPhrases()->Interpret("review PR 160, then squash it", {});
  ASSERT_EQ(plain.then.size(), 1u);
  EXPECT_FALSE(plain.then[0].conditional);
  for (const char* text : {"review PR 160, and if it passes squash it", "检视一下 #160，没问题就 squash",
                           "review PR 160; if everything is fine, then squash it"}) {
    const Interpretation conditional = yardmaster::testing::ShippedPhrases()->Interpret(text, {});
    ASSERT_EQ(conditional.then.size(), 1u) << text;
    EXPECT_EQ(conditional.then[0].command, "squash") << text;
    EXPECT_TRUE(conditional.then[0].conditional) << text;
  }
}

}  // namespace
}  // namespace yardmaster::rules
