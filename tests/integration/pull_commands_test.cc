// Commands that work on the commits of a pull request, from outside: people write them on both faces of the forge, the
// real daemon plans them in its cache and pushes to a real git server.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/pull_fixture.h"
#include "tests/support/faces.h"
#include "tests/support/rounds.h"
#include "yardmaster/v1/workflow.grpc.pb.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::kFork;
using testing::kUpstream;

class PullCommandsTest : public testing::PullTest {};

INSTANTIATE_TEST_SUITE_P(Faces, PullCommandsTest, ::testing::ValuesIn(testing::Faces<std::string>("gitcode")),
                         [](const auto& face) { return face.param; });

TEST_P(PullCommandsTest, SquashMakesOneCommitOnTheMergeBaseAndUndoBringsTheOldOnesBack) {
  StartPull();
  // The branch that it goes to has gone on: nothing of that is taken in or taken back.
  MoveMain("c.py", "x = 1\n");
  const std::string old = There(kFork, "topic");
  const std::string answer = Say("alice", "/squash");
  EXPECT_THAT(answer, HasSubstr("2 commits into one"));
  EXPECT_THAT(answer, HasSubstr(old.substr(0, 12)));
  EXPECT_THAT(answer, HasSubstr("/undo"));
  const std::string now = There(kFork, "topic");
  EXPECT_THAT(answer, HasSubstr(now.substr(0, 12)));
  EXPECT_EQ(There(kFork, "topic^{tree}"), There(kFork, old + "^{tree}"));
  EXPECT_EQ(There(kFork, "topic^"), There(kFork, old + "~2"));
  const std::string message = Git("log -1 --format=%B topic", std::string("served/") + kFork + ".git");
  EXPECT_THAT(message, HasSubstr("feat(a): add two"));
  EXPECT_THAT(message, HasSubstr("* feat(b): add three"));
  EXPECT_THAT(message, HasSubstr("Signed-off-by: Alice <alice@example.com>"));
  EXPECT_EQ(Git("log -1 --format=%an%ae%ce topic", std::string("served/") + kFork + ".git"),
            "Alicealice@example.comalice@example.com");

  EXPECT_THAT(Say("alice", "/squash"), HasSubstr("only 1 commit"));
  EXPECT_EQ(There(kFork, "topic"), now);
  EXPECT_THAT(Say("alice", "/undo"), HasSubstr(old.substr(0, 12)));
  EXPECT_EQ(There(kFork, "topic"), old);
  EXPECT_THAT(Say("alice", "/undo"), HasSubstr("nothing was done here"));
  EXPECT_EQ(There(kFork, "topic"), old);
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(PullCommandsTest, UndoLeavesABranchAloneThatHasMovedOn) {
  StartPull();
  Say("alice", "/squash -m 'feat: two more'");
  Git("fetch -q " + git_root_ + "/" + kFork + ".git topic");
  Git("checkout -q -B topic FETCH_HEAD");
  Commit("topic", "d.py", "y = 1\n", "more");
  PushTo(kFork, "topic");
  const std::string moved = There(kFork, "topic");
  EXPECT_THAT(Say("alice", "/undo"), HasSubstr("has moved since"));
  EXPECT_EQ(There(kFork, "topic"), moved);
}

TEST_P(PullCommandsTest, RebaseGoesOntoTheTipAndAConflictIsShownWithItsLines) {
  StartPull();
  EXPECT_THAT(Say("alice", "/rebase"), HasSubstr("up to date"));
  MoveMain("c.py", "x = 1\n");
  const std::string tip = There(kUpstream, "main");
  EXPECT_THAT(Say("alice", "/rebase"), HasSubstr("2 commits onto"));
  EXPECT_EQ(There(kFork, "topic~2"), tip);
  EXPECT_EQ(Log(kFork, tip + "..topic"), "feat(a): add two\nfeat(b): add three");

  MoveMain("a.py", "def one():\n    return 11\n\n\ndef other():\n    return 0\n");
  const std::string refs = Refs();
  const std::string answer = Say("alice", "/rebase");
  EXPECT_THAT(answer, HasSubstr("does not fit"));
  EXPECT_THAT(answer, HasSubstr("a.py"));
  EXPECT_THAT(answer, HasSubstr("<<<<<<<"));
  EXPECT_THAT(answer, HasSubstr("def two():"));
  EXPECT_EQ(Refs(), refs);
}

TEST_P(PullCommandsTest, BackportBecomesABranchAndAPullRequestOfItsOwn) {
  StartPull();
  Git("checkout -q -b r1 main");
  Commit("r1", "old.py", "z = 1\n", "release");
  PushTo(kUpstream, "r1");
  EXPECT_THAT(Say("maria", "/backport r9"), HasSubstr("no branch"));
  EXPECT_THAT(Say("bob", "/backport r1"), HasSubstr("was not carried out"));
  const std::string branch = "backport-" + std::to_string(number_) + "-to-r1";
  EXPECT_THAT(Say("maria", "/backport r1"), HasSubstr(branch));
  EXPECT_EQ(There(kUpstream, branch + "~2"), There(kUpstream, "r1"));
  EXPECT_THAT(Git("log -1 --format=%B " + branch, std::string("served/") + kUpstream + ".git"),
              HasSubstr("(cherry picked from commit " + There(kFork, "topic") + ")"));
  json opened;
  const json state = Forge("state");
  for (const json& subject : state[GetParam()][kUpstream]["subjects"]) {
    if (subject["pull"] == true && subject["number"] != number_) opened = subject;
  }
  ASSERT_TRUE(opened.is_object()) << state;
  EXPECT_EQ(opened["title"], "[r1] Two more");
  EXPECT_THAT(opened["body"].get<std::string>(), HasSubstr("Backport of #" + std::to_string(number_)));
  EXPECT_THAT(Say("maria", "/backport r1"), HasSubstr("already"));
  Say("maria", "/undo");
  EXPECT_EQ(Git("for-each-ref refs/heads/" + branch, std::string("served/") + kUpstream + ".git"), "");
}

TEST_P(PullCommandsTest, WhatTheBaseHasAlreadyIsNoWorkAndWhatWasMergedIsBackported) {
  StartPull();
  Git("checkout -q -b r1 main");
  PushTo(kUpstream, "r1");
  const std::string base = There(kUpstream, "main");
  Git("checkout -q main");
  Git("merge -q --ff-only topic");
  MoveMain("c.py", "x = 1\n");
  const std::string refs = Refs();
  EXPECT_THAT(Say("alice", "/rebase"), HasSubstr("no commits to work on"));
  EXPECT_THAT(Say("alice", "/squash"), HasSubstr("no commits to work on"));
  EXPECT_EQ(Refs(), refs);
  Forge("edit", {{"forge", GetParam()},
                 {"repository", kUpstream},
                 {"number", number_},
                 {"pull", true},
                 {"merged", true},
                 {"base_sha", base}});
  Drain();
  const std::string branch = "backport-" + std::to_string(number_) + "-to-r1";
  EXPECT_THAT(Say("maria", "/backport r1"), HasSubstr(branch));
  EXPECT_EQ(Log(kUpstream, "r1.." + branch), "feat(a): add two\nfeat(b): add three");
}

TEST_P(PullCommandsTest, ABranchThatOthersBuildOnIsNotRewritten) {
  StartPull();
  Git("checkout -q -b develop main");
  Commit("develop", "d1.py", "d = 1\n", "one");
  Commit("develop", "d2.py", "d = 2\n", "two");
  PushTo(kUpstream, "develop");
  const json opened = Forge("pulls", {{"forge", GetParam()},
                                      {"repository", kUpstream},
                                      {"title", "A release"},
                                      {"body", ""},
                                      {"user", "alice"},
                                      {"head_repository", kUpstream},
                                      {"head_ref", "develop"},
                                      {"base_ref", "main"}});
  number_ = opened.value("number", int64_t{0});
  Drain();
  const std::string refs = Refs();
  EXPECT_THAT(Say("alice", "/squash"), HasSubstr("a branch that others build on"));
  EXPECT_EQ(Refs(), refs);
}

TEST_P(PullCommandsTest, SyncBringsTheForkForwardAndNeverOverItsOwnCommits) {
  StartPull();
  MoveMain("c.py", "x = 1\n");
  const std::string synced = Say("alice", "/sync");
  EXPECT_THAT(synced, HasSubstr("forward"));
  EXPECT_THAT(synced, ::testing::Not(HasSubstr("/undo"))) << "others build on main";
  EXPECT_EQ(There(kFork, "main"), There(kUpstream, "main"));
  EXPECT_THAT(Say("alice", "/sync"), HasSubstr("up to date"));
  Git("checkout -q main");
  Commit("main", "own.py", "own = 1\n", "own");
  PushTo(kFork, "main");
  Git("reset -q --hard HEAD^");
  MoveMain("d.py", "x = 2\n");
  const std::string own = There(kFork, "main");
  EXPECT_THAT(Say("alice", "/sync"), HasSubstr("commits of its own"));
  EXPECT_EQ(There(kFork, "main"), own);
}

TEST_P(PullCommandsTest, UpdateDescribesAnewAndUndoBringsTheOldTextBack) {
  StartPull();
  EXPECT_THAT(Say("alice", "/update --title 'feat: two and three'"), HasSubstr("two and three"));
  EXPECT_EQ(Pull(number_)["title"], "feat: two and three");
  EXPECT_THAT(Say("alice", "/undo"), HasSubstr("Two more"));
  EXPECT_EQ(Pull(number_)["title"], "Two more");
  EXPECT_EQ(Pull(number_)["body"], "By hand.");
}

TEST_P(PullCommandsTest, AppendPutsTheCommitsOntoAnotherPullRequest) {
  StartPull();
  Git("checkout -q -b other main");
  Commit("other", "e.py", "e = 1\n", "feat(e): add e");
  PushTo(kFork, "other");
  const int64_t other = OpenPull("other");
  Drain();
  // Written where the commits are; only the author of the other one may.
  EXPECT_THAT(Say("maria", "/pr --to " + std::to_string(other) + " --no-rebase"), HasSubstr("was not carried out"));
  EXPECT_THAT(Say("alice", "/pr --to " + std::to_string(other) + " --no-rebase"), HasSubstr("2 commits added"));
  EXPECT_EQ(Log(kFork, "main..other"), "feat(e): add e\nfeat(a): add two\nfeat(b): add three");
}

TEST_P(PullCommandsTest, NothingIsPushedToABranchWhoseGateRuns) {
  StartPull();
  Git("checkout -q -b other main");
  Commit("other", "e.py", "e = 1\n", "feat(e): add e");
  PushTo(kFork, "other");
  const int64_t other = OpenPull("other");
  Forge("labels", {{"forge", GetParam()},
                   {"repository", kUpstream},
                   {"number", other},
                   {"pull", true},
                   {"user", "cann-robot"},
                   {"add", {"ci-pipeline-running"}}});
  Drain();
  const std::string append = "/pr --to " + std::to_string(other) + " --no-rebase";
  const std::string refs = Refs();
  EXPECT_THAT(Say("alice", append), HasSubstr("the gate is running"));
  EXPECT_EQ(Refs(), refs);
  // That of the pull request where it is written does not run.
  EXPECT_THAT(Say("alice", "/squash"), HasSubstr("2 commits into one"));
  Forge("labels", {{"forge", GetParam()},
                   {"repository", kUpstream},
                   {"number", other},
                   {"pull", true},
                   {"user", "cann-robot"},
                   {"remove", {"ci-pipeline-running"}}});
  EXPECT_THAT(Say("alice", append), HasSubstr("1 commits added"));
}

TEST_P(PullCommandsTest, ASentenceIsConfirmedByItsPersonBeforeAnythingIsRewritten) {
  StartPull();
  const std::string old = There(kFork, "topic");
  const std::string answer = Say("alice", "@yardbot squash this PR into one commit");
  EXPECT_THAT(answer, HasSubstr("nothing is done yet"));
  EXPECT_THAT(answer, HasSubstr("2 commits into one"));
  EXPECT_EQ(There(kFork, "topic"), old);
  EXPECT_THAT(Say("maria", "/yes"), HasSubstr("no command of yours"));
  EXPECT_EQ(There(kFork, "topic"), old);
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("2 commits into one"));
  EXPECT_NE(There(kFork, "topic"), old);
  const std::string now = There(kFork, "topic");
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("no command of yours"));
  EXPECT_EQ(There(kFork, "topic"), now);
  // A commit that comes between the two is not in what was confirmed.
  Say("alice", "/undo");
  Say("alice", "@yardbot squash this PR into one commit");
  Commit("topic", "d.py", "y = 1\n", "more");
  PushTo(kFork, "topic");
  Forge("push", {{"forge", GetParam()}, {"repository", kUpstream}, {"number", number_}, {"pull", true}});
  Drain();
  const std::string moved = There(kFork, "topic");
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("has changed since that was shown"));
  EXPECT_EQ(There(kFork, "topic"), moved);
}

