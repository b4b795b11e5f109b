#include "rules/engine/suites/new_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "rules/engine/suites/load_suites.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(NewSuite, IsValidForEveryLauncher) {
  for (const std::string& launcher : LauncherNames()) {
    Problems problems;
    const auto suite = LoadSuiteManifest("new.json", NewSuiteText("my-suite", launcher), "", problems);
    ASSERT_NE(suite, nullptr) << launcher << ": " << problems[0].ToString();
    EXPECT_EQ(suite->id, "my-suite");
    EXPECT_THAT(suite->layers, SizeIs(launcher == "none" ? 2 : 3));
    EXPECT_TRUE(suite->layers[0].required);
  }
}

TEST(NewSuite, TheLauncherIsTheOneThatWasAskedFor) {
  Problems problems;
  const auto suite = LoadSuiteManifest("new.json", NewSuiteText("s", "torchrun"), "", problems);
  ASSERT_NE(suite, nullptr);
  const SuiteStep& step = suite->layers.back().steps.at(0);
  EXPECT_EQ(step.launcher.kind, "torchrun");
  EXPECT_THAT(step.axes, ElementsAre("world_size", "dtype"));
  ASSERT_TRUE(step.comparison);
  EXPECT_EQ(step.comparison->tolerances.size(), 2u);
}

TEST(NewSuiteText, IsTheSameManifestInLinesForPeople) {
  const std::string text = NewSuiteText("s", "plain");
  EXPECT_EQ(nlohmann::ordered_json::parse(text), NewSuite("s", "plain"));
  EXPECT_THAT(text, HasSubstr("\n      \"id\": \"s\",\n"));
  std::istringstream lines(text);
  size_t longer = 0;
  for (std::string line; std::getline(lines, line);)
    longer += line.size() > 120 && line.find("title") == std::string::npos &&
                      line.find("description") == std::string::npos && line.find("\"shell\"") == std::string::npos
                  ? 1
                  : 0;
  EXPECT_EQ(longer, 0u) << text;
}

}  // namespace
}  // namespace yardmaster::rules
