#include "services/intake/pipeline/pipeline.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <string>

#include "services/core/reasons.h"
#include "tests/support/rounds.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using testing::kRepository;
using testing::MemoryForge;
using testing::World;

// A text that leads to a team, an area, a question and the marker.
constexpr const char* kVague = "The socket does not work.";
const std::set<std::string> kVagueLabels = {"queue", "team b", "area: net", "needs info", "done"};

TEST(Pipeline, OpenedIssueGetsItsLabelsAndItsComment) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), kVagueLabels);
  EXPECT_EQ(world.Templates(1), (std::map<std::string, int>{{"more", 1}}));
  world.ExpectSettled();

  // The ledger tells it, the decision says why.
  const auto effects = world.Effects();
  ASSERT_EQ(effects.size(), 2U);
  for (const store::Effect& effect : effects) {
    EXPECT_EQ(effect.state, store::EffectState::kConfirmed);
    EXPECT_EQ(effect.attempts, 1);
    EXPECT_EQ(effect.delivery, id);
    EXPECT_FALSE(effect.forge_ref.empty());
  }
  v1::Subject subject;
  subject.set_forge("github");
  subject.set_repository(kRepository);
  subject.set_number(1);
  const auto decision = world.store_->decisions().Latest(subject);
  ASSERT_TRUE(decision.ok() && decision->has_value());
  v1::Plan plan;
  ASSERT_TRUE(plan.ParseFromString((*decision)->plan));
  EXPECT_EQ(plan.id(), effects[0].decision);
  EXPECT_EQ(plan.comment_template(), "more");
  EXPECT_EQ(plan.mode(), v1::MODE_APPLY);
  EXPECT_EQ(plan.labels_before_size(), 1);
}

TEST(Pipeline, CommentCarriesTheMarkerAtItsEnd) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  world.Opened(1);
  world.Run();
  const std::string body = world.forge_.At(kRepository, 1).comments.front().body;
  EXPECT_TRUE(body.starts_with("Please tell us more."));
  EXPECT_NE(body.find("\n\n<!-- yardmaster pack=tiny template=more key="), std::string::npos) << body;
  EXPECT_TRUE(body.ends_with(" -->"));
}

TEST(Pipeline, DryRunWritesNothingButTheDecision) {
  World world;
  world.config_.mode = RunMode::kDryRun;
  world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.forge_.writes, 0);
  EXPECT_TRUE(world.Effects().empty());
  EXPECT_EQ(world.Get(id).subject.number(), 1);
}

TEST(Pipeline, DecisionOfADryRunDoesNotHoldBackALaterApply) {
  World world;
  world.config_.mode = RunMode::kDryRun;
  world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  world.Opened(1);
  world.Run();
  world.config_.mode = RunMode::kApply;
  const int64_t id = world.Deliver("issues", world.Body("reopened", 1));
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), kVagueLabels);
}

TEST(Pipeline, IssueOutsideTheQueueIsLeftAloneUntilTheEntryLabelComes) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", kVague, {});
  const int64_t opened = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(opened), "ignored (not-in-queue)");
  issue.issue.labels.emplace_back("queue");
  nlohmann::json body = world.Body("labeled", 1, "maintainer");
  body["label"] = {{"name", "queue"}};
  const int64_t labelled = world.Deliver("issues", body);
  world.Run();
  EXPECT_EQ(world.StateOf(labelled), "done");
  EXPECT_EQ(world.Labels(1), kVagueLabels);
}

TEST(Pipeline, EntryLabelIsSeenEvenIfThePayloadDoesNotNameIt) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", kVague, {});
  world.Opened(1);
  world.Run();
  issue.issue.labels.emplace_back("queue");
  const int64_t id = world.Deliver("issues", world.Body("labeled", 1, "maintainer"));
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
}

