// Commands through the whole pipe, in one thread on a clock of its own: a real store, a forge in memory, deaths at
// every point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/unit/services/commands/pipe/command_world.h"

namespace yardmaster::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using yardmaster::testing::CommandWorld;
using yardmaster::testing::kRepository;
using yardmaster::testing::MemoryForge;

TEST(CommandsPipe, CommandIsAcknowledgedCarriedOutAndAnswered) {
  CommandWorld world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket", "x", {});
  const int64_t id = world.Comment(1, "maria", "/label question");
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"question"});
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("question"));
  EXPECT_EQ(issue.reactions[world.last_comment_], std::set<std::string>{"eyes"});
  EXPECT_EQ(world.Outcome(1), "done");
  world.ExpectSettled();
}

TEST(CommandsPipe, ForgeWithoutReactionsGetsTheAnswerAtOnceAndUpdatesIt) {
  CommandWorld world;
  world.forge_.reactions = false;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "bob", "/help");
  world.Run();
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("/label"));
  ASSERT_EQ(world.forge_.edits.size(), 1U);
  EXPECT_EQ(world.forge_.edits.begin()->second, 1);
}

TEST(CommandsPipe, GuardrailsHoldForPeopleToo) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {"team a"});
  world.Comment(1, "maria", "/label sev1, team b, high priority, area: net");
  world.Run();
  EXPECT_EQ(world.Labels(1), (std::set<std::string>{"team a", "area: net"})) << "one team only, and never sev1";
  const std::string answer = world.OnlyAnswer(1);
  EXPECT_THAT(answer, HasSubstr("sev1"));
  EXPECT_THAT(answer, HasSubstr("team b"));
}

TEST(CommandsPipe, WhatAPersonTookOffByACommandIsNotPutBackByTriage) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  world.Run();
  ASSERT_EQ(world.Labels(1).count("area: net"), 1U);
  world.Comment(1, "maria", "/unlabel area: net");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 0U);
  world.Comment(1, "maria", "/triage");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 0U);
  EXPECT_EQ(world.Answers(1).size(), 2U);
  // The person may want it again.
  world.Comment(1, "maria", "/label area: net");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 1U);
}

TEST(CommandsPipe, EditWithoutChangeAndReplayDoNothing) {
  CommandWorld world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "maria", "/label question");
  world.Run();
  const std::string comment = world.last_comment_;
  issue.issue.labels.clear();
  const int64_t edited = world.Comment(1, "maria", "so:\n\n/label question", "edited", comment);
  world.Run();
  EXPECT_EQ(world.StateOf(edited), "ignored (commands-known)");
  EXPECT_TRUE(world.Labels(1).empty());
  // Changed: it runs, and the answer is the same comment.
  world.Comment(1, "maria", "/label area: net", "edited", comment);
  world.Run();
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"area: net"});
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("area: net"));
}

TEST(CommandsPipe, OvertakenTextAsksForNothingThatIsGone) {
  CommandWorld world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket", "x", {});
  const int64_t id = world.Comment(1, "maria", "/label question");
  issue.comments.back().body = "never mind";
  world.Run();
  EXPECT_EQ(world.StateOf(id), "ignored (commands-known: they are no longer there)");
  EXPECT_TRUE(world.Labels(1).empty());
  EXPECT_TRUE(world.Answers(1).empty());
}

TEST(CommandsPipe, ForgeThatRefusesTheWorkIsToldInTheAnswer) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  int writes = 0;
  world.forge_.before_write = [&] {
    // The reaction passes, the label does not, the answer does.
    ForgeError error{ForgeReason::kInvalid, ForgeOutcome::kRefused, 422, std::nullopt};
    world.forge_.refuse_writes = ++writes == 2 ? MakeForgeStatus(error, "no such @label") : absl::OkStatus();
  };
  const int64_t id = world.Comment(1, "maria", "/label question");
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  const std::string answer = world.OnlyAnswer(1);
  EXPECT_THAT(answer, HasSubstr("did not work"));
  EXPECT_THAT(answer, Not(HasSubstr("@label"))) << "defanged";
  EXPECT_THAT(world.Outcome(1), HasSubstr("failed"));
}

TEST(CommandsPipe, DryRunNotesWhatItWouldDo) {
  CommandWorld world;
  world.config_.mode = RunMode::kDryRun;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "maria", "/label question");
  world.Run();
  EXPECT_EQ(world.forge_.writes, 0);
  EXPECT_EQ(world.Outcome(1), "dry-run: done");
  // What was asked for then is not carried out later.
  world.config_.mode = RunMode::kApply;
  world.Comment(1, "maria", "again:\n\n/label question", "edited", world.last_comment_);
  world.Run();
  EXPECT_EQ(world.forge_.writes, 0);
}

