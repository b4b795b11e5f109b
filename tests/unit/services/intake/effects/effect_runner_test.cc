#include "services/intake/effects/effect_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "services/intake/effects/answer_comment.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/marker.h"
#include "services/intake/plans/label_history.h"
#include "tests/support/rounds.h"
#include "tests/unit/services/intake/effects/effect_runs.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kRepository;
using testing::MemoryForge;
using ::testing::SizeIs;
using testing::World;

v1::Action ReactAction(const std::string& comment, const std::string& content = "eyes") {
  v1::Action action;
  action.mutable_react()->set_comment(comment);
  action.mutable_react()->set_content(content);
  return action;
}
v1::Action AnswerAction(const std::string& body, int64_t revision, const std::string& name = "command-c7-0") {
  v1::Action action;
  action.mutable_answer_comment()->set_name(name);
  action.mutable_answer_comment()->set_body(body);
  action.mutable_answer_comment()->set_revision(revision);
  return action;
}
v1::Action RemoveAction(const std::vector<std::string>& labels, const std::string& command = "command-c7-0.0") {
  v1::Action action;
  for (const std::string& label : labels) action.mutable_remove_labels()->add_labels(label);
  action.mutable_remove_labels()->set_command(command);
  return action;
}
v1::Action AddAction(const std::vector<std::string>& labels, const std::string& command) {
  v1::Action action;
  for (const std::string& label : labels) action.mutable_add_labels()->add_labels(label);
  action.mutable_add_labels()->set_command(command);
  return action;
}

class CommandEffects : public testing::EffectRuns {
 protected:
  CommandEffects() : EffectRuns(v1::SUBJECT_KIND_ISSUE) {
    issue_ = &world_.forge_.Open(kRepository, 1, "title", "body", {"bug", "area: net"});
    world_.forge_.Comment(*issue_, "alice", "/unlabel bug");
    asked_ = issue_->comments.back().id;
  }

  // Comments with the marker of a name, as they are shown.
  std::vector<std::string> Answers(const std::string& name = "command-c7-0") {
    std::vector<std::string> bodies;
    for (const ForgeComment& comment : world_.forge_.At(kRepository, 1).comments) {
      const std::optional<std::string> key = MarkerKey(comment.body);
      if (key.has_value() && RevisionOfAnswer(*key, AnswerKey(subject_, name, 0)).has_value()) {
        bodies.push_back(comment.body.substr(0, comment.body.find("\n\n<!-- yardmaster ")));
      }
    }
    return bodies;
  }

  MemoryForge::Issue* issue_ = nullptr;
  std::string asked_;
};

// --- answer_comment ---

TEST_F(CommandEffects, AnswerIsOneCommentThatIsUpdatedInPlace) {
  ASSERT_TRUE(Run({AnswerAction("working", 0)}).done());
  EXPECT_THAT(Answers(), ElementsAre("working"));
  const std::string id = issue_->comments.back().id;
  EXPECT_THAT(issue_->comments.back().body, ::testing::EndsWith(" -->"));
  ASSERT_TRUE(Run({AnswerAction("working", 0), AnswerAction("took off bug", 1)}).done());
  EXPECT_THAT(Answers(), ElementsAre("took off bug"));
  EXPECT_EQ(issue_->comments.back().id, id);
  EXPECT_EQ(world_.forge_.edits[id], 1);
  EXPECT_EQ(Last().forge_ref, id);
  world_.ExpectSettled();
}

TEST_F(CommandEffects, AnswerThatWasGivenIsNotGivenAgain) {
  ASSERT_TRUE(Run({AnswerAction("working", 0), AnswerAction("done", 1)}).done());
  const int writes = world_.forge_.writes;
  ASSERT_TRUE(Run({AnswerAction("working", 0), AnswerAction("done", 1)}).done());
  EXPECT_EQ(world_.forge_.writes, writes);
  EXPECT_THAT(Answers(), ElementsAre("done"));
}

