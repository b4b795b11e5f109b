#include "clients/cli/test_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TestText : public ::testing::Test {
 protected:
  TestText() {
    env_.out = &out_;
    env_.err = &err_;
    env_.variable = [](const char*) { return std::string(); };
  }
  Output MakeOutput() { return {env_, false}; }

  // A run whose rank 2 is wrong.
  nlohmann::ordered_json Failed() {
    return nlohmann::ordered_json::parse(R"({
      "job": "20260102-030405-abcd", "suite": "yardmaster/collectives", "verdict": "failed", "seconds": 12.5,
      "reason": "sum is off on rank 2",
      "cause": {"class": "code", "signature": "precision", "message": "sum is off on rank 2", "advice": "Look at it.",
                "step": "all_reduce", "rank": 2, "test": "t.py::test_sum", "line": 41, "victims": [0, 3],
                "excerpt": [{"line": 40, "rank": 2, "text": "comparing"}, {"line": 41, "rank": 2, "text": "differs"}]},
      "layers": [{"id": "correctness", "verdict": "failed", "tests": 8, "failed": 1, "skipped": 4, "seconds": 10.0},
                 {"id": "module", "verdict": "not_run", "tests": 0, "failed": 0, "skipped": 0, "seconds": 0,
                  "reason": "'correctness' has failed"}],
      "tests": [{"id": "t.py::test_sum", "rank": 2, "verdict": "failed", "message": "differs\nmore"},
                {"id": "t.py::test_max", "rank": 0, "verdict": "passed", "message": ""}],
      "steps": [{"name": "all_reduce", "verdict": "failed", "cause": {"class": "code", "message": "sum is off"}},
                {"name": "configure", "verdict": "passed", "cause": null}],
      "notes": ["composed: reduce_scatter of all_reduce"]})");
  }

  std::ostringstream out_;
  std::ostringstream err_;
  Environment env_;
};

TEST_F(TestText, ASummaryBeginsWithTheVerdictAndEndsWithTheReport) {
  const std::string text = ResultText(Failed(), "yard-results/x", MakeOutput());
  EXPECT_TRUE(text.starts_with("failed  yardmaster/collectives  12 s  job 20260102-030405-abcd\n")) << text;
  EXPECT_TRUE(text.ends_with("\nReport: yard-results/x/report.html\n")) << text;
  EXPECT_THAT(text, HasSubstr("  correctness  failed       8       1        4  10 s\n"));
  EXPECT_THAT(text, HasSubstr("'correctness' has failed"));
  EXPECT_THAT(text, HasSubstr("composed: reduce_scatter of all_reduce"));
}

TEST_F(TestText, TheFirstCauseComesWithPlaceVictimsExcerptAndAdvice) {
  const std::string text = ResultText(Failed(), "x", MakeOutput());
  EXPECT_THAT(text, HasSubstr("First cause\n"
                              "  sum is off on rank 2\n"
                              "  at fault: what is tested (precision) · step all_reduce · rank 2 · t.py::test_sum\n"
                              "  failed only because of it: rank 0 3\n"
                              "        40  rank 2  comparing\n"
                              "  >     41  rank 2  differs\n"
                              "  What helps: Look at it.\n"));
  EXPECT_THAT(text, HasSubstr("  failed     t.py::test_sum  rank 2\n             differs\n"));
  EXPECT_THAT(text, Not(HasSubstr("test_max")));
}

TEST_F(TestText, ACauseIsToldOnceAndRanksSayWhenTheyLastSpoke) {
  nlohmann::ordered_json result = Failed();
  result["reason"] = "sum is off on rank 2";
  result["steps"][0] = {{"name", "all_reduce"},
                        {"verdict", "failed"},
                        {"reason", "sum is off on rank 2"},
                        {"begin", 2.0},
                        {"log", "steps/all_reduce/log"},
                        {"cause", result["cause"]},
                        {"ranks",
                         {{{"rank", 0}, {"verdict", "failed"}, {"last_output", 5.5}},
                          {{"rank", 1}, {"verdict", "failed"}, {"last_output", nullptr}}}}};
  const std::string text = ExplainText(result, MakeOutput());
  EXPECT_EQ(text.find("sum is off on rank 2"), text.rfind("sum is off on rank 2")) << text;
  EXPECT_THAT(text, HasSubstr("the first cause, above\n"));
  EXPECT_THAT(text, HasSubstr("rank 0     failed     last spoke at 3.5 s\n"));
  EXPECT_THAT(text, HasSubstr("rank 1     failed     never spoke\n"));
  EXPECT_THAT(text, HasSubstr("log: steps/all_reduce/log.txt\n"));
}