TEST(CommandsPipe, SentenceWithSeveralCommandsIsCarriedOutInItsOrder) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Comment(1, "maria", "@yardbot triage this issue again, then tell me why it got its labels");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 1U);
  const auto answers = world.Answers(1);
  ASSERT_EQ(answers.size(), 2U) << "one for each";
  EXPECT_THAT(answers.begin()->second, HasSubstr("/triage"));
  EXPECT_THAT(std::next(answers.begin())->second, HasSubstr("/why"));
  EXPECT_THAT(std::next(answers.begin())->second, HasSubstr("net.word")) << "the decision that the first one made";
  world.ExpectSettled();
}

TEST(CommandsPipe, WhatDependsOnSomethingThatWasNotDoneIsStopped) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  // The author may open a pull request, but not have the issue triaged.
  world.Comment(1, "alice", "@yardbot triage this issue again, then create a pull request to main");
  world.Run();
  const auto answers = world.Answers(1);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_THAT(answers.begin()->second, HasSubstr("was not carried out"));
  EXPECT_THAT(std::next(answers.begin())->second, HasSubstr("/triage"));
  EXPECT_THAT(std::next(answers.begin())->second, HasSubstr("which was not done"));
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"queue"});
  world.ExpectSettled();
}

TEST(CommandsPipe, SentenceThatIsEditedElsewhereIsNotCarriedOutAgain) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  const std::string sentence = "@yardbot triage this issue again, then tell me why it got its labels";
  world.Comment(1, "maria", sentence);
  world.Run();
  ASSERT_EQ(world.Answers(1).size(), 2U);
  const int64_t edited = world.Comment(1, "maria", "Please:\n\n" + sentence, "edited", world.last_comment_);
  world.Run();
  EXPECT_EQ(world.StateOf(edited), "ignored (commands-known)");
  EXPECT_EQ(world.Answers(1).size(), 2U);
}

TEST(CommandsPipe, QuestionBackOffersTheChoices) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "maria", "@yardbot 合并 #12");
  world.Run();
  const std::string answer = world.OnlyAnswer(1);
  EXPECT_THAT(answer, HasSubstr("squash 12"));
  EXPECT_THAT(answer, HasSubstr("没有做任何事"));
  EXPECT_EQ(world.Outcome(1), "asked-back");
}

TEST(CommandsPipe, WhatWasNotReadIsNamed) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  std::string many;
  for (int i = 0; i < 22; ++i) many += "/why " + std::to_string(i + 1) + "\n";
  world.Comment(1, "bob", many);
  world.Run();
  EXPECT_EQ(world.Answers(1).size(), 20U);
  size_t named = 0;
  for (const auto& [name, body] : world.Answers(1)) named += body.find("was not read") != std::string::npos ? 1 : 0;
  EXPECT_EQ(named, 1U) << "in the answer to the last one";

  world.forge_.Open(kRepository, 2, "socket", "x", {});
  std::string deep;
  for (int i = 0; i < 4096; ++i) deep += "- ";
  world.Comment(2, "bob", deep + "a\n/why");
  world.Run();
  EXPECT_THAT(world.OnlyAnswer(2), HasSubstr("nested so deep"));
  world.forge_.Open(kRepository, 3, "socket", "x", {});
  world.Comment(3, "bob", deep + "a\n/usr/lib is full");
  world.Run();
  EXPECT_TRUE(world.Answers(3).empty()) << "nothing in it is for us";

  world.forge_.Open(kRepository, 4, "socket", "x", {});
  world.Comment(4, "bob", "/why\n" + std::string(70'000, 'x') + "\n/help");
  world.Run();
  EXPECT_THAT(world.OnlyAnswer(4), HasSubstr("longer than 64 KiB"));
  world.ExpectSettled();
}

TEST(CommandsPipe, LabelThatTheForgeKeepsDoesNotHideThoseThatAreTakenOff) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {"question", "wish"});
  int writes = 0;
  world.forge_.before_write = [&] {
    // The reaction and the first label pass, the second does not, the answer does.
    ForgeError error{ForgeReason::kInvalid, ForgeOutcome::kRefused, 422, std::nullopt};
    world.forge_.refuse_writes = ++writes == 3 ? MakeForgeStatus(error, "it is locked") : absl::OkStatus();
  };
  world.Comment(1, "maria", "/unlabel question, wish");
  world.Run();
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"wish"});
  const std::string answer = world.OnlyAnswer(1);
  EXPECT_THAT(answer, HasSubstr("did not work: wish"));
  EXPECT_THAT(answer, HasSubstr("it is locked"));
  EXPECT_THAT(answer, HasSubstr("question\n")) << "what was taken off comes last";
  std::map<std::string, std::string> states;
  for (const store::Effect& effect : world.Effects()) {
    if (effect.kind != "remove_labels") continue;
    states[effect.action.remove_labels().labels(0) != "wish" ? "question" : "wish"] =
        std::string(store::EffectStateName(effect.state));
  }
  EXPECT_EQ(states, (std::map<std::string, std::string>{{"question", "confirmed"}, {"wish", "refused"}}));
}

