// Plans of work on pull requests: against git's own server, with a forge in memory.
#include "services/workflow/server/pull_operation_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/forge/github/github_profile.h"
#include "clients/forge/http_curl.h"
#include "services/core/messages/timestamps.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_subject_view.h"
#include "tests/support/git_http_server.h"
#include "tests/support/memory_forge.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster::workflow {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using Kind = v1::PullOperation;

constexpr const char* kUpstream = "octo/repo";
constexpr const char* kFork = "alice/repo";

// What was written stands in lists by kind; pull requests and repositories in tables.
class PullView final : public testing::FakeSubjectView {
 public:
  absl::StatusOr<ForgePull> PullOf(int64_t number) override {
    const auto found = pulls.find(number);
    if (found == pulls.end()) return absl::NotFoundError("no such pull request");
    return found->second;
  }
  absl::StatusOr<std::vector<v1::Action>> Written(std::string_view kind) override {
    std::vector<v1::Action> out;
    for (const v1::Action& action : written) {
      if (action.has_push_ref() == (kind == "push_ref")) out.push_back(action);
    }
    return out;
  }
  std::map<int64_t, ForgePull> pulls;
};

class PullOperationPlannerTest : public ::testing::Test {
 protected:
  PullOperationPlannerTest() {
    for (const char* const repository : {kUpstream, kFork}) {
      server_.Create(repository, {"http.receivepack true", "uploadpack.allowAnySHA1InWant true"});
      ForgeRepository told;
      told.full_name = repository;
      told.default_branch = "trunk";
      told.own = ForgePermission::kWrite;
      view_.repositories[repository] = told;
    }
    CurlHttpOptions options;
    options.origins = {server_.url()};
    http_ = *MakeCurlHttpClient(options);
    const GitEnvironment git{*http_, {server_.url(), "git"}, [](auto) { return absl::StatusOr<Secret>(Secret()); }, {}};
    cache_ = std::make_unique<GitCache>(git, folder_.path() / "cache");
    pusher_ = std::make_unique<HttpGitPusher>(git);
    account_.WriteWith(&forge_, pusher_.get());
    snapshot_.mutable_subject()->set_forge("github");
    snapshot_.mutable_subject()->set_repository(kUpstream);
    snapshot_.mutable_subject()->set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    event_.set_actor("alice");
    event_.set_id("e1");
    Save("base.txt", "base\n", "base");
    Publish(kUpstream, "main");
  }

  // Work in the clone of the main repository.
  std::string Git(const std::string& arguments) {
    return server_.Shell("cd " + server_.Work(kUpstream).string() + " && git " + arguments);
  }
  std::string Save(const std::string& path, const std::string& text, const std::string& message) {
    std::ofstream(server_.Work(kUpstream) / path) << text;
    return Git("add -A && git commit -q -m '" + message + "' && git rev-parse HEAD");
  }
  void Publish(const std::string& repository, const std::string& branch) {
    Git("push -q -f ../../../served/" + repository + ".git HEAD:refs/heads/" + branch);
  }
  std::string There(const std::string& repository, const std::string& revision) {
    return Git("--git-dir=../../../served/" + repository + ".git rev-parse " + revision);
  }
  // What is checked out becomes the branch of a pull request that is open.
  ForgePull& Open(int64_t number, const std::string& branch, const std::string& from = kFork) {
    Git("push -q -f ../../../served/" + from + ".git HEAD:refs/heads/" + branch +
        " && git push -q -f ../../../served/octo/repo.git HEAD:refs/pull/" + std::to_string(number) + "/head");
    ForgePull& pull = view_.pulls[number];
    pull.number = number;
    pull.title = "Some work";
    pull.body = "By hand.";
    pull.author.login = "alice";
    pull.base_ref = "main";
    pull.base_sha = There(kUpstream, "main");
    pull.default_branch = "trunk";
    pull.head_repository = from;
    pull.head_ref = branch;
    pull.head_sha = Git("rev-parse HEAD");
    return pull;
  }
  // Two commits on main, as #1.
  ForgePull& OpenTopic() {
    Git("checkout -q -B topic main");
    Save("a.txt", "1\n", "feat: one");
    Save("b.txt", "2\n", "feat: two");
    return Open(1, "topic");
  }
  // A file of so many commits on main for `git fast-import`.
  std::string ManyCommits(int count) const {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "commit refs/heads/main\ncommitter t <t@example.com> " + std::to_string(1'700'000'000 + i) +
              " +0000\ndata 1\nx\n" + (i == 0 ? "from refs/heads/main^0\n" : "") + "M 100644 inline n.txt\ndata <<E\n" +
              std::to_string(i) + "\nE\n";
    }
    folder_.Write("commits", text);
    return (folder_.path() / "commits").string();
  }
  void MoveMain(const std::string& path = "main.txt") {
    Git("checkout -q main");
    Save(path, "moved\n", "elsewhere");
    Publish(kUpstream, "main");
  }

