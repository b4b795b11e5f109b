// What tests of effects share.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_EFFECTS_EFFECT_RUNS_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_EFFECTS_EFFECT_RUNS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "services/intake/effects/effect_runner.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster::testing {

// Actions on one subject, carried out as work on a delivery does it: whenever it can't go on, it starts again from the
// beginning.
class EffectRuns : public ::testing::Test {
 protected:
  explicit EffectRuns(v1::SubjectKind kind) {
    subject_.set_forge("github");
    subject_.set_repository(kRepository);
    subject_.set_number(1);
    subject_.set_kind(kind);
    plan_.set_id("d1");
    plan_.set_pack("tiny");
    *plan_.mutable_subject() = subject_;
  }

  EffectContext Context() {
    ConfiguredForge& account = other_account_ == nullptr ? *world_.account_ : *other_account_;
    ForgeCall call;
    call.timeout = account.WriteTimeout();
    return {account, call};
  }
  // One run through all actions: the first that is not done, or kDone.
  Outcome Attempt(const std::vector<v1::Action>& actions) {
    Outcome step = world_.effects_->SettleOpen(subject_, Context());
    for (const v1::Action& action : actions) {
      if (!step.done()) break;
      std::string key;
      step = world_.effects_->Run(plan_, action, 1, started_, Context(), key);
    }
    return step;
  }
  // Runs until all is done or something failed for good; deaths by `world_.point_` are survived.
  Outcome Run(const std::vector<v1::Action>& actions) {
    for (int i = 0; i < 1'000; ++i) {
      Outcome step;
      try {
        step = Attempt(actions);
      } catch (const Died&) {
        world_.die_at_ = world_.die_again == nullptr ? 0 : world_.points_ + world_.die_again();
        world_.Boot();
        continue;
      }
      if (step.done() || step.kind == Outcome::Kind::kFailed) return step;
      // A retry begins a new round of its delivery.
      if (step.kind == Outcome::Kind::kRetry) started_ = world_.clock_.Now();
      world_.clock_.Advance(std::max(step.delay, std::chrono::milliseconds(1'000)));
    }
    ADD_FAILURE() << "it does not come to an end";
    return {};
  }
  store::Effect Last() {
    store::Effect last;
    for (store::Effect& effect : world_.Effects()) {
      if (effect.id > last.id) last = std::move(effect);
    }
    return last;
  }

  World world_;
  // Where the subject lies; null: on the world's own forge.
  ConfiguredForge* other_account_ = nullptr;
  v1::Subject subject_;
  v1::Plan plan_;
  store::TimePoint started_ = world_.clock_.Now();
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_EFFECTS_EFFECT_RUNS_H_