TEST(CommandsPipe, WithoutPermissionToReadFilesCommandsAreAnsweredAndTheOperatorIsToldOnce) {
  CommandWorld world;
  world.forge_.refuse_files = MakeForgeStatus({ForgeReason::kForbidden, ForgeOutcome::kRefused, 403, std::nullopt},
                                              "Resource not accessible by integration");
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Comment(1, "maria", "/help");
  world.Run();
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("/triage"));
  std::vector<std::string> keys;
  for (const Notice& notice : world.notices_->List()) keys.push_back(notice.key);
  EXPECT_THAT(keys, ::testing::Contains("files of github:octo/repo"));
}

TEST(CommandsPipe, BrokenRepositoryFileForbidsTriageByCommand) {
  CommandWorld world;
  world.forge_.files[std::string(kRepository) + "  .github/yardmaster.json"] = "{";
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Comment(1, "maria", "/triage");
  world.Run();
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"queue"});
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("nothing is written until they are mended"));
}

// Dies at every point in turn: between reaction, work and answer, in every call to store and forge.
TEST(CommandsPipe, DeathAtAnyPointLeavesOneAnswerAndNothingTwice) {
  for (const bool reactions : {true, false}) {
    // Every eleventh point: many differ only by where in one call it dies. Each face meets others.
    for (int64_t point = reactions ? 1 : 6;; point += 11) {
      SCOPED_TRACE(std::string(reactions ? "reactions" : "no reactions") + ", death at point " + std::to_string(point));
      CommandWorld world;
      world.forge_.reactions = reactions;
      MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
      world.Comment(1, "maria", "/label question\n/unlabel queue\n/triage");
      world.Comment(1, "bob", "/label wish");
      const int deaths = world.Run(point);
      EXPECT_EQ(world.Labels(1).count("question"), 1U);
      EXPECT_EQ(issue.added["question"], 1);
      EXPECT_EQ(world.Labels(1).count("wish"), 0U);
      std::set<std::string> names;
      const auto answers = world.Answers(1);
      for (const auto& [name, body] : answers) names.insert(name);
      EXPECT_EQ(answers.size(), 4U);
      EXPECT_EQ(names.size(), 4U);
      world.ExpectSettled();
      if (::testing::Test::HasFailure()) return;
      if (deaths == 0) {
        EXPECT_GT(point, 50);
        break;
      }
    }
  }
}

TEST(CommandsPipe, UnwellForgeAndRepeatedDeathsStillEndInOneAnswer) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CommandWorld world;
    world.forge_.reactions = seed % 2 == 0;
    MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {});
    world.forge_.Seed(seed,
                      {.not_sent = 5, .limited = 5, .lost_before = 5, .lost_after = 8, .late = 6, .invisible = 6});
    std::mt19937_64 random(seed);
    world.die_again = [&random] { return static_cast<int64_t>(1 + random() % 40); };
    world.Comment(1, "maria", "/label question\n/help label");
    world.Comment(1, "bob", "/label team b");
    int deaths = 0;
    world.die_again = [&]() -> int64_t { return ++deaths < 6 ? static_cast<int64_t>(1 + random() % 40) : 1'000'000; };
    world.Run(static_cast<int64_t>(1 + random() % 20));
    EXPECT_EQ(world.Labels(1), std::set<std::string>{"question"});
    EXPECT_EQ(issue.added["question"], 1);
    EXPECT_EQ(world.Answers(1).size(), 3U);
    world.ExpectSettled();
  }
}

}  // namespace
}  // namespace yardmaster::commands