  v1::Plan Planned(v1::PullOperation operation, int64_t number = 1, const std::string& stands_on = "",
                   bool preview = false) {
    view_.pull = view_.pulls.at(number);
    snapshot_.mutable_subject()->set_number(number);
    const PlanInput input{.event = event_,
                          .trigger = Trigger::kManual,
                          .snapshot = snapshot_,
                          .pack = pack_,
                          .choice = choice_,
                          .now = now_,
                          .asked = {.operation = std::move(operation), .preview = preview, .stands_on = stands_on},
                          .view = view_};
    v1::Plan plan;
    const PullOperationPlanner planner({config_, {{"github", cache_.get()}}, forges_, hold_});
    const absl::Status status = planner.Plan(input, plan);
    EXPECT_TRUE(status.ok()) << status;
    return plan;
  }
  v1::Plan Planned(Kind::Kind kind, int64_t number = 1) {
    v1::PullOperation operation;
    operation.set_kind(kind);
    return Planned(std::move(operation), number);
  }
  static std::string Step(const v1::Plan& plan, std::string_view id) {
    for (const v1::StepOutcome& step : plan.explanation().steps()) {
      if (step.id() == id) return step.why();
    }
    return "";
  }
  static std::string Refused(const v1::Plan& plan) {
    EXPECT_EQ(plan.actions_size(), 0);
    return Step(plan, "refused") + ": " + Step(plan, "why");
  }
  // Carries out the push of a plan, as the effect does.
  std::string Push(const v1::Plan& plan) {
    EXPECT_GT(plan.actions_size(), 0) << plan.DebugString();
    if (plan.actions_size() == 0) return "no push";
    const v1::PushRef& push = plan.actions(0).push_ref();
    bool maybe_done = false;
    const auto outcome =
        pusher_->Push(push.repository(), {push.ref(), push.old_id(), push.new_id()}, push.pack(), maybe_done);
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    if (outcome.ok()) EXPECT_EQ(outcome->state, PushOutcome::State::kDone) << outcome->reason;
    v1::Action action;
    *action.mutable_push_ref() = push;
    view_.written.insert(view_.written.begin(), action);
    return push.new_id();
  }
  // Of the newest commits of a branch of the fork, oldest first.
  std::string Subjects(const std::string& branch, int count) {
    return Git("--git-dir=../../../served/alice/repo.git log --reverse --format=%s -" + std::to_string(count) + " " +
               branch + " | paste -sd,");
  }

  static LoggerOptions Quiet() {
    LoggerOptions options;
    options.level = LogLevel::kError;
    options.async = false;
    return options;
  }

  const testing::TempDir folder_;
  testing::FakeClock clock_;
  testing::GitHttpServer server_;
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<GitCache> cache_;
  std::unique_ptr<HttpGitPusher> pusher_;
  testing::MemoryForge forge_{clock_};
  Logger logger_{Quiet()};
  Notices notices_{clock_, logger_};
  ConfiguredForge account_{forge_, GitHubProfile(), {}, "yardbot", clock_, notices_};
  const ConfiguredForges forges_ = {{"github", &account_}};
  Config config_;
  std::shared_ptr<const rules::CompiledPack> pack_ = testing::CompileTinyPack();
  std::function<absl::StatusOr<std::string>(const v1::Subject&, const std::string&, const ForgePullHead&)> hold_;
  std::chrono::system_clock::time_point now_ = clock_.Now();
  v1::Event event_;
  v1::IssueSnapshot snapshot_;
  RepositoryChoice choice_;
  PullView view_;
};

// --- A pull request without commits of its own ---

