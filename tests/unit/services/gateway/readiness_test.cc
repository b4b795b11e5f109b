#include "services/gateway/readiness.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace yardmaster {
namespace {

TEST(Readiness, IsThereWhenEveryPartIs) {
  Readiness readiness({"packs", "http"});
  EXPECT_FALSE(readiness.ready());
  readiness.Set("packs", true);
  EXPECT_FALSE(readiness.ready());
  EXPECT_EQ(nlohmann::json::parse(readiness.ToJson()),
            nlohmann::json::parse(R"({"status": "not ready", "reasons": {"http": "starting"}})"));
  readiness.Set("http", true);
  EXPECT_TRUE(readiness.ready());
  EXPECT_EQ(nlohmann::json::parse(readiness.ToJson()), nlohmann::json::parse(R"({"status": "ready"})"));
  readiness.Set("packs", false, "the disk is full");
  EXPECT_FALSE(readiness.ready());
  EXPECT_EQ(nlohmann::json::parse(readiness.ToJson())["reasons"]["packs"], "the disk is full");
}

TEST(Readiness, DrainingIsForGood) {
  Readiness readiness({"packs"});
  readiness.Set("packs", true);
  readiness.Drain();
  EXPECT_FALSE(readiness.ready());
  readiness.Set("packs", true);
  EXPECT_FALSE(readiness.ready());
}

}  // namespace
}  // namespace yardmaster
