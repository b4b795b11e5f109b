#include "services/yardworker/memory_share.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::yardworker {
namespace {

std::vector<v1::WorkerDevice> Devices(const std::vector<std::pair<std::string, int>>& kinds) {
  std::vector<v1::WorkerDevice> devices;
  for (const auto& [kind, count] : kinds) {
    for (int i = 0; i < count; ++i) {
      v1::WorkerDevice& device = devices.emplace_back();
      device.set_kind(kind);
      device.set_id(kind + ":" + std::to_string(i));
    }
  }
  return devices;
}

TEST(MemoryShare, ARunWithAllDevicesHasAllAndOneWithAPartHasItsPart) {
  EXPECT_EQ(MemoryShareMb(8'000, Devices({{"cpu", 2}}), {"cpu:0", "cpu:1"}), 8'000U);
  EXPECT_EQ(MemoryShareMb(8'000, Devices({{"cpu", 8}}), {"cpu:3"}), 1'000U);
}

TEST(MemoryShare, RunsThatHaveAllDevicesOfSeveralKindsHaveNoMoreThanAll) {
  const std::vector<v1::WorkerDevice> devices = Devices({{"cpu", 4}, {"gpu", 2}});
  EXPECT_EQ(MemoryShareMb(8'000, devices, {"gpu:0", "gpu:1"}), 4'000U);
  EXPECT_EQ(MemoryShareMb(8'000, devices, {"cpu:0", "cpu:1", "cpu:2", "cpu:3"}), 4'000U);
}

TEST(MemoryShare, ADeviceThatWentAwayGivesNoMore) {
  EXPECT_LE(MemoryShareMb(8'000, Devices({{"gpu", 3}}), {"gpu:3"}), 4'000U);
  EXPECT_EQ(MemoryShareMb(8'000, {}, {"gpu:0"}), 8'000U);
}

TEST(MemoryShare, TheLeastOfTheOrdersLimitAndTheShareHolds) {
  v1::RunOrder order;
  order.add_devices("cpu:0");
  LimitMemory(0, Devices({{"cpu", 2}}), order);
  EXPECT_EQ(order.limits().memory_mb(), 0U);
  LimitMemory(8'000, Devices({{"cpu", 2}}), order);
  EXPECT_EQ(order.limits().memory_mb(), 4'000U);
  order.mutable_limits()->set_memory_mb(500);
  LimitMemory(8'000, Devices({{"cpu", 2}}), order);
  EXPECT_EQ(order.limits().memory_mb(), 500U);
}

}  // namespace
}  // namespace yardmaster::yardworker