TEST_F(PullOperationPlannerTest, WhatTheBaseHasAlreadyIsNoWork) {
  OpenTopic();
  // The base went forward over the head, and on.
  Git("checkout -q main");
  Git("merge -q --ff-only topic");
  Publish(kUpstream, "main");
  MoveMain();
  for (const Kind::Kind kind : {Kind::KIND_SQUASH, Kind::KIND_REBASE, Kind::KIND_UPDATE}) {
    EXPECT_EQ(Refused(Planned(kind)), "no-commits: main has all of them") << kind;
  }
  view_.pulls[1].base_sha = There(kUpstream, "main");
  v1::PullOperation backport;
  backport.set_kind(Kind::KIND_BACKPORT);
  backport.set_branch("main");
  EXPECT_EQ(Refused(Planned(backport)), "no-commits: main has all of them");
}

TEST_F(PullOperationPlannerTest, ABackportTakesWhatWasMerged) {
  OpenTopic();
  Git("checkout -q -B r1 main");
  Save("r1.txt", "r1\n", "release");
  Publish(kUpstream, "r1");
  Git("checkout -q main");
  Git("merge -q --ff-only topic");
  Publish(kUpstream, "main");
  view_.pulls[1].state = ForgeState::kMerged;
  v1::PullOperation backport;
  backport.set_kind(Kind::KIND_BACKPORT);
  backport.set_branch("r1");
  const v1::Plan plan = Planned(backport);
  ASSERT_EQ(plan.actions_size(), 2) << plan.DebugString();
  EXPECT_EQ(plan.actions(0).push_ref().ref(), "refs/heads/backport-1-to-r1");
  EXPECT_EQ(plan.actions(1).open_pull().base(), "r1");
  EXPECT_EQ(Step(plan, "commits"), "2");
}

TEST_F(PullOperationPlannerTest, ABackportGoesToABranchThatIsFarBehind) {
  Git("branch r1");
  Git("push -q ../../../served/octo/repo.git r1");
  // More commits than a pull request may have lie between the branches.
  Git("fast-import --quiet <" + ManyCommits(510));
  Git("reset -q --hard main");
  Publish(kUpstream, "main");
  OpenTopic();
  v1::PullOperation backport;
  backport.set_kind(Kind::KIND_BACKPORT);
  backport.set_branch("r1");
  EXPECT_EQ(Step(Planned(backport), "commits"), "2");
}

TEST_F(PullOperationPlannerTest, APullRequestOfTooManyCommitsIsForAClone) {
  Git("branch -f before");
  Git("fast-import --quiet <" + ManyCommits(510));
  Git("reset -q --hard main");
  Git("branch -f many");
  Git("checkout -q many");
  Open(1, "many").base_ref = "main";
  EXPECT_EQ(Refused(Planned(Kind::KIND_SQUASH)), "too-large: over 500 commits");
}

TEST_F(PullOperationPlannerTest, AMergeIsNotMadeAgain) {
  OpenTopic();
  MoveMain();
  Git("checkout -q topic");
  Git("merge -q -m merge main");
  Open(1, "topic");
  MoveMain("more.txt");
  EXPECT_THAT(Refused(Planned(Kind::KIND_REBASE)), HasSubstr("merges: "));
  // One commit out of all of them is the way out.
  const std::string tree = There(kFork, "topic^{tree}");
  Push(Planned(Kind::KIND_SQUASH));
  EXPECT_EQ(There(kFork, "topic^{tree}"), tree);
}

// --- Adding to another pull request ---

class PullAppendTest : public PullOperationPlannerTest {
 protected:
  PullAppendTest() {
    Git("checkout -q -B target main");
    Save("t1.txt", "t1\n", "theirs 1");
    Save("t2.txt", "t2\n", "theirs 2");
    Open(2, "target");
    OpenTopic();
  }
  v1::PullOperation Append(bool amend, bool keep_base) const {
    v1::PullOperation append;
    append.set_kind(Kind::KIND_APPEND);
    append.set_target(2);
    append.set_amend(amend);
    append.set_keep_base(keep_base);
    return append;
  }
};

TEST_F(PullAppendTest, TheCommitsGoBehindTheirsOnTheTip) {
  MoveMain();
  Push(Planned(Append(/*amend=*/false, /*keep_base=*/false)));
  EXPECT_EQ(Subjects("target", 4), "theirs 1,theirs 2,feat: one,feat: two");
  EXPECT_EQ(There(kFork, "target~4"), There(kUpstream, "main"));
}