TEST_P(PullCommandsTest, NothingIsPushedWhereTheForgeDoesNotSayThatWeMay) {
  StartPull("read");
  const std::string refs = Refs();
  for (const char* command : {"/squash", "/rebase", "/sync"}) {
    EXPECT_THAT(Say("alice", command), HasSubstr("may push to")) << command;
  }
  EXPECT_EQ(Refs(), refs);
}

TEST_P(PullCommandsTest, MaintainersPushToAForkWhereItsAuthorLetsThem) {
  edits_ = true;
  StartPull("read");
  const std::string old = There(kFork, "topic");
  const std::string answer = Say("alice", "/squash");
  // Only one of the forges tells.
  const bool github = GetParam() == "github";
  EXPECT_EQ(There(kFork, "topic") != old, github);
  EXPECT_THAT(answer, HasSubstr(github ? "2 commits into one" : "may push to"));
}

TEST_P(PullCommandsTest, TheSameByCallFirstShownThenDone) {
  StartPull();
  const auto stub = v1::WorkflowService::NewStub(grpc::CreateChannel(grpc_, grpc::InsecureChannelCredentials()));
  const auto step = [](const v1::Plan& plan, const std::string& id) {
    for (const v1::StepOutcome& one : plan.explanation().steps()) {
      if (one.id() == id) return one.why();
    }
    return std::string();
  };
  const std::string old = There(kFork, "topic");
  v1::PreviewPullOperationRequest look;
  look.mutable_subject()->set_forge(GetParam());
  look.mutable_subject()->set_repository(kUpstream);
  look.mutable_subject()->set_number(number_);
  v1::PreviewPullOperationResponse shown;
  {
    grpc::ClientContext context;
    EXPECT_EQ(stub->PreviewPullOperation(&context, look, &shown).error_code(), grpc::INVALID_ARGUMENT);
  }
  look.mutable_operation()->set_kind(v1::PullOperation::KIND_SQUASH);
  grpc::ClientContext looking;
  const grpc::Status looked = stub->PreviewPullOperation(&looking, look, &shown);
  ASSERT_TRUE(looked.ok()) << looked.error_message();
  EXPECT_EQ(step(shown.plan(), "old"), old);
  EXPECT_EQ(There(kFork, "topic"), old);

  v1::ApplyPullOperationRequest apply;
  *apply.mutable_subject() = look.subject();
  *apply.mutable_operation() = look.operation();
  v1::ApplyPullOperationResponse applied;
  grpc::ClientContext applying;
  applying.AddMetadata("authorization", std::string("Bearer ") + testing::kToken);
  const grpc::Status done = stub->ApplyPullOperation(&applying, apply, &applied);
  ASSERT_TRUE(done.ok()) << done.error_message();
  ASSERT_EQ(applied.effects_size(), 1);
  EXPECT_EQ(applied.effects(0).kind(), "push_ref");
  EXPECT_EQ(applied.effects(0).action().push_ref().pack(), "") << "it is for the git server";
  EXPECT_EQ(There(kFork, "topic"), step(applied.plan(), "new"));
  EXPECT_NE(There(kFork, "topic"), old);
}

