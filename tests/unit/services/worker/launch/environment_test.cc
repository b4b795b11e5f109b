#include "services/worker/launch/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

EnvironmentRequest Request() {
  EnvironmentRequest request;
  request.worker = {{"PATH", "/opt/bin:/bin"}, {"HOME", "/home/me"},   {"SSH_AUTH_SOCK", "/s"},
                    {"HF_TOKEN", "hush"},      {"MINE", "handed on"},  {"PYTHONPATH", "/mine"},
                    {"HARMLESS", "has hush"},  {"TZ", "Asia/Shanghai"}};
  request.home = "/tmp/h";
  request.temp = "/tmp/t";
  return request;
}

TEST(BaseEnvironment, NothingOfTheWorkersOwnReachesAJobUnasked) {
  std::vector<std::string> notes;
  const Environment environment = BaseEnvironment(Request(), notes);
  EXPECT_EQ(environment.at("PATH"), "/opt/bin:/bin");
  EXPECT_EQ(environment.at("HOME"), "/tmp/h");
  EXPECT_EQ(environment.at("TMPDIR"), "/tmp/t");
  EXPECT_EQ(environment.at("TZ"), "Asia/Shanghai");
  EXPECT_EQ(environment.at("LANG"), "C.UTF-8");
  for (const char* name : {"SSH_AUTH_SOCK", "HF_TOKEN", "MINE", "PYTHONPATH", "HARMLESS"}) {
    EXPECT_FALSE(environment.contains(name)) << name;
  }
  EXPECT_THAT(notes, IsEmpty());
}

TEST(BaseEnvironment, WhatIsAskedForIsHandedOnButNoSecrets) {
  EnvironmentRequest request = Request();
  request.pass = {"MINE", "HF_TOKEN", "HARMLESS", "ABSENT"};
  request.secrets = {"hush"};
  std::vector<std::string> notes;
  const Environment environment = BaseEnvironment(request, notes);
  EXPECT_EQ(environment.at("MINE"), "handed on");
  EXPECT_FALSE(environment.contains("HF_TOKEN"));
  EXPECT_FALSE(environment.contains("HARMLESS"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("HF_TOKEN"), HasSubstr("HARMLESS")));
}

TEST(BaseEnvironment, TheLeasedDevicesAreTheVisibleOnes) {
  EnvironmentRequest request = Request();
  request.visible_devices = {"CUDA_VISIBLE_DEVICES=GPU-1,GPU-2", "ASCEND_RT_VISIBLE_DEVICES="};
  std::vector<std::string> notes;
  const Environment environment = BaseEnvironment(request, notes);
  EXPECT_EQ(environment.at("CUDA_VISIBLE_DEVICES"), "GPU-1,GPU-2");
  EXPECT_EQ(environment.at("ASCEND_RT_VISIBLE_DEVICES"), "");
}

TEST(BaseEnvironment, WithoutAPathOfTheWorkerThereIsTheSystems) {
  EnvironmentRequest request = Request();
  request.worker.erase("PATH");
  request.first_in_path = "/tmp/bin";
  std::vector<std::string> notes;
  EXPECT_THAT(BaseEnvironment(request, notes).at("PATH"), testing::MatchesRegex("/tmp/bin:.*:/usr/bin:.*"));
}

TEST(WithoutSecrets, AVariableThatHoldsASecretIsHeldBack) {
  std::vector<std::string> held_back;
  const Environment kept = WithoutSecrets({{"A", "x"}, {"B", "say hush now"}}, {"hush", ""}, held_back);
  EXPECT_EQ(kept, (Environment{{"A", "x"}}));
  EXPECT_THAT(held_back, ElementsAre("B"));
}

}  // namespace
}  // namespace yardmaster::worker