TEST_F(PullAppendTest, AmendedTheyAreInTheLastOfTheirs) {
  for (const bool keep_base : {true, false}) {
    const std::string old = There(kFork, "target");
    MoveMain(keep_base ? "m1.txt" : "m2.txt");
    Push(Planned(Append(/*amend=*/true, keep_base)));
    EXPECT_EQ(Subjects("target", 2), "theirs 1,theirs 2");
    EXPECT_EQ(There(kFork, "target:a.txt"), There(kFork, "topic:a.txt"));
    EXPECT_EQ(There(kFork, "target:t2.txt"), There(kFork, old + ":t2.txt"));
    const std::string below = There(kFork, "target~2");
    EXPECT_EQ(below == There(kUpstream, "main"), !keep_base);
    Git("fetch -q ../../../served/alice/repo.git target");
    Git("checkout -q -B target FETCH_HEAD");
    Open(2, "target");
    // The next round adds something else.
    Git("checkout -q topic");
    Save(keep_base ? "c.txt" : "d.txt", "3\n", "feat: three");
    Open(1, "topic");
  }
}

TEST_F(PullAppendTest, AmendingFitsWhereSomeOfTheirsAreInTheBaseAlready) {
  // Their first commit came into the base by another way: nothing of it is left after the rebase.
  Git("checkout -q main");
  Git("cherry-pick target~1");
  Git("commit -q --amend -m 'theirs 1, picked'");
  Publish(kUpstream, "main");
  Push(Planned(Append(/*amend=*/true, /*keep_base=*/false)));
  EXPECT_EQ(There(kFork, "target~1"), There(kUpstream, "main"));
  EXPECT_EQ(Git("--git-dir=../../../served/alice/repo.git log -1 --format=%s target"), "theirs 2");
  EXPECT_EQ(There(kFork, "target:b.txt"), There(kFork, "topic:b.txt"));
  EXPECT_EQ(There(kFork, "target:t2.txt"), Git("rev-parse target:t2.txt"));
}

TEST_F(PullAppendTest, AMessageNeedsACommitThatHasIt) {
  v1::PullOperation append = Append(/*amend=*/false, /*keep_base=*/true);
  append.set_message("feat: all of it");
  EXPECT_EQ(Refused(Planned(append)), "message-unused: ");
  append.set_amend(true);
  Push(Planned(append));
  EXPECT_EQ(Git("--git-dir=../../../served/alice/repo.git log -1 --format=%s target"), "feat: all of it");
}

TEST_F(PullAppendTest, WhatIsThereAlreadyIsNotPushedAgain) {
  Push(Planned(Append(/*amend=*/false, /*keep_base=*/true)));
  Git("fetch -q ../../../served/alice/repo.git target");
  Git("checkout -q -B target FETCH_HEAD");
  Open(2, "target");
  MoveMain();
  EXPECT_THAT(Refused(Planned(Append(/*amend=*/false, /*keep_base=*/true))), HasSubstr("nothing-left"));
  EXPECT_THAT(Refused(Planned(Append(/*amend=*/false, /*keep_base=*/false))), HasSubstr("nothing-left"));
}

TEST_F(PullAppendTest, OnlyItsAuthorAddsToAPullRequestThatIsOpen) {
  event_.set_actor("maria");
  EXPECT_EQ(Refused(Planned(Append(false, true))), "not-theirs: #2");
  event_.set_actor("alice");
  view_.pulls[2].state = ForgeState::kMerged;
  EXPECT_EQ(Refused(Planned(Append(false, true))), "not-open: #2");
  v1::PullOperation itself = Append(false, true);
  itself.set_target(1);
  EXPECT_EQ(Refused(Planned(itself)), "same-pull: #1");
}

// --- Branches that others build on ---

TEST_F(PullOperationPlannerTest, BranchesThatOthersBuildOnAreNotRewritten) {
  ForgePull& pull = OpenTopic();
  for (const std::string branch : {"develop", "release/1.0", "trunk"}) {
    // Within the main repository, and from a fork.
    for (const std::string from : {kUpstream, kFork}) {
      pull.head_repository = from;
      pull.head_ref = branch;
      EXPECT_EQ(Refused(Planned(Kind::KIND_SQUASH)), "protected-branch: " + from + ":" + branch);
      EXPECT_EQ(Refused(Planned(Kind::KIND_REBASE)), "protected-branch: " + from + ":" + branch);
    }
  }
  // Nor are they added to.
  ForgePull other = pull;
  other.number = 2;
  view_.pulls[2] = other;
  v1::PullOperation append;
  append.set_kind(Kind::KIND_APPEND);
  append.set_target(2);
  EXPECT_EQ(Refused(Planned(append)), "protected-branch: alice/repo:trunk");
}