TEST_F(CommandEffects, WhatIsNoLongerWantedIsRefusedUnlessItWasSent) {
  const auto note = [&](const std::string& key) {
    store::NewEffect effect;
    effect.key = key;
    effect.subject = subject_;
    effect.kind = "react";
    effect.action = ReactAction(asked_);
    const auto intent = world_.store_->ledger().Intent(effect);
    EXPECT_TRUE(intent.ok()) << intent.status();
    return intent.ok() ? intent->id : 0;
  };
  note("late");
  note("other");
  ASSERT_TRUE(world_.store_->ledger().Sending(note("sent")).ok());
  for (const std::string key : {"late", "sent", "unknown"}) {
    EXPECT_TRUE(world_.effects_->RefuseIfUnsent(subject_, key).ok()) << key;
  }
  std::map<std::string, bool> refused;
  for (const store::Effect& effect : world_.Effects())
    refused[effect.key] = effect.state == store::EffectState::kRefused;
  EXPECT_EQ(refused, (std::map<std::string, bool>{{"late", true}, {"other", false}, {"sent", false}}));
}

TEST_F(CommandEffects, OlderTextNeverReplacesALaterOne) {
  ASSERT_TRUE(Run({AnswerAction("done", 3)}).done());
  ASSERT_TRUE(Run({AnswerAction("working", 2)}).done());
  EXPECT_THAT(Answers(), ElementsAre("done"));
}

TEST_F(CommandEffects, NamesAreDifferentComments) {
  ASSERT_TRUE(Run({AnswerAction("a", 0, "command-c7-0"), AnswerAction("b", 0, "command-c7-1")}).done());
  EXPECT_THAT(Answers("command-c7-0"), ElementsAre("a"));
  EXPECT_THAT(Answers("command-c7-1"), ElementsAre("b"));
}

TEST_F(CommandEffects, AnswerThatSomebodyDeletedIsGivenAnew) {
  ASSERT_TRUE(Run({AnswerAction("working", 0)}).done());
  issue_->comments.pop_back();
  ASSERT_TRUE(Run({AnswerAction("done", 1)}).done());
  EXPECT_THAT(Answers(), ElementsAre("done"));
}

TEST_F(CommandEffects, MarkerInAForeignCommentIsNotOurs) {
  ASSERT_TRUE(Run({AnswerAction("working", 0)}).done());
  // Somebody copies our comment with a later number, to keep us from answering.
  std::string copy = issue_->comments.back().body;
  copy.replace(copy.rfind("-0 -->"), 6, "-9 -->");
  world_.forge_.Comment(*issue_, "mallory", copy);
  ASSERT_TRUE(Run({AnswerAction("done", 1)}).done());
  EXPECT_EQ(issue_->comments.size(), 3U);
  EXPECT_THAT(issue_->comments[1].body, HasSubstr("done"));
  EXPECT_EQ(issue_->comments[2].body, copy);
}

TEST_F(CommandEffects, WhereCommentsCantBeEditedTheOutcomeIsANewComment) {
  world_.forge_.editable = false;
  ASSERT_TRUE(Run({AnswerAction("working", 0), AnswerAction("done", 1)}).done());
  EXPECT_THAT(Answers(), ElementsAre("working", "done"));
  ASSERT_TRUE(Run({AnswerAction("working", 0), AnswerAction("done", 1)}).done());
  EXPECT_THAT(Answers(), ElementsAre("working", "done")) << "and only once";
}

TEST_F(CommandEffects, TextIsCutSoThatTheMarkerFits) {
  std::string text;
  for (size_t i = 0; i < kMaxAnswerCharacters + 10; ++i) text += "字";
  ASSERT_TRUE(Run({AnswerAction(text, 0)}).done());
  ASSERT_THAT(Answers(), SizeIs(1));
  EXPECT_EQ(Answers()[0], text.substr(0, 3 * kMaxAnswerCharacters) + "\n\n…");
}

TEST_F(CommandEffects, TextThatEndsLikeAMarkerDoesNotHideOurs) {
  const std::string fake = Marker("tiny", "x", "a-0000000000000000-7");
  ASSERT_TRUE(Run({AnswerAction("see " + fake, 0)}).done());
  EXPECT_THAT(Answers(), SizeIs(1));
}

TEST_F(CommandEffects, NamesThatDoNotFitAMarkerAreNoAction) {
  for (const char* name : {"", "a b", "a-->", "a\nb", "a=b"}) {
    EXPECT_FALSE(AnswerCommentEffect().Prepare(plan_, AnswerAction("x", 0, name)).ok()) << name;
  }
  EXPECT_FALSE(AnswerCommentEffect().Prepare(plan_, AnswerAction(" \n", 0)).ok());
  EXPECT_FALSE(AnswerCommentEffect().Prepare(plan_, AnswerAction("x", -1)).ok());
}

