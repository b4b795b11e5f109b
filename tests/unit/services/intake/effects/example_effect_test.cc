// A long-running effect from the webhook to the forge, with nothing of it in the product.
#include "tests/unit/services/intake/effects/example_effect.h"

#include <gtest/gtest.h>

#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using testing::AddLabelsSlowly;
using testing::kRepository;
using testing::World;

constexpr const char* kText = "The socket does not work.";
const std::set<std::string> kLabels = {"queue", "team b", "area: net", "needs info", "done"};

class ExampleEffect : public ::testing::Test {
 protected:
  ExampleEffect() {
    // In front of the shipped ones, since it carries out an action of theirs.
    world_.kinds_.insert(world_.kinds_.begin(), &kind_);
    world_.Boot();
    world_.forge_.Open(kRepository, 1, "socket broken", kText, {"queue"});
  }
  store::Effect Slow() {
    for (store::Effect& effect : world_.Effects()) {
      if (effect.kind == kind_.name()) return std::move(effect);
    }
    return {};
  }

  const AddLabelsSlowly kind_;
  World world_;
};

TEST_F(ExampleEffect, OutlivesItsDeliveryAndGoesOnWithWhatTheLedgerKept) {
  const int64_t delivery = world_.Opened(1);
  while (world_.pipeline_->RunOne()) {
  }
  // Nobody waits: the delivery is done with one label of several on the issue.
  EXPECT_EQ(world_.StateOf(delivery), "done");
  EXPECT_EQ(Slow().state, store::EffectState::kUnknown);
  EXPECT_FALSE(Slow().progress.empty());
  EXPECT_LT(world_.Labels(1).size(), kLabels.size());

  // Another process carries it on.
  world_.Boot();
  const auto before = world_.clock_.Now();
  world_.Run();
  EXPECT_EQ(world_.Labels(1), kLabels);
  EXPECT_EQ(Slow().state, store::EffectState::kConfirmed);
  EXPECT_EQ(Slow().attempts, 1);
  const auto labels = Slow().action.add_labels().labels_size();
  EXPECT_GE(world_.clock_.Now() - before, (labels - 1) * AddLabelsSlowly::kPause);
  world_.ExpectSettled();
}

TEST_F(ExampleEffect, IsCompleteWhereverTheProcessDies) {
  for (int64_t die_at = 1; die_at < 500; ++die_at) {
    World world;
    world.kinds_.insert(world.kinds_.begin(), &kind_);
    world.Boot();
    world.forge_.Open(kRepository, 1, "socket broken", kText, {"queue"});
    world.Opened(1);
    if (world.Run(die_at) == 0) return;
    EXPECT_EQ(world.Labels(1), kLabels) << "died at " << die_at;
    world.ExpectSettled();
  }
  FAIL() << "more points than expected";
}

}  // namespace
}  // namespace yardmaster