TEST_F(PullOperationPlannerTest, WhatWasSyncedIsNotTakenBackWhereOthersBuildOnIt) {
  OpenTopic();
  Git("checkout -q main");
  Publish(kFork, "main");
  MoveMain();
  const v1::Plan sync = Planned(Kind::KIND_SYNC);
  EXPECT_NE(Step(sync, "lasts"), "");
  Push(sync);
  EXPECT_EQ(There(kFork, "main"), There(kUpstream, "main"));
  EXPECT_EQ(Refused(Planned(Kind::KIND_UNDO)), "protected-branch: alice/repo:main");
}

// --- Gates that run ---

TEST_F(PullAppendTest, TheGateOfTheBranchCountsThatIsPushedTo) {
  std::vector<std::string> asked;
  hold_ = [&asked](const v1::Subject& subject, const std::string&, const ForgePullHead& branch) {
    EXPECT_EQ(subject.repository(), kUpstream);
    asked.push_back(branch.repository + ":" + branch.branch);
    return std::string("#2, P2_RUNNING: it builds");
  };
  EXPECT_EQ(Refused(Planned(Append(false, true))), "gate-runs: #2, P2_RUNNING: it builds");
  EXPECT_EQ(Refused(Planned(Kind::KIND_SQUASH)), "gate-runs: #2, P2_RUNNING: it builds");
  MoveMain();
  EXPECT_EQ(Refused(Planned(Kind::KIND_REBASE)), "gate-runs: #2, P2_RUNNING: it builds");
  EXPECT_THAT(asked, ::testing::ElementsAre("alice/repo:target", "alice/repo:topic", "alice/repo:topic"));
  // A branch that is not there yet has no gate, and a description moves nothing.
  asked.clear();
  Git("push -q ../../../served/octo/repo.git main:r1");
  v1::PullOperation backport;
  backport.set_kind(Kind::KIND_BACKPORT);
  backport.set_branch("r1");
  v1::Plan plan = Planned(backport);
  EXPECT_EQ(plan.actions_size(), 2);
  EXPECT_EQ(Planned(Kind::KIND_UPDATE).actions_size(), 1);
  EXPECT_TRUE(asked.empty());
  // Taking it back moves the branch that it made.
  hold_ = nullptr;
  Push(plan);
  hold_ = [&asked](const v1::Subject&, const std::string&, const ForgePullHead& branch) {
    asked.push_back(branch.repository + ":" + branch.branch);
    return std::string();
  };
  EXPECT_EQ(Planned(Kind::KIND_UNDO).actions_size(), 1);
  EXPECT_THAT(asked, ::testing::ElementsAre("octo/repo:backport-1-to-r1"));
}

// --- What was shown, and what is done ---

TEST_F(PullAppendTest, WhatWasShownIsDoneOnNoOtherCommits) {
  v1::PullOperation squash;
  squash.set_kind(Kind::KIND_SQUASH);
  const std::string shown = Step(Planned(squash, 1, "", /*preview=*/true), "stands-on");
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(Planned(squash, 1, shown).actions_size(), 1);
  v1::PullOperation append = Append(false, true);
  const std::string appended = Step(Planned(append, 1, "", /*preview=*/true), "stands-on");
  EXPECT_EQ(Planned(append, 1, appended).actions_size(), 1);
  // Theirs moves: that of the other one is what it was.
  Git("checkout -q target");
  Save("t3.txt", "t3\n", "theirs 3");
  Open(2, "target");
  EXPECT_EQ(Refused(Planned(append, 1, appended)), "changed: #1");
  EXPECT_EQ(Planned(squash, 1, shown).actions_size(), 1);
  // Somebody pushes.
  Git("checkout -q topic");
  Save("c.txt", "3\n", "feat: three");
  Open(1, "topic");
  EXPECT_EQ(Refused(Planned(squash, 1, shown)), "changed: #1");
}