TEST(Pipeline, LabelsThatThePayloadIsOldAboutAreReadAgain) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", kVague, {});
  const int64_t id = world.Opened(1);
  issue.issue.labels.emplace_back("queue");
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), kVagueLabels);
}

TEST(Pipeline, WhatIsDecidedIsLeftAlone) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  world.Opened(1);
  world.Run();
  const int64_t marked = world.Deliver("issues", world.Body("reopened", 1));
  world.Run();
  EXPECT_EQ(world.StateOf(marked), "ignored (marker-present)");
  // Without the marker the stored decision still says so, unless the text changes.
  std::erase(issue.issue.labels, "done");
  const int64_t decided = world.Deliver("issues", world.Body("reopened", 1));
  world.Run();
  EXPECT_EQ(world.StateOf(decided), "ignored (already-decided)");
  EXPECT_EQ(world.forge_.writes, 2);
  issue.issue.body = "The disk is full.";
  const int64_t edited = world.Deliver("issues", world.Body("reopened", 1));
  world.Run();
  EXPECT_EQ(world.StateOf(edited), "done");
}

TEST(Pipeline, LabelThatAPersonTookOffIsNotPutBack) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  world.Opened(1);
  world.Run();
  issue.issue.labels = {"queue"};
  nlohmann::json body = world.Body("unlabeled", 1, "maintainer");
  body["label"] = {{"name", "area: net"}};
  world.Deliver("issues", body);
  issue.issue.body = "The socket does not work at all.";
  const int64_t id = world.Deliver("issues", world.Body("reopened", 1));
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), (std::set<std::string>{"queue"})) << "all of them were ours and were taken off";
}

TEST(Pipeline, PersonWhoChangesLabelsBetweenReadingAndWritingIsHeard) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  // After the snapshot (issue, comments) and before the look right before writing.
  int reads = 0;
  const auto count = world.forge_.point;
  world.forge_.point = [&] {
    if (++reads == 4) issue.issue.labels = {"queue", "team a"};
    count();
  };
  world.Run();
  EXPECT_EQ(world.Labels(1), (std::set<std::string>{"queue", "team a", "area: net", "done"}))
      << "one team only: the person's";
}

TEST(Pipeline, ReporterWhoAnswersIsReadAgainAndNobodyIsAskedTwice) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "it does not work", "It does not work.", {"queue"});
  world.Opened(1);
  world.Run();
  ASSERT_EQ(world.Labels(1), (std::set<std::string>{"queue", "team a", "needs info", "done"}));
  ASSERT_EQ(world.Templates(1).at("more"), 1);

  world.forge_.Comment(issue, "alice", "I see a ConnectionError on the socket.");
  nlohmann::json body = world.Body("created", 1);
  body["comment"] = {{"id", 77}, {"body", "x"}, {"user", {{"login", "alice"}}}};
  const int64_t id = world.Deliver("issue_comment", body);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), (std::set<std::string>{"queue", "team a", "needs info", "done", "area: net"}))
      << "labels are only added";
  EXPECT_EQ(world.Templates(1).at("more"), 1);
}

TEST(Pipeline, CommentsOfBotsAndOnIssuesThatWaitForNobodyChangeNothing) {
  World world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  world.Run();
  nlohmann::json body = world.Body("created", 1, "bob");
  body["comment"] = {{"id", 77}, {"body", "x"}, {"user", {{"login", "bob"}}}};
  const int64_t nobody_waits = world.Deliver("issue_comment", body);
  // A person set it: we are not the ones who wait.
  issue.issue.labels.emplace_back("needs info");
  nlohmann::json by_person = world.Body("created", 1, "bob");
  by_person["comment"] = body["comment"];
  const int64_t persons_label = world.Deliver("issue_comment", by_person);
  nlohmann::json by_bot = world.Body("created", 1, "helper[bot]");
  by_bot["comment"] = body["comment"];
  const int64_t bot = world.Deliver("issue_comment", by_bot);
  world.Run();
  EXPECT_EQ(world.StateOf(nobody_waits), "ignored (no-trigger)");
  EXPECT_EQ(world.StateOf(persons_label), "ignored (no-trigger)");
  EXPECT_EQ(world.StateOf(bot), "ignored (bot)");
}

