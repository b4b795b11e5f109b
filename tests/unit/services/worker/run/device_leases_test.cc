#include "services/worker/run/device_leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "services/core/ids.h"
#include "tests/support/fake_probe.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using testing::FakeProbe;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Ids of their own: other tests run beside this one and lock devices of this machine, too.
Discovery Gpus(int count, const std::string& salt) {
  Discovery found;
  for (int i = 0; i < count; ++i) {
    Device device;
    device.kind = rules::DeviceKind::kGpu;
    device.name = "gpu" + std::to_string(i);
    device.id = salt + std::to_string(i);
    device.index = i;
    device.health = DeviceHealth::kOk;
    found.devices.push_back(device);
  }
  return found;
}

class DeviceLeasesTest : public ::testing::Test {
 protected:
  DeviceLeasesTest() {
    gpu_.kind = rules::DeviceKind::kGpu;
    cpu_.kind = rules::DeviceKind::kCpu;
  }
  static std::vector<std::string> Names(const LeaseAnswer& answer) {
    std::vector<std::string> names;
    names.reserve(answer.devices.size());
    for (const Device& device : answer.devices) names.push_back(device.name);
    return names;
  }
  std::function<void(std::string_view)> Notes() {
    return [this](std::string_view text) {
      notes_.emplace_back(text);
      cancel_ = true;  // nobody would give way
    };
  }

  const std::string salt_ = NewId("GPU-test-");
  FakeProbe probe_{Gpus(4, salt_)};
  rules::DeviceRequest gpu_;
  rules::DeviceRequest cpu_;
  std::vector<std::string> notes_;
  std::atomic<bool> cancel_{false};
};

TEST_F(DeviceLeasesTest, TwoRunsNeverHaveTheSameDevice) {
  DeviceLeases first({&probe_}, Notes());
  DeviceLeases second({&probe_}, Notes());
  const LeaseAnswer mine = first.Lease(gpu_, 2, false, cancel_);
  const LeaseAnswer yours = second.Lease(gpu_, 2, false, cancel_);
  EXPECT_THAT(Names(mine), ElementsAre("gpu0", "gpu1"));
  EXPECT_THAT(Names(yours), ElementsAre("gpu2", "gpu3"));
  DeviceLeases third({&probe_}, Notes());
  const LeaseAnswer none = third.Lease(gpu_, 1, false, cancel_);
  EXPECT_EQ(none.state, LeaseAnswer::State::kAbsent);
  EXPECT_THAT(none.reason, HasSubstr("another run"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("waiting for 1 GPU")));
}

TEST_F(DeviceLeasesTest, WhatIsHeldIsUsedAgainAndGivenBackAtTheEnd) {
  {
    DeviceLeases leases({&probe_}, Notes());
    EXPECT_THAT(Names(leases.Lease(gpu_, 1, false, cancel_)), ElementsAre("gpu0"));
    EXPECT_THAT(Names(leases.Lease(gpu_, 3, false, cancel_)), ElementsAre("gpu0", "gpu1", "gpu2"));
    EXPECT_EQ(leases.used().size(), 3U);
  }
  DeviceLeases other({&probe_}, Notes());
  EXPECT_EQ(other.Lease(gpu_, 4, false, cancel_).state, LeaseAnswer::State::kGranted);
}

TEST_F(DeviceLeasesTest, TooFewAreAbsentUnlessTheyMayBeShared) {
  DeviceLeases leases({&probe_}, Notes());
  const LeaseAnswer absent = leases.Lease(gpu_, 8, false, cancel_);
  EXPECT_EQ(absent.state, LeaseAnswer::State::kAbsent);
  EXPECT_THAT(absent.reason, HasSubstr("8 GPUs"));
  const LeaseAnswer shared = leases.Lease(gpu_, 8, true, cancel_);
  EXPECT_EQ(shared.state, LeaseAnswer::State::kGranted);
  EXPECT_EQ(shared.devices.size(), 4U);
}

TEST_F(DeviceLeasesTest, AKindWithoutAProbeIsAbsent) {
  DeviceLeases leases({}, Notes());
  const LeaseAnswer answer = leases.Lease(gpu_, 1, true, cancel_);
  EXPECT_EQ(answer.state, LeaseAnswer::State::kAbsent);
  EXPECT_THAT(answer.reason, HasSubstr("it needs 1 GPU, and there are none"));
}

TEST_F(DeviceLeasesTest, DevicesThatCannotBeAskedAboutAreNotAbsent) {
  FakeProbe broken(absl::UnavailableError("unknown header"));
  DeviceLeases leases({&broken}, Notes());
  const LeaseAnswer answer = leases.Lease(gpu_, 1, false, cancel_);
  EXPECT_EQ(answer.state, LeaseAnswer::State::kUnknown);
  EXPECT_THAT(answer.reason, HasSubstr("unknown header"));
}

TEST_F(DeviceLeasesTest, WhereLocksCannotBeKeptNobodyIsWaitedFor) {
  const testing::TempDir runtime;
  runtime.Write("yardmaster-ports", "a file where a folder should be");
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::string old = before == nullptr ? "" : before;
  ::setenv("XDG_RUNTIME_DIR", runtime.path().c_str(), 1);
  DeviceLeases leases({&probe_}, Notes());
  const LeaseAnswer answer = leases.Lease(gpu_, 1, false, cancel_);
  if (before == nullptr) {
    ::unsetenv("XDG_RUNTIME_DIR");
  } else {
    ::setenv("XDG_RUNTIME_DIR", old.c_str(), 1);
  }
  EXPECT_EQ(answer.state, LeaseAnswer::State::kUnknown);
  EXPECT_THAT(answer.reason, HasSubstr("yardmaster-ports"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DeviceLeasesTest, ABusyOrBadDeviceIsNotGiven) {
  Discovery found = Gpus(3, salt_);
  found.devices[0].processes = {4242};
  found.devices[1].health = DeviceHealth::kBad;
  found.devices[1].health_reason = "an uncorrectable memory error";
  FakeProbe probe(found);
  DeviceLeases leases({&probe}, Notes());
  EXPECT_THAT(Names(leases.Lease(gpu_, 1, false, cancel_)), ElementsAre("gpu2"));
  EXPECT_EQ(leases.Lease(gpu_, 2, false, cancel_).state, LeaseAnswer::State::kAbsent);
}

TEST_F(DeviceLeasesTest, ProcessorsAreCountedAndNotLocked) {
  const std::unique_ptr<DeviceProbe> probe = MakeCpuProbe(4);
  DeviceLeases first({probe.get()}, Notes());
  DeviceLeases second({probe.get()}, Notes());
  EXPECT_EQ(first.Lease(cpu_, 4, false, cancel_).devices.size(), 4U);
  EXPECT_EQ(second.Lease(cpu_, 4, false, cancel_).devices.size(), 4U);
  EXPECT_EQ(first.Lease(cpu_, 5, false, cancel_).state, LeaseAnswer::State::kAbsent);
}

}  // namespace
}  // namespace yardmaster::worker