// One command that the daemon is killed over, and what must hold once it is done.
class PullKillsTest : public PullCommandsTest {
 public:
  // With a release branch for backports, and another pull request of the author's to add to.
  void Begin() {
    StartPull();
    for (const std::string name : {kUpstream, kFork}) {
      Git("config core.logAllRefUpdates always", "served/" + name + ".git");
    }
    Git("checkout -q -b other main");
    Commit("other", "e.py", "e = 1\n", "feat(e): add e");
    PushTo(kFork, "other");
    other_ = OpenPull("other");
    Drain();
  }
  // How often a branch was moved so far.
  size_t Moves(const std::string& repository, const std::string& branch) const {
    const std::string log = testing::ReadWholeFile(Path("served/" + repository + ".git/logs/refs/heads/" + branch));
    return static_cast<size_t>(std::count(log.begin(), log.end(), '\n'));
  }
  // Writes a command, kills the daemon at some moment of its work, and lets the next one finish it.
  void Killed(const std::string& command) {
    const int64_t comment = Write(number_, command.starts_with("/backport") ? "maria" : "alice", command);
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 400));
    KillDaemon();
    StartDaemon();
    DrainWithMissed();
    EXPECT_FALSE(Answer(number_, comment).empty()) << command;
  }
  // The same, where it moves a branch: once.
  void KilledOnce(const std::string& command, const std::string& repository, const std::string& branch) {
    const size_t before = Moves(repository, branch);
    Killed(command);
    EXPECT_EQ(Moves(repository, branch), before + 1) << command;
  }
  // Somebody goes on with main.
  void GoOn(int round) { MoveMain("m" + std::to_string(round) + ".py", "x = 1\n"); }
  std::vector<int64_t> PullsTo(const std::string& base) {
    std::vector<int64_t> numbers;
    const json state = Forge("state");
    for (const json& subject : state[GetParam()][kUpstream]["subjects"]) {
      if (subject["pull"] == true && subject["base_ref"] == base) numbers.push_back(subject["number"]);
    }
    return numbers;
  }

  // One round of each kind.
  void Squash(int) {
    const std::string old = There(kFork, "topic");
    KilledOnce("/squash", kFork, "topic");
    EXPECT_EQ(There(kFork, "topic^{tree}"), There(kFork, old + "^{tree}"));
    EXPECT_EQ(There(kFork, "topic^"), There(kFork, old + "~2"));
    Undo(old);
  }
  void Rebase(int round) {
    GoOn(round);
    const std::string old = There(kFork, "topic");
    KilledOnce("/rebase", kFork, "topic");
    EXPECT_EQ(There(kFork, "topic~2"), There(kUpstream, "main"));
    Undo(old);
  }
  void Undo(const std::string& old) {
    KilledOnce("/undo", kFork, "topic");
    EXPECT_EQ(There(kFork, "topic"), old);
  }
  void Sync(int round) {
    GoOn(round);
    KilledOnce("/sync", kFork, "main");
    EXPECT_EQ(There(kFork, "main"), There(kUpstream, "main"));
  }
  void Update(int round) {
    const std::string title = "feat: round " + std::to_string(round);
    Killed("/update --title '" + title + "'");
    EXPECT_EQ(Pull(number_)["title"], title);
  }
  void Backport(int round) {
    const std::string base = "r" + std::to_string(round);
    const std::string branch = "backport-" + std::to_string(number_) + "-to-" + base;
    Git("push -q " + git_root_ + "/" + kUpstream + ".git main:" + base);
    Killed("/backport " + base);
    EXPECT_EQ(Moves(kUpstream, branch), 1U);
    EXPECT_EQ(Log(kUpstream, base + ".." + branch), "feat(a): add two\nfeat(b): add three");
    EXPECT_EQ(PullsTo(base).size(), 1U);
  }
  void Append(int) {
    const std::string old = There(kFork, "other");
    KilledOnce("/pr --to " + std::to_string(other_) + " --no-rebase", kFork, "other");
    EXPECT_EQ(There(kFork, "other~2"), old);
    // Room for the next round.
    Git("push -q -f " + git_root_ + "/" + kFork + ".git " + old + ":refs/heads/other");
    Forge("push", {{"forge", GetParam()}, {"repository", kUpstream}, {"number", other_}, {"pull", true}});
    Drain();
  }

  std::mt19937 random_{1};
  int64_t other_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Faces, PullKillsTest, ::testing::ValuesIn(testing::Faces<std::string>("github")),
                         [](const auto& face) { return face.param; });

TEST_P(PullKillsTest, EachCommandIsDoneOnce) {
  Begin();
  using Round = void (PullKillsTest::*)(int);
  constexpr Round kRounds[] = {&PullKillsTest::Squash, &PullKillsTest::Rebase,   &PullKillsTest::Sync,
                               &PullKillsTest::Update, &PullKillsTest::Backport, &PullKillsTest::Append};
  constexpr size_t kKinds = std::size(kRounds);
  const size_t rounds = testing::Rounds("YARD_KILLS", kKinds);
  for (size_t i = 0; i < rounds && !HasFailure(); ++i) {
    SCOPED_TRACE("round " + std::to_string(i));
    (this->*kRounds[i < kKinds ? i : random_() % kKinds])(static_cast<int>(i));
  }
}

}  // namespace
}  // namespace yardmaster