TEST(Pipeline, EditsThatChangeNothingAreIgnored) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  world.Run();
  // The reading that was noted last was made before our labels came.
  const int64_t first = world.Deliver("issues", world.Body("edited", 1));
  world.Run();
  const int64_t second = world.Deliver("issues", world.Body("edited", 1));
  world.Run();
  EXPECT_EQ(world.StateOf(first), "ignored (no-trigger)");
  EXPECT_EQ(world.StateOf(second), "ignored (nothing-changed)");
}

TEST(Pipeline, ReasonsOfEverythingThatIsNotWorkedOn) {
  World world;
  world.forge_.Open(kRepository, 1, "socket", "socket", {"queue"});
  nlohmann::json foreign = world.Body("opened", 1);
  foreign["repository"]["full_name"] = "octo/other";
  const int64_t no_pack = world.Deliver("issues", foreign);
  nlohmann::json pull = world.Body("opened", 1);
  pull["pull_request"] = pull["issue"];
  const int64_t no_planner = world.Deliver("pull_request", pull);
  nlohmann::json gone = world.Body("opened", 1);
  gone["issue"]["number"] = 404;
  const int64_t subject_gone = world.Deliver("issues", gone);
  const int64_t own = world.Deliver("issues", world.Body("labeled", 1, "YardBot"));
  MemoryForge::Issue& closed = world.forge_.Open(kRepository, 2, "socket", "socket", {"queue"});
  const int64_t was_closed = world.Opened(2);
  closed.issue.state = ForgeState::kClosed;
  world.Run();
  EXPECT_EQ(world.StateOf(no_pack), "ignored (repository-without-pack)");
  EXPECT_EQ(world.StateOf(no_planner), "ignored (no-planner)");
  EXPECT_EQ(world.StateOf(subject_gone), "ignored (subject-gone)");
  EXPECT_EQ(world.StateOf(own), "ignored (own-action)");
  EXPECT_EQ(world.StateOf(was_closed), "ignored (closed)");
  world.ExpectSettled();
}

TEST(Pipeline, ForgeThatIsDownIsTriedAgainAndGivenUpInTheEnd) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  const int64_t id = world.Opened(1);
  world.forge_.Seed(1, {.not_sent = 100});
  const auto before = world.clock_.Now();
  world.Run();
  EXPECT_EQ(reasons::CodeOf(world.Get(id).reason), reasons::kForgeFailed);
  EXPECT_EQ(world.Get(id).state, store::DeliveryState::kFailed);
  EXPECT_GT(world.clock_.Now() - before, std::chrono::hours(3));
  world.ExpectSettled();

  world.forge_.Seed(1, {});
  ASSERT_TRUE(world.store_->inbox().Requeue(id).ok());
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), kVagueLabels);
}

TEST(Pipeline, RefusedWriteIsADeadLetterAndWorksAfterARequeue) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
  const int64_t id = world.Opened(1);
  ForgeError error;
  error.reason = ForgeReason::kInvalid;
  error.outcome = ForgeOutcome::kRefused;
  world.forge_.refuse_writes = MakeForgeStatus(error, "422 no");
  world.Run();
  EXPECT_EQ(world.StateOf(id), "failed (effect-failed: 422 no)");
  for (const store::Effect& effect : world.Effects()) EXPECT_EQ(effect.state, store::EffectState::kRefused);
  world.ExpectSettled();

  world.forge_.refuse_writes = absl::OkStatus();
  world.clock_.Advance(std::chrono::seconds(1));
  ASSERT_TRUE(world.store_->inbox().Requeue(id).ok());
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), kVagueLabels);
  EXPECT_EQ(world.Templates(1).at("more"), 1);
}

