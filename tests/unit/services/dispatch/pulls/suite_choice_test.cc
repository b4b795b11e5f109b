// What comments ask for, over the packs that ship.
#include "services/dispatch/pulls/suite_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/engine/suites/load_suites.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

v1::TestRequest Request(const std::string& suite, const std::string& device = "", const std::string& level = "",
                        uint32_t cards = 0) {
  v1::TestRequest request;
  request.set_kind(v1::TestRequest::KIND_RUN);
  request.set_suite(suite);
  request.set_device(device);
  request.set_level(level);
  request.set_cards(cards);
  return request;
}

SuiteChoice Choose(const std::string& pack, const v1::TestRequest& request) {
  Problems problems;
  const auto set = rules::LoadSuites(testing::ShippedPacks(), pack, problems);
  EXPECT_TRUE(set != nullptr);
  std::vector<ShelvedSuite> all;
  for (const rules::SuiteModel& suite : set->suites) all.push_back({suite.pack + "/" + suite.id, set, &suite});
  return ChooseSuites(all, pack, request);
}

std::vector<std::string> Names(const SuiteChoice& choice) {
  std::vector<std::string> names;
  for (const ChosenSuite& one : choice.suites) names.push_back(one.suite.name);
  return names;
}

std::string Refused(const SuiteChoice& choice) { return choice.refusal.has_value() ? choice.refusal->code : ""; }

TEST(SuiteChoice, OneOperatorOfHyperParallelOnEightCards) {
  const SuiteChoice choice = Choose("hyper-parallel", Request("hp-st-matmul", "ascend910b", "", 8));
  EXPECT_EQ(Refused(choice), "");
  ASSERT_THAT(Names(choice), ElementsAre("hyper-parallel/torch-st"));
  const v1::JobSpec& part = choice.suites[0].part;
  EXPECT_THAT(part.variables(), ElementsAre("YARD_KEYWORD=matmul"));
  EXPECT_EQ(part.devices().kind(), "npu");
  EXPECT_EQ(part.devices().count(), 8U);
  EXPECT_THAT(part.devices().models(), ElementsAre("*ascend910b*"));
}

TEST(SuiteChoice, EveryPackWithSuitesHasUsualOnes) {
  for (const std::string& pack : rules::PackNames(testing::ShippedPacks())) {
    Problems problems;
    const auto set = rules::LoadSuites(testing::ShippedPacks(), pack, problems);
    ASSERT_TRUE(set != nullptr) << pack;
    if (set->suites.empty()) continue;
    EXPECT_EQ(Refused(Choose(pack, Request(""))), "") << pack;
  }
  EXPECT_THAT(Names(Choose("pypto", Request(""))), UnorderedElementsAre("pypto/ut-cpp", "pypto/ut-py"));
}

TEST(SuiteChoice, TheRobotsWordsFindTheirSuites) {
  EXPECT_THAT(Names(Choose("pypto", Request("ut_cpp"))), ElementsAre("pypto/ut-cpp"));
  EXPECT_THAT(Names(Choose("pypto", Request("cpp"))), ElementsAre("pypto/ut-cpp")) << "/retest_ut_cpp";
  EXPECT_THAT(Names(Choose("pypto", Request("ut"))), UnorderedElementsAre("pypto/ut-cpp", "pypto/ut-py"));
  EXPECT_THAT(Names(Choose("pypto", Request("st"))), ElementsAre("pypto/st"));
  EXPECT_THAT(Names(Choose("hyper-parallel", Request("st"))),
              UnorderedElementsAre("hyper-parallel/torch-st", "hyper-parallel/mindspore-st"));
  // Only what has smoke layers, and only these.
  const SuiteChoice smoke = Choose("hyper-parallel", Request("smoke", "ascend910b"));
  ASSERT_THAT(Names(smoke), ElementsAre("hyper-parallel/torch-st"));
  EXPECT_THAT(smoke.suites[0].part.layers(), ElementsAre("one-card"));
}

