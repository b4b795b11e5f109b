#include "services/review/run_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/services/review/review_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Words(const std::string& command, size_t run = 0) {
  const std::vector<ShellRun> runs = ShellRuns(command);
  return run < runs.size() ? runs[run].words : std::vector<std::string>();
}

TEST(ShellRuns, AreVerbsWithTheirWords) {
  EXPECT_THAT(Words("python3 test_demo.py --level 1 > log.txt 2>&1"),
              ElementsAre("python3", "test_demo.py", "--level", "1"));
  EXPECT_THAT(Words("TILE_FWK_DEVICE_ID=3 timeout 600 python3 'a b.py' | tee log"), ElementsAre("python3", "a b.py"));
  EXPECT_THAT(Words("a; b && c", 2), ElementsAre("c"));
  EXPECT_THAT(Words("bash -lc \"cd x && python3 t.py\""), ElementsAre("python3", "t.py"));
  EXPECT_THAT(Words("echo $(python3 t.py)", 1), ElementsAre("python3", "t.py"));
  EXPECT_THAT(ShellRuns(""), IsEmpty());
  EXPECT_THAT(ShellRuns("A=b"), IsEmpty());
}

TEST(ShellRuns, FollowTheFolder) {
  EXPECT_EQ(ShellRuns("cd custom && cd demo; python3 t.py")[0].folder, "custom/demo");
  EXPECT_EQ(ShellRuns("cd custom && cd /abs; python3 t.py")[0].folder, "/abs");
  EXPECT_EQ(ShellRuns("python3 t.py; cd later")[0].folder, "");
  EXPECT_EQ(ShellRuns("bash -c 'cd x; a'; b")[1].folder, "");
}

std::vector<std::string> Judged(const std::string& command) {
  const auto pack = testing::ReviewPack();
  return JudgedRuns(*pack, RoleTable(*pack), ShellRuns(command));
}

TEST(JudgedRuns, AreTestsThatAProgramRuns) {
  EXPECT_THAT(Judged("python3 test_demo.py"), ElementsAre("test_demo.py"));
  EXPECT_THAT(Judged("/usr/bin/python3.11 -u custom/demo/test_demo.py"), ElementsAre("custom/demo/test_demo.py"));
  EXPECT_THAT(Judged("cd custom/demo && python -m pytest -x test_demo.py::test_a test_demo.py::test_b"),
              ElementsAre("custom/demo/test_demo.py"));
  EXPECT_THAT(Judged("cd a && python3 /b/test_demo.py"), ElementsAre("/b/test_demo.py"));
  EXPECT_THAT(Judged("python3 test_a.py; pytest test_b.py"), ElementsAre("test_a.py", "test_b.py"));
  for (const char* other :
       {"cat test_demo.py", "python3 demo_impl.py", "pythonx test_demo.py", "grep -n x test_demo.py",
        "python3 -c 'import test_demo'", "echo python3 test_demo.py", "vim test_demo.py"}) {
    EXPECT_THAT(Judged(other), IsEmpty()) << other;
  }
}

TEST(JudgeRun, AFailureWinsThenASuccessThenTheExitCode) {
  const auto pack = testing::ReviewPack();
  EXPECT_EQ(JudgeRun(*pack, {"x [GOOD]\n[BAD] y", 0, false}), RunVerdict::kFailed);
  EXPECT_EQ(JudgeRun(*pack, {"[GOOD]", 1, false}), RunVerdict::kPassed);
  EXPECT_EQ(JudgeRun(*pack, {"Traceback", 1, false}), RunVerdict::kDied);
  EXPECT_EQ(JudgeRun(*pack, {"", {}, true}), RunVerdict::kDied);
  EXPECT_EQ(JudgeRun(*pack, {"GOOD BAD", 0, false}), RunVerdict::kSilent);
  EXPECT_EQ(JudgeRun(*pack, {"", {}, false}), RunVerdict::kSilent);
}

TEST(StateText, TellsWhatIsThere) {
  const auto pack = testing::ReviewPack();
  EXPECT_EQ(StateText(*pack, R"({"stage": 5, "phases": {"active": "M2", "M2": {"status": "in_debug"}}})"),
            "stage 5, phase M2, status in_debug");
  EXPECT_EQ(StateText(*pack, R"({"stage": 5, "phases": {"active": null}})"), "stage 5");
  EXPECT_EQ(StateText(*pack, R"({"stage": "a\nb"})"), "stage a b");
  EXPECT_EQ(StateText(*pack, "no json"), "");
  EXPECT_EQ(StateText(*pack, "[]"), "");
}

TEST(RunText, HasVerdictStateAndWhatComesNext) {
  const auto pack = testing::ReviewPack();
  EXPECT_EQ(RunText(*pack, RunVerdict::kFailed, {"", 3, false}, {"a/test_x.py"}, "stage 5", TextLanguage::kEnglish),
            "[lantern] wrong: a/test_x.py (exit code 3)\nstate: stage 5\nnext: debug\n");
  EXPECT_EQ(RunText(*pack, RunVerdict::kSilent, {"", 0, false}, {"a\nb", "c"}, "", TextLanguage::kChinese),
            "[lantern] silent: a b c\n下一步：输出标记\n");
}

}  // namespace
}  // namespace yardmaster