TEST_F(CommandEffects, KeyOfAnAnswerSaysWhichAndWhichRevision) {
  const std::string key = AnswerKey(subject_, "review", 12);
  EXPECT_EQ(RevisionOfAnswer(key, AnswerKey(subject_, "review", 0)), 12);
  EXPECT_EQ(RevisionOfAnswer(key, AnswerKey(subject_, "other", 0)), std::nullopt);
  EXPECT_EQ(RevisionOfAnswer("c-0123456789abcdef", key), std::nullopt);
  EXPECT_EQ(RevisionOfAnswer("", key), std::nullopt);
  v1::Subject pull = subject_;
  pull.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_NE(AnswerKey(pull, "review", 12), key);
}

TEST_F(CommandEffects, ReadThatFailsBeforeTheWriteIsNoWriteOfUnknownOutcome) {
  world_.forge_.Seed(1, {.lost_before = 100});
  const Outcome step = Attempt({AnswerAction("working", 0)});
  EXPECT_EQ(step.kind, Outcome::Kind::kRetry);
  const store::Effect effect = Last();
  EXPECT_EQ(effect.state, store::EffectState::kIntent);
  EXPECT_FALSE(effect.sent_at.has_value()) << "it was certainly not sent";
  EXPECT_EQ(world_.forge_.writes, 0);
  EXPECT_EQ(effect.attempts, 0);
}

TEST_F(CommandEffects, LostAnswerOfACreationIsFoundByReading) {
  world_.forge_.Seed(1, {.lost_after = 100});
  EXPECT_EQ(Attempt({AnswerAction("working", 0)}).kind, Outcome::Kind::kWait);
  world_.forge_.Seed(1, {});
  ASSERT_TRUE(Run({AnswerAction("working", 0), AnswerAction("done", 1)}).done());
  EXPECT_THAT(Answers(), ElementsAre("done"));
}

TEST_F(CommandEffects, EditThatLandsLateIsWaitedForAndNotSentTwice) {
  ASSERT_TRUE(Run({AnswerAction("working", 0)}).done());
  const std::string id = issue_->comments.back().id;
  world_.forge_.Seed(1, {.late = 100});
  EXPECT_EQ(Attempt({AnswerAction("done", 1)}).kind, Outcome::Kind::kWait);
  world_.forge_.Seed(1, {});
  ASSERT_TRUE(Run({AnswerAction("done", 1)}).done());
  EXPECT_THAT(Answers(), ElementsAre("done"));
  EXPECT_EQ(world_.forge_.edits[id], 1);
}

// --- react ---

TEST_F(CommandEffects, ReactionIsPutOnACommentAndOnTheOpeningPost) {
  ASSERT_TRUE(Run({ReactAction(asked_), ReactAction("", "+1")}).done());
  EXPECT_THAT(issue_->reactions[asked_], ElementsAre("eyes"));
  EXPECT_THAT(issue_->reactions[""], ElementsAre("+1"));
  const int writes = world_.forge_.writes;
  ASSERT_TRUE(Run({ReactAction(asked_), ReactAction("", "+1")}).done());
  EXPECT_EQ(world_.forge_.writes, writes);
}

TEST_F(CommandEffects, ReactionWhoseAnswerIsLostIsSettledBySendingItAgain) {
  world_.forge_.Seed(1, {.late = 100});
  EXPECT_EQ(Attempt({ReactAction(asked_)}).kind, Outcome::Kind::kWait);
  world_.forge_.Seed(1, {});
  ASSERT_TRUE(Run({ReactAction(asked_), AnswerAction("done", 0)}).done());
  EXPECT_THAT(world_.forge_.At(kRepository, 1).reactions[asked_], ElementsAre("eyes"));
  world_.ExpectSettled();
}

TEST_F(CommandEffects, NobodyWaitsForAReactionThatIsRefused) {
  ForgeError error;
  error.reason = ForgeReason::kForbidden;
  error.outcome = ForgeOutcome::kRefused;
  error.http_status = 403;
  world_.forge_.refuse_writes = MakeForgeStatus(error, "the conversation is locked");
  ASSERT_TRUE(Attempt({ReactAction(asked_)}).done());
  EXPECT_EQ(Last().state, store::EffectState::kRefused);
  EXPECT_EQ(Last().reason, "the conversation is locked");
  world_.forge_.refuse_writes = absl::OkStatus();
  ASSERT_TRUE(Attempt({ReactAction(asked_), AnswerAction("done", 0)}).done());
  EXPECT_THAT(world_.Effects(), SizeIs(2)) << "it is not tried again";
  EXPECT_THAT(Answers(), ElementsAre("done"));
}