TEST(SuiteChoice, ProcessorsAreNoGpus) {
  const SuiteChoice one = Choose("pypto", Request("ut_cpp", "cpu_x86"));
  ASSERT_THAT(Names(one), ElementsAre("pypto/ut-cpp"));
  EXPECT_EQ(one.suites[0].part.devices().kind(), "cpu");
  EXPECT_THAT(one.suites[0].part.devices().models(), IsEmpty());
  EXPECT_THAT(one.suites[0].part.labels(), ElementsAre("arch:x86_64"));
  // /retest_smoke_cpu_x86: the smoke layers need NPUs.
  const SuiteChoice smoke = Choose("hyper-parallel", Request("smoke", "cpu_x86"));
  EXPECT_EQ(Refused(smoke), "no-device");
  EXPECT_THAT(smoke.refusal->detail, HasSubstr("cpu_x86 (hyper-parallel/torch-st)"));
}

TEST(SuiteChoice, ADeviceThatIsNamedForSeveralIsForThoseThatNeedOne) {
  const SuiteChoice usual = Choose("hyper-parallel", Request("", "910b"));
  ASSERT_THAT(Names(usual), UnorderedElementsAre("hyper-parallel/torch-st", "hyper-parallel/ut"));
  for (const ChosenSuite& one : usual.suites) {
    EXPECT_EQ(one.part.devices().kind(), one.suite.name == "hyper-parallel/ut" ? "" : "npu") << one.suite.name;
  }
}

TEST(SuiteChoice, ALevelThatASuiteLacksIsRefusedByName) {
  const SuiteChoice smoke = Choose("hyper-parallel", Request("smoke", "ascend910b", "1"));
  EXPECT_EQ(Refused(smoke), "no-level");
  EXPECT_THAT(smoke.refusal->detail, HasSubstr("1 (hyper-parallel/torch-st)"));
  EXPECT_EQ(Refused(Choose("hyper-parallel", Request("ut", "", "1"))), "no-level");
}

TEST(SuiteChoice, ALevelIsAFilterWhereThereIsOne) {
  const auto set = std::make_shared<rules::SuiteSet>();
  set->suites.resize(2);
  set->suites[0].id = "plain";
  set->suites[1].id = "leveled";
  set->suites[1].matrix.axes = {{"level", {"0", "1"}}};
  std::vector<ShelvedSuite> all;
  for (rules::SuiteModel& suite : set->suites) {
    suite.commands.usual = true;
    all.push_back({"p/" + suite.id, set, &suite});
  }
  const SuiteChoice usual = ChooseSuites(all, "p", Request("", "", "1"));
  ASSERT_THAT(Names(usual), ElementsAre("p/leveled"));
  EXPECT_THAT(usual.suites[0].part.select(), ElementsAre("level=1"));
  EXPECT_EQ(Refused(ChooseSuites(all, "p", Request("plain", "", "1"))), "no-level");
  EXPECT_EQ(Refused(ChooseSuites(all, "p", Request("leveled", "", "7"))), "no-level");
}

TEST(SuiteChoice, APacksOwnStandInForThoseOfThePackThatItExtends) {
  const auto set = std::make_shared<rules::SuiteSet>();
  set->suites.resize(2);
  set->suites[0].pack = "base";
  set->suites[1].pack = "project";
  std::vector<ShelvedSuite> all;
  for (rules::SuiteModel& suite : set->suites) {
    suite.id = "units";
    suite.commands.usual = true;
    suite.commands.kind = "ut";
    all.push_back({suite.pack + "/units", set, &suite});
  }
  EXPECT_THAT(Names(ChooseSuites(all, "project", Request(""))), ElementsAre("project/units"));
  EXPECT_THAT(Names(ChooseSuites(all, "project", Request("ut"))), ElementsAre("project/units"));
  EXPECT_THAT(Names(ChooseSuites(all, "project", Request("base/units"))), ElementsAre("base/units"));
  EXPECT_THAT(Names(ChooseSuites(all, "another", Request(""))), UnorderedElementsAre("base/units", "project/units"));
}

TEST(SuiteChoice, AnUnknownSuiteIsAnsweredWithTheWordsThatThereAre) {
  const SuiteChoice choice = Choose("hyper-parallel", Request("nothing"));
  EXPECT_EQ(Refused(choice), "unknown-suite");
  EXPECT_THAT(choice.refusal->detail, HasSubstr("hyper-parallel/torch-st, hp-st-{word}"));
}

}  // namespace
}  // namespace yardmaster::dispatch
