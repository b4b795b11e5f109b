#include "services/pipeline/watch_job.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace yardmaster {
namespace {

TEST(Phases, ComeBackAsTheyWereKept) {
  const std::map<int64_t, std::string> phases = {{12, "GREEN"}, {15, "P2_FAILED"}};
  EXPECT_EQ(PhasesToText(phases), "12=GREEN 15=P2_FAILED");
  EXPECT_EQ(PhasesFromText(PhasesToText(phases)), phases);
}

TEST(Phases, WhatCantBeReadIsLeftOut) {
  const std::map<int64_t, std::string> one = {{7, "NEW"}};
  EXPECT_EQ(PhasesFromText("x=GREEN 7=NEW -1=NEW 8= 9 =GREEN"), one);
  EXPECT_TRUE(PhasesFromText("").empty());
}

TEST(Watching, AGateIsKnownByAPackOfTheRepositoryOrOfTheScheduleThatWatchesIt) {
  PackSet::Pipelines profiles;
  profiles["gated"] = std::make_shared<const rules::PipelineProfile>();
  const PackSet packs({}, {}, {}, std::move(profiles));
  v1::Subject repository;
  repository.set_forge("github");
  repository.set_repository("o/r");
  Config config;
  EXPECT_FALSE(HasGateToWatch(config, packs, repository));
  ScheduleConfig& schedule = config.schedules.emplace_back();
  schedule.run = kPipelineWatch;
  schedule.pack = "gated";
  schedule.forge = "github";
  schedule.repository = "o/other";
  EXPECT_FALSE(HasGateToWatch(config, packs, repository)) << "another one's schedule";
  schedule.repository = "o/*";
  EXPECT_TRUE(HasGateToWatch(config, packs, repository));
  config.schedules.clear();
  RepositoryConfig& entry = config.repositories.emplace_back();
  entry.forge = "github";
  entry.repository = "o/r";
  entry.packs = {"plain"};
  EXPECT_FALSE(HasGateToWatch(config, packs, repository));
  entry.packs.emplace_back("gated");
  EXPECT_TRUE(HasGateToWatch(config, packs, repository));
}

}  // namespace
}  // namespace yardmaster