TEST_F(CommandEffects, ReactionToACommentThatIsGoneHoldsNothingUp) {
  issue_->comments.clear();
  ASSERT_TRUE(Run({ReactAction(asked_), AnswerAction("done", 0)}).done());
  EXPECT_THAT(Answers(), ElementsAre("done"));
  world_.ExpectSettled();
}

TEST_F(CommandEffects, ForgeWithoutReactionsRefusesThemAndTheWorkGoesOn) {
  MemoryForge gitcode(world_.clock_, "gitcode");
  gitcode.Open(kRepository, 1, "title", "body", {});
  ConfiguredForge account(gitcode, GitCodeProfile(), {}, "yardbot", world_.clock_, *world_.notices_);
  const EffectContext context{account, {}};
  std::string key;
  EXPECT_TRUE(world_.effects_->Run(plan_, ReactAction("5"), 1, started_, context, key).done());
  EXPECT_EQ(Last().state, store::EffectState::kRefused);
}

TEST_F(CommandEffects, UnknownReactionIsNoAction) {
  EXPECT_FALSE(ReactEffect().Prepare(plan_, ReactAction("5", "tada")).ok());
}

// --- remove_labels, add_labels that were asked for ---

TEST_F(CommandEffects, LabelIsTakenOffAndNoOtherOne) {
  ASSERT_TRUE(Run({RemoveAction({"bug"})}).done());
  EXPECT_EQ(world_.Labels(1), (std::set<std::string>{"area: net"}));
  EXPECT_EQ(Last().forge_ref, "bug");
  ASSERT_TRUE(Run({RemoveAction({"not there"}, "other")}).done());
  EXPECT_EQ(world_.Labels(1), (std::set<std::string>{"area: net"}));
}

TEST_F(CommandEffects, SameCommandTakesALabelOffOnceAndAnotherCommandAgain) {
  ASSERT_TRUE(Run({RemoveAction({"bug"})}).done());
  issue_->issue.labels.emplace_back("bug");  // a person puts it back
  ASSERT_TRUE(Run({RemoveAction({"bug"})}).done());
  EXPECT_EQ(world_.Labels(1).count("bug"), 1U);
  ASSERT_TRUE(Run({RemoveAction({"bug"}, "command-c8-0.0")}).done());
  EXPECT_EQ(world_.Labels(1).count("bug"), 0U);
}

TEST_F(CommandEffects, SameCommandAddsALabelOnceAndAnotherCommandAgain) {
  ASSERT_TRUE(Run({AddAction({"wanted"}, "c7.0")}).done());
  issue_->issue.labels = {"bug"};
  ASSERT_TRUE(Run({AddAction({"wanted"}, "c7.0")}).done());
  EXPECT_EQ(world_.Labels(1).count("wanted"), 0U);
  ASSERT_TRUE(Run({AddAction({"wanted"}, "c8.0")}).done());
  EXPECT_EQ(world_.Labels(1).count("wanted"), 1U);
  // Without a command the key is what it always was.
  EXPECT_NE(AddLabelsEffect().Prepare(plan_, AddAction({"wanted"}, ""))->key,
            AddLabelsEffect().Prepare(plan_, AddAction({"wanted"}, "c7.0"))->key);
}

TEST_F(CommandEffects, LastWordAboutALabelSaysWhoseItIs) {
  ASSERT_TRUE(Run({AddAction({"decided", "taken"}, ""), AddAction({"asked"}, "c7.0"), RemoveAction({"taken"})}).done());
  auto history = ReadLabelHistory(*world_.ledger_, *world_.subjects_, subject_, issue_->issue.labels);
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_THAT(history->ours, ElementsAre("decided"));
  EXPECT_THAT(history->removed, ElementsAre("taken"));
  ASSERT_TRUE(Run({AddAction({"taken", "decided"}, "c8.0")}).done());
  history = ReadLabelHistory(*world_.ledger_, *world_.subjects_, subject_, issue_->issue.labels);
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_THAT(history->ours, IsEmpty());
}