TEST_F(PullOperationPlannerTest, ADescriptionThatWasEditedIsNotTheOneThatWasShown) {
  OpenTopic();
  v1::PullOperation update;
  update.set_kind(Kind::KIND_UPDATE);
  const std::string shown = Step(Planned(update, 1, "", /*preview=*/true), "stands-on");
  view_.pulls[1].body = "By another hand.";
  EXPECT_EQ(Refused(Planned(update, 1, shown)), "changed: #1");
}

TEST_F(PullOperationPlannerTest, TextThatIsMadeIsInTheLanguageOfTheQuestion) {
  OpenTopic();
  Save("test_a.py", "pass\n", "test: a");
  Open(1, "topic");
  view_.pulls[1].body = "**测试**：\n\n**关联的 issue**：\n";
  v1::PullOperation update;
  update.set_kind(Kind::KIND_UPDATE);
  EXPECT_THAT(Planned(update).actions(0).edit_pull().body(), HasSubstr("1 test file in `.`"));
  EXPECT_EQ(Step(Planned(update), "gap"), "no issue is named: 关联的 issue");
  update.set_chinese(true);
  EXPECT_THAT(Planned(update).actions(0).edit_pull().body(), HasSubstr("`.`：1 个测试文件"));
  EXPECT_EQ(Step(Planned(update), "gap"), "没有关联 issue：关联的 issue");
  Git("branch r1 main && git push -q ../../../served/octo/repo.git r1");
  v1::PullOperation backport;
  backport.set_kind(Kind::KIND_BACKPORT);
  backport.set_branch("r1");
  backport.set_chinese(true);
  const v1::Plan plan = Planned(backport);
  ASSERT_EQ(plan.actions_size(), 2) << plan.DebugString();
  EXPECT_THAT(plan.actions(1).open_pull().body(), ::testing::StartsWith("将 #1 移植到 `r1`。"));
}

// --- Taking back ---

TEST_F(PullOperationPlannerTest, WhatIsOlderThanAWeekStays) {
  OpenTopic();
  const std::string old = There(kFork, "topic");
  Push(Planned(Kind::KIND_SQUASH));
  Git("fetch -q ../../../served/alice/repo.git topic");
  view_.pulls[1].head_sha = There(kFork, "topic");
  const auto made = now_;
  now_ = made + hours(7 * 24) + minutes(1);
  EXPECT_EQ(Refused(Planned(Kind::KIND_UNDO)), "nothing-to-undo: ");
  now_ = made + hours(7 * 24) - minutes(1);
  Push(Planned(Kind::KIND_UNDO));
  EXPECT_EQ(There(kFork, "topic"), old);
  EXPECT_EQ(Refused(Planned(Kind::KIND_UNDO)), "nothing-to-undo: ");
}

TEST_F(PullOperationPlannerTest, TheLatestIsTakenBackFirst) {
  OpenTopic();
  const std::string old = There(kFork, "topic");
  Push(Planned(Kind::KIND_SQUASH));
  v1::Action edit;
  edit.mutable_edit_pull()->set_title("new");
  edit.mutable_edit_pull()->set_old_title("old");
  edit.mutable_edit_pull()->set_cause("later");
  *edit.mutable_edit_pull()->mutable_at() = ToTimestamp(now_ + minutes(1));
  view_.written.insert(view_.written.begin(), edit);
  now_ += minutes(2);
  const v1::Plan plan = Planned(Kind::KIND_UNDO);
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).edit_pull().title(), "old");
  EXPECT_EQ(plan.actions(0).edit_pull().undoes(), "later");
  view_.written.insert(view_.written.begin(), plan.actions(0));
  EXPECT_EQ(Planned(Kind::KIND_UNDO).actions(0).push_ref().new_id(), old);
}

TEST_F(PullOperationPlannerTest, WhatSomebodyPushedSinceIsLeftAlone) {
  OpenTopic();
  Push(Planned(Kind::KIND_SQUASH));
  Git("fetch -q ../../../served/alice/repo.git topic");
  Git("checkout -q -B topic FETCH_HEAD");
  Save("c.txt", "3\n", "more");
  Open(1, "topic");
  EXPECT_EQ(Refused(Planned(Kind::KIND_UNDO)), "moved: refs/heads/topic");
}

}  // namespace
}  // namespace yardmaster::workflow
