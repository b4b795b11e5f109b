#include "services/pipeline/watch_job.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace yardmaster