TEST(Pipeline, WriteThatIsNeverSeenIsSentThreeTimesARoundAndGivenUpAfterThreeRounds) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  const int64_t id = world.Opened(1);
  const auto start = world.clock_.Now();
  std::vector<int64_t> sent;
  world.forge_.lose_writes = true;
  world.forge_.before_write = [&] {
    sent.push_back(std::chrono::duration_cast<std::chrono::seconds>(world.clock_.Now() - start).count());
  };
  world.Run();
  ASSERT_EQ(sent.size(), 9U);
  EXPECT_EQ(std::vector<int64_t>(sent.begin(), sent.begin() + 3), (std::vector<int64_t>{0, 30, 60}));
  EXPECT_GE(sent[3], 90);
  EXPECT_EQ(reasons::CodeOf(world.Get(id).reason), reasons::kEffectFailed) << world.StateOf(id);
  world.ExpectSettled();
}

TEST(Pipeline, EveryPointOfDeathLeavesEverythingDoneOnce) {
  int64_t points = 0;
  {
    World world;
    world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
    world.Opened(1);
    world.Run();
    points = world.points_;
  }
  ASSERT_GT(points, 20);
  for (int64_t die_at = 1; die_at <= points; ++die_at) {
    SCOPED_TRACE("death at point " + std::to_string(die_at));
    World world;
    world.forge_.Open(kRepository, 1, "socket broken", kVague, {"queue"});
    const int64_t id = world.Opened(1);
    EXPECT_EQ(world.Run(die_at), 1);
    EXPECT_EQ(world.StateOf(id), "done");
    EXPECT_EQ(world.Labels(1), kVagueLabels);
    EXPECT_EQ(world.Templates(1), (std::map<std::string, int>{{"more", 1}}));
    for (const auto& [label, times] : world.forge_.At(kRepository, 1).added) EXPECT_EQ(times, 1) << label;
    world.ExpectSettled();
  }
}

TEST(Pipeline, FaultsAndDeathsBySeedLoseNothingAndDoNothingTwice) {
  const uint64_t seeds = testing::Rounds("YARD_SIMULATION_SEEDS", 40);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world;
    std::mt19937_64 random(seed);
    std::vector<int64_t> ids;
    for (int64_t number = 1; number <= 3; ++number) {
      world.forge_.Open(kRepository, number, "socket broken", kVague, {"queue"});
      ids.push_back(world.Opened(number));
      if (random() % 2 == 0) ids.push_back(world.Deliver("issues", world.Body("reopened", number)));
    }
    world.forge_.Seed(seed,
                      {.not_sent = 8, .limited = 8, .lost_before = 8, .lost_after = 8, .late = 8, .invisible = 8});
    int deaths = 0;
    world.die_again = [&]() -> int64_t { return ++deaths < 5 ? static_cast<int64_t>(1 + random() % 60) : -1; };
    world.Run(static_cast<int64_t>(1 + random() % 80));
    for (int64_t number = 1; number <= 3; ++number) {
      EXPECT_EQ(world.Labels(number), kVagueLabels);
      EXPECT_EQ(world.Templates(number), (std::map<std::string, int>{{"more", 1}}));
      for (const auto& [label, times] : world.forge_.At(kRepository, number).added) EXPECT_EQ(times, 1) << label;
    }
    for (const int64_t id : ids) {
      const store::DeliveryState state = world.Get(id).state;
      EXPECT_TRUE(state == store::DeliveryState::kDone || state == store::DeliveryState::kIgnored) << world.StateOf(id);
    }
    world.ExpectSettled();
    if (::testing::Test::HasFailure()) break;
  }
}

// --- Deaths of whole processes ---