TEST(CommandEffectsInThePipe, LabelThatWasTakenOffByACommandIsNotPutBackByADecision) {
  World world;
  MemoryForge::Issue& issue =
      world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue", "area: net"});
  v1::Plan plan;
  plan.mutable_subject()->set_forge("github");
  plan.mutable_subject()->set_repository(kRepository);
  plan.mutable_subject()->set_number(1);
  plan.mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
  std::string key;
  ASSERT_TRUE(
      world.effects_
          ->Run(plan, RemoveAction({"area: net"}), 0, world.clock_.Now(), EffectContext{*world.account_, {}}, key)
          .done());
  ASSERT_EQ(issue.removed["area: net"], 1);
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1).count("team b"), 1U) << "the others are decided as ever";
  EXPECT_EQ(world.Labels(1).count("area: net"), 0U);
}

// --- Faults and deaths ---

// What a command leads to.
std::vector<v1::Action> WholeCommand(const std::string& asked) {
  return {ReactAction(asked), AnswerAction("working", 0), RemoveAction({"bug"}), AddAction({"wanted"}, "c7.0"),
          AnswerAction("took off bug", 1)};
}

class CommandEffectsUnderFaults : public CommandEffects {
 protected:
  void ExpectDoneOnce() {
    EXPECT_THAT(Answers(), ElementsAre("took off bug"));
    MemoryForge::Issue& issue = world_.forge_.At(kRepository, 1);
    EXPECT_THAT(issue.comments, SizeIs(2));
    EXPECT_THAT(issue.reactions[asked_], ElementsAre("eyes"));
    EXPECT_EQ(issue.removed["bug"], 1);
    EXPECT_EQ(issue.added["wanted"], 1);
    EXPECT_EQ(world_.Labels(1), (std::set<std::string>{"area: net", "wanted"}));
    world_.ExpectSettled();
  }
};

TEST_F(CommandEffectsUnderFaults, EveryPointOfDeathLeavesEverythingDoneOnce) {
  world_.points_ = 0;
  ASSERT_TRUE(Run(WholeCommand(asked_)).done());
  const int64_t points = world_.points_;
  ASSERT_GT(points, 30);
  for (int64_t die_at = 1; die_at <= points; ++die_at) {
    SCOPED_TRACE("death at point " + std::to_string(die_at));
    // A subject of its own for each, in the same store.
    const int64_t number = 100 + die_at;
    MemoryForge::Issue& issue = world_.forge_.Open(kRepository, number, "title", "body", {"bug", "area: net"});
    world_.forge_.Comment(issue, "alice", "/unlabel bug");
    const std::string asked = issue.comments.back().id;
    subject_.set_number(number);
    *plan_.mutable_subject() = subject_;
    started_ = world_.clock_.Now();
    world_.points_ = 0;
    world_.die_at_ = die_at;
    ASSERT_TRUE(Run(WholeCommand(asked)).done());
    world_.die_at_ = 0;
    ASSERT_THAT(issue.comments, SizeIs(2));
    EXPECT_THAT(issue.comments[1].body, HasSubstr("took off bug"));
    EXPECT_THAT(issue.reactions[asked], ElementsAre("eyes"));
    EXPECT_EQ(issue.removed["bug"], 1);
    EXPECT_EQ(issue.added["wanted"], 1);
    world_.ExpectSettled();
  }
}

TEST(CommandEffectsBySeed, FaultsAndDeathsLoseNothingAndDoNothingTwice) {
  class Case : public CommandEffectsUnderFaults {
   public:
    void TestBody() override {}
    void Go(uint64_t seed) {
      std::mt19937_64 random(seed);
      world_.forge_.Seed(seed,
                         {.not_sent = 8, .limited = 8, .lost_before = 8, .lost_after = 8, .late = 8, .invisible = 8});
      int deaths = 0;
      world_.die_again = [&]() -> int64_t { return ++deaths < 5 ? static_cast<int64_t>(1 + random() % 60) : -1; };
      world_.points_ = 0;
      world_.die_at_ = static_cast<int64_t>(1 + random() % 80);
      EXPECT_TRUE(Run(WholeCommand(asked_)).done());
      world_.die_at_ = 0;
      // What was sent late and twice has landed by now.
      world_.clock_.Advance(std::chrono::minutes(1));
      ExpectDoneOnce();
    }
  };
  const uint64_t seeds = testing::Rounds("YARD_SIMULATION_SEEDS", 60);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case().Go(seed);
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace yardmaster
