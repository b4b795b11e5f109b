// What repositories' files choose, in the whole pipe: which pack decides, and whether anything is written.
#include "services/intake/repository_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using testing::kRepository;
using testing::World;

// Two packs: under "other" every issue enters, under "tiny" those of the queue.
class ChoosingWorld : public World {
 public:
  explicit ChoosingWorld(RepositoryChoice choice) {
    rules::PackFiles files = testing::TinyPackFiles();
    for (const auto& [path, text] : testing::TinyPackFiles()) files["other" + path.substr(4)] = text;
    files["other/pack.json"] = R"({"name": "other", "title": "Another pack"})";
    more_packs_["other"] = testing::CompileTinyPack(files, "other");
    config_.repositories.front().packs = {"tiny", "other"};
    find_choice_ = [this, choice = std::move(choice)](const v1::Subject&,
                                                      SubjectView& view) -> absl::StatusOr<RepositoryChoice> {
      const auto text = view.RecentFile("", "file", "");
      if (!text.ok()) return text.status();
      ++asked_;
      return choice;
    };
    Boot();
  }
  std::optional<v1::Plan> Latest(int64_t number) {
    v1::Subject subject;
    subject.set_forge("github");
    subject.set_repository(kRepository);
    subject.set_kind(v1::SUBJECT_KIND_ISSUE);
    subject.set_number(number);
    const auto decision = store_->decisions().Latest(subject);
    EXPECT_TRUE(decision.ok()) << decision.status();
    if (!decision.ok() || !decision->has_value()) return std::nullopt;
    v1::Plan plan;
    EXPECT_TRUE(plan.ParseFromString((*decision)->plan));
    return plan;
  }

  int asked_ = 0;
};

TEST(RepositoryChoiceInThePipe, TheChosenPackDecidesAndTheExplanationSaysWhy) {
  ChoosingWorld world({.packs = {"other"}, .why = "the file chooses the packs other"});
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {});
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done") << "the default pack would have left it alone";
  EXPECT_EQ(world.Labels(1).count("area: net"), 1U);
  const std::optional<v1::Plan> plan = world.Latest(1);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->pack(), "other");
  ASSERT_GT(plan->explanation().steps_size(), 1);
  EXPECT_EQ(plan->explanation().steps(0).id(), "repository-file");
  EXPECT_TRUE(plan->explanation().steps(0).taken());
  EXPECT_EQ(plan->explanation().steps(0).why(), "the file chooses the packs other");
  EXPECT_EQ(plan->explanation().steps(1).id(), "done") << "the pack's own steps keep their order";
}

TEST(RepositoryChoiceInThePipe, WithoutAChoiceTheDefaultPackDecidesAsIfThereWereNoOther) {
  ChoosingWorld world({});
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {});
  world.forge_.Open(kRepository, 2, "socket broken", "The socket broke.", {"queue"});
  const int64_t outside = world.Opened(1);
  world.Opened(2);
  world.Run();
  EXPECT_EQ(world.StateOf(outside), "ignored (not-in-queue)");
  EXPECT_EQ(world.Labels(2).count("area: net"), 1U);
  const std::optional<v1::Plan> plan = world.Latest(2);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->pack(), "tiny");
  EXPECT_NE(plan->explanation().steps(0).id(), "repository-file");
}

TEST(RepositoryChoiceInThePipe, DryRunOfTheFileWritesNothing) {
  ChoosingWorld world({.packs = {}, .dry_run = true, .why = "the file says dry-run"});
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.forge_.writes, 0);
  const std::optional<v1::Plan> plan = world.Latest(1);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->mode(), v1::MODE_DRY_RUN);
  EXPECT_THAT(plan->explanation().steps(0).why(), HasSubstr("dry-run"));
}

TEST(RepositoryChoiceInThePipe, ABrokenFileForbidsToWriteWhatIsDecided) {
  ChoosingWorld world({.packs = {}, .broken = true, .why = "the file can't be used"});
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  world.Run();
  EXPECT_EQ(world.forge_.writes, 0);
  ASSERT_TRUE(world.Latest(1).has_value());
  EXPECT_EQ(world.Latest(1)->mode(), v1::MODE_DRY_RUN);
}

TEST(RepositoryChoiceInThePipe, APackThatIsNotInServiceIsPassedOver) {
  ChoosingWorld world({.packs = {"gone", "other"}, .why = "gone, other"});
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {});
  world.Opened(1);
  world.Run();
  ASSERT_TRUE(world.Latest(1).has_value());
  EXPECT_EQ(world.Latest(1)->pack(), "other");
}

TEST(RepositoryChoiceInThePipe, TheFileIsReadOnceInAMinuteAndAfterAPush) {
  ChoosingWorld world({});
  for (int64_t number = 1; number <= 5; ++number) {
    world.forge_.Open(kRepository, number, "socket broken", "The socket broke.", {"queue"});
    world.Opened(number);
  }
  world.Run();
  EXPECT_EQ(world.asked_, 5);
  EXPECT_EQ(world.forge_.file_reads, 1);
  world.Deliver("push", {{"ref", "refs/heads/main"},
                         {"repository", {{"full_name", kRepository}}},
                         {"sender", {{"login", "alice"}, {"type", "User"}}}});
  world.forge_.Open(kRepository, 6, "socket broken", "The socket broke.", {"queue"});
  world.Opened(6);
  world.Run();
  EXPECT_EQ(world.forge_.file_reads, 2);
  world.clock_.Advance(std::chrono::minutes(2));
  world.forge_.Open(kRepository, 7, "socket broken", "The socket broke.", {"queue"});
  world.Opened(7);
  world.Run();
  EXPECT_EQ(world.forge_.file_reads, 3);
}

TEST(RepositoryChoiceInThePipe, NothingIsReadWhereTheFileCouldChangeNothing) {
  ChoosingWorld world({});
  world.config_.mode = RunMode::kDryRun;
  world.config_.repositories.front().packs = {"tiny"};
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  // And an event that no pack wants.
  world.config_.mode = RunMode::kApply;
  world.Deliver("issues", world.Body("closed", 1));
  world.config_.mode = RunMode::kDryRun;
  world.Run();
  EXPECT_EQ(world.forge_.file_reads, 0);
  EXPECT_TRUE(world.Latest(1).has_value());
}

TEST(ExplainChoice, NothingToSayAddsNothing) {
  v1::Plan plan;
  ExplainChoice({}, plan);
  EXPECT_EQ(plan.explanation().steps_size(), 0);
}

}  // namespace
}  // namespace yardmaster