// Breaks on one text, as a fault of ours would.
class FragilePlanner : public Planner {
 public:
  std::string_view name() const override { return inner_.name(); }
  bool Handles(v1::SubjectKind kind, const rules::PackModel& pack) const override { return inner_.Handles(kind, pack); }
  TriggerResult TriggerFor(const RoutedEvent& event, const rules::PackModel& pack,
                           const std::vector<std::string>* seen) const override {
    return inner_.TriggerFor(event, pack, seen);
  }
  std::string_view SkipReason(const PlanInput& input) const override { return inner_.SkipReason(input); }
  std::string Digest(const PlanInput& input) const override { return inner_.Digest(input); }
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override {
    if (input.snapshot.body().find("poison") != std::string::npos) std::abort();
    return inner_.Plan(input, plan);
  }

 private:
  const IssuePlanner inner_{};
};

// Runs the world in a process of its own until it has nothing to do or dies. True if it ended by itself.
bool RunInAProcess(World& world) {
  world.Down();
  const pid_t pid = ::fork();
  if (pid == 0) {
    // What a death prints is no matter for this test.
    ::close(STDERR_FILENO);
    world.Boot();
    world.Run();
    world.Down();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Pipeline, TextThatBreaksThePlannerIsSetAsideAndTheOthersAreWorkedOn) {
  World world;
  world.planner_ = std::make_shared<FragilePlanner>();
  std::vector<int64_t> ids;
  for (int64_t number = 1; number <= 4; ++number) {
    world.forge_.Open(kRepository, number, "socket", number == 2 ? "poison" : "The socket broke.", {"queue"});
    ids.push_back(world.Opened(number));
  }
  int deaths = 0;
  while (!RunInAProcess(world)) ASSERT_LT(++deaths, 10);
  EXPECT_EQ(deaths, kMaxCrashes);
  world.Boot();
  EXPECT_EQ(world.StateOf(ids[1]), "dead (crashed: work on it ended the daemon 3 times)");
  for (const size_t i : {0, 2, 3}) EXPECT_EQ(world.StateOf(ids[i]), "done") << i;
  world.ExpectSettled();

  // A person wants it tried again: it has three lives again.
  ASSERT_TRUE(world.store_->inbox().Requeue(ids[1]).ok());
  world.planner_ = std::make_shared<IssuePlanner>();
  world.Boot();
  world.Run();
  EXPECT_EQ(world.StateOf(ids[1]), "done");
}

// Killed from outside in the midst of planning.
class KilledPlanner final : public FragilePlanner {
 public:
  absl::Status Plan(const PlanInput&, v1::Plan&) const override {
    ::raise(SIGKILL);
    return absl::OkStatus();
  }
};

TEST(Pipeline, DaemonThatIsKilledOverAndOverCondemnsNobody) {
  World world;
  world.forge_.Open(kRepository, 1, "socket", "The socket broke.", {"queue"});
  const int64_t id = world.Opened(1);
  world.planner_ = std::make_shared<KilledPlanner>();
  EXPECT_FALSE(RunInAProcess(world));
  // From now on it is a suspect: what kills the daemon soon after its start finds it waiting, whatever the planner
  // does.
  for (int i = 0; i < 2 * kMaxCrashes; ++i) {
    world.Boot();
    while (world.pipeline_->RunOne()) {
    }
    EXPECT_EQ(world.marks_->CrashCount(id), 1);
  }
  world.planner_ = std::make_shared<IssuePlanner>();
  world.Boot();
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
}

TEST(Pipeline, DeathsWhileWaitingForTheForgeCondemnNobody) {
  World world;
  world.forge_.Open(kRepository, 1, "socket", "The socket broke.", {"queue"});
  const int64_t id = world.Opened(1);
  world.forge_.point = [] { ::raise(SIGKILL); };
  for (int i = 0; i < 2 * kMaxCrashes; ++i) EXPECT_FALSE(RunInAProcess(world));
  world.forge_.point = nullptr;
  world.Boot();
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Get(id).attempts, 0) << "attempts that were cut short count towards no limit";
}

}  // namespace
}  // namespace yardmaster
