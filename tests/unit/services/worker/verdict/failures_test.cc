// tests/data/failures.jsonl: what steps left behind when they failed, and what must be said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "nlohmann/json.hpp"
#include "rules/suites/suite_names.h"
#include "tests/support/source_path.h"
#include "tests/unit/services/worker/verdict/step_case.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// Another file of the same kind, to measure the judge on failures that it has not seen.
constexpr char kOtherFile[] = "YARD_FAILURES";

std::vector<Json> ReadFailures() {
  const char* const other = std::getenv(kOtherFile);
  std::ifstream file(other != nullptr ? std::filesystem::path(other)
                                      : yardmaster::testing::SourcePath("tests/data/failures.jsonl"));
  std::vector<Json> failures;
  for (std::string line; std::getline(file, line);) failures.push_back(Json::parse(line));
  return failures;
}

void AddReport(const Json& report, StepCase& step) {
  std::vector<ReportTest> tests;
  for (const Json& test : report.at("tests")) {
    const Outcome outcome = test[1] == "passed"    ? Outcome::kPassed
                            : test[1] == "skipped" ? Outcome::kSkipped
                                                   : Outcome::kFailed;
    tests.push_back(Ran(test[0], outcome, test.size() > 2 ? test[2] : Json("")));
  }
  step.Junit(report.value("rank", kNoRank), std::move(tests));
}

void Arrange(const Json& failure, StepCase& step) {
  step.evidence.layer = failure.value("layer", "correctness");
  if (failure.contains("launched")) {
    step.Launched(failure.at("launched").get<std::string>(), failure.at("code"));
    for (RankEvidence& rank : step.evidence.ranks) rank.started = false;
  }
  for (const Json& end : failure.value("ends", Json::array())) {
    const int rank = end.value("rank", kNoRank);
    const int64_t micros = end.at("at").get<int64_t>() * kSecond;
    if (end.contains("signal")) {
      step.Kill(rank, end.at("signal"), micros);
    } else {
      step.Exit(rank, end.at("code"), micros);
    }
  }
  if (failure.contains("stopped")) {
    // What was printed in the second of the stop, stacks above all, was printed before it.
    step.Stop(failure.at("stopped") == "silence" ? Stopped::kSilence : Stopped::kTimeout,
              (failure.at("at").get<int64_t>() + 1) * kSecond - 1);
    for (const Json& rank : failure.at("hangs")) step.Hangs(rank);
  }
  for (const Json& report : failure.value("junit", Json::array())) AddReport(report, step);
  for (const Json& rank : failure.value("no_report", Json::array())) step.NoReport(rank);
  int64_t order = 0;
  for (const Json& line : failure.at("log")) {
    // Lines of the same second keep their order.
    step.log.Add(line[0], line[1].get<int64_t>() * kSecond + order++, line[2].get<std::string>() + "\n");
  }
}

// Of several lines that tell the same cause equally well, any may be quoted.
bool SaysOne(const std::string& message, const Json& words) {
  const Json all = words.is_array() ? words : Json::array({words});
  return std::ranges::any_of(
      all, [&](const Json& some) { return message.find(some.get_ref<const std::string&>()) != std::string::npos; });
}

class FailuresTest : public ::testing::TestWithParam<Json> {};

TEST_P(FailuresTest, HaveTheVerdictAndTheCauseThatIsExpected) {
  const Json& failure = GetParam();
  SCOPED_TRACE(failure.at("name").get<std::string>());
  StepCase step(failure.value("ranks", 0));
  Arrange(failure, step);
  const StepJudgement judgement = step.Judge();
  const Json& expected = failure.at("expect");
  EXPECT_EQ(VerdictName(judgement.result.verdict), expected.at("verdict").get<std::string>())
      << judgement.result.reason;
  if (!expected.contains("class")) {
    EXPECT_FALSE(judgement.result.cause.has_value()) << judgement.result.cause->message;
    return;
  }
  ASSERT_TRUE(judgement.result.cause.has_value()) << judgement.result.reason;
  const Cause& cause = *judgement.result.cause;
  EXPECT_EQ(FailureClassKey(cause.cls), expected.at("class").get<std::string>()) << cause.message;
  if (expected.contains("signature")) {
    EXPECT_EQ(cause.signature, expected.at("signature").get<std::string>()) << cause.message;
  }
  if (expected.contains("rank")) {
    EXPECT_EQ(cause.rank, expected.at("rank").get<int>()) << cause.message;
  }
  if (expected.contains("says"))
    EXPECT_TRUE(SaysOne(cause.message, expected.at("says"))) << cause.message << "\n" << expected.at("says");
  if (expected.contains("never")) EXPECT_THAT(cause.message, Not(HasSubstr(expected.at("never").get<std::string>())));
}

INSTANTIATE_TEST_SUITE_P(Recorded, FailuresTest, ::testing::ValuesIn(ReadFailures()));

}  // namespace
}  // namespace yardmaster::worker