TEST_F(TestText, AnExplanationSaysWhereEachRankStoodInAHang) {
  nlohmann::ordered_json result = Failed();
  result["steps"][0]["ranks"] = {{{"rank", 0},
                                  {"verdict", "timed_out"},
                                  {"last_output", nullptr},
                                  {"stood", {{"text", "waits in all_reduce (train.py:12 in step), sleeps"}}}}};
  EXPECT_THAT(ExplainText(result, MakeOutput()),
              HasSubstr("rank 0     timed_out  never spoke; waits in all_reduce (train.py:12 in step), sleeps\n"));
}

TEST_F(TestText, MachineAndVersionsAreSaidOnce) {
  nlohmann::ordered_json result = Failed();
  result["host"] = {{"name", "box"}, {"system", "Linux 6.1.0 x86_64"}, {"processors", 8}, {"memory_mb", 31900}};
  result["versions"] = {{"python", "3.11.2"}, {"torch", "1.13.0"}};
  result["devices"] = {{{"kind", "cpu"}, {"name", "cpu:0"}},
                       {{"kind", "gpu"}, {"name", "gpu:0"}, {"model", "Sample 80GB"}, {"driver", "550.1"}},
                       {{"kind", "gpu"}, {"name", "gpu:1"}, {"model", "Sample 80GB"}, {"driver", "550.1"}}};
  const std::string machine =
      "\nMachine: box, Linux 6.1.0 x86_64, 8 processors, 31 GiB · Sample 80GB (driver 550.1) · python 3.11.2, torch\n"
      "1.13.0\n";
  EXPECT_THAT(ResultText(result, "x", MakeOutput()), HasSubstr(machine + "Report: "));
  EXPECT_TRUE(ExplainText(result, MakeOutput()).ends_with(machine)) << ExplainText(result, MakeOutput());
  result["versions"]["x\x1b[2J"] = "\x1b[2J";
  EXPECT_THAT(ResultText(result, "x", MakeOutput()), Not(HasSubstr("\x1b")));
}

TEST_F(TestText, AnExplanationNamesEverythingThatDidNotPass) {
  const std::string text = ExplainText(Failed(), MakeOutput());
  EXPECT_THAT(text, HasSubstr("yardmaster/collectives is failed\n\nFirst cause\n  sum is off on rank 2\n"));
  EXPECT_THAT(text, HasSubstr("  not_run    module  'correctness' has failed\n"));
  EXPECT_THAT(text, HasSubstr("  failed     all_reduce\n             sum is off\n"));
  EXPECT_THAT(text, Not(HasSubstr("configure")));
}

TEST_F(TestText, ADamagedResultIsShownAsFarAsItGoes) {
  for (const char* damaged : {"{}", R"({"verdict": 3, "layers": 1, "tests": [1, {}], "cause": {"excerpt": [null]}})",
                              R"({"layers": [null, {"tests": "x"}], "notes": [1], "steps": [[]], "cause": []})"}) {
    const nlohmann::ordered_json result = nlohmann::ordered_json::parse(damaged);
    EXPECT_THAT(ResultText(result, "x", MakeOutput()), HasSubstr("Report: x/report.html"));
    EXPECT_THAT(ExplainText(result, MakeOutput()), HasSubstr(" is "));
  }
}

TEST_F(TestText, EscapeSequencesOfTestsDoNotReachTheTerminal) {
  nlohmann::ordered_json result = Failed();
  result["cause"]["excerpt"][1]["text"] = result["tests"][0]["message"] = result["notes"][0] = "\x1b[2J";
  EXPECT_THAT(ResultText(result, "x", MakeOutput()), Not(HasSubstr("\x1b")));
}

TEST_F(TestText, ManyFailedTestsAreCounted) {
  nlohmann::ordered_json result = Failed();
  for (int i = 0; i < 30; ++i) result["tests"].push_back({{"id", "t" + std::to_string(i)}, {"verdict", "failed"}});
  EXPECT_THAT(ResultText(result, "x", MakeOutput()), HasSubstr("  and 21 more\n"));
}

TEST_F(TestText, ALogLineHasItsNumberTimeAndRank) {
  worker::LogLine line;
  line.number = 41;
  line.micros = 1'104'000;
  line.rank = 2;
  line.text = "text";
  EXPECT_EQ(LogLineText(line, false), "     41     1.104 s  rank 2  text\n");
}

}  // namespace
}  // namespace yardmaster::cli
