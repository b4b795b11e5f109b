#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "rules/suites/suite_names.h"
#include "tests/unit/services/worker/verdict/step_case.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr Outcome kPass = Outcome::kPassed;
constexpr Outcome kFail = Outcome::kFailed;
constexpr Outcome kSkip = Outcome::kSkipped;

// What is expected of a step that did not pass.
void ExpectCause(const StepJudgement& judgement, Verdict verdict, FailureClass cls, std::string_view signature,
                 int rank = kNoRank) {
  EXPECT_EQ(VerdictName(judgement.result.verdict), VerdictName(verdict)) << judgement.result.reason;
  ASSERT_TRUE(judgement.result.cause.has_value()) << judgement.result.reason;
  const Cause& cause = *judgement.result.cause;
  EXPECT_EQ(FailureClassKey(cause.cls), FailureClassKey(cls)) << cause.message;
  EXPECT_EQ(cause.signature, signature) << cause.message;
  EXPECT_EQ(cause.rank, rank) << cause.message;
  EXPECT_EQ(judgement.result.reason, cause.message);
  EXPECT_FALSE(cause.message.empty());
  EXPECT_LE(cause.excerpt.size(), 12U);
}

TensorResult Off(const std::string& name) {
  TensorResult tensor;
  tensor.name = name;
  tensor.elements = 1024;
  tensor.off = 12;
  tensor.worst = 17;
  tensor.worst_actual = 3.5;
  tensor.worst_expected = 1;
  tensor.tolerance = {1e-5, 1e-6};
  return tensor;
}

TensorResult Equal(const std::string& name) {
  TensorResult tensor;
  tensor.name = name;
  tensor.elements = 1024;
  return tensor;
}

// --- Passing, and what must not be taken for it ---

TEST(JudgeStep, EveryRankReportedAndPassed) {
  StepCase test(2);
  test.Junit(0, {Ran("a", kPass), Ran("b", kPass)});
  test.Junit(1, {Ran("a", kPass), Ran("b", kPass)});
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kPassed);
  EXPECT_FALSE(judgement.result.cause.has_value());
  EXPECT_THAT(judgement.tests, SizeIs(4));
  EXPECT_THAT(judgement.result.ranks, SizeIs(2));
  EXPECT_EQ(judgement.result.ranks[1].verdict, Verdict::kPassed);
}

TEST(JudgeStep, ABuildStepThatEndsWithNoughtHasPassed) {
  StepCase test;
  test.evidence.layer = kBuildLayer;
  EXPECT_EQ(test.Judge().result.verdict, Verdict::kPassed);
}

TEST(JudgeStep, APassWithWarningsThatLookLikeErrorsIsAPass) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass)});
  test.log.Add(kNoRank, 0, "RuntimeError: No space left on device\nCUDA out of memory\nGPU is lost");
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kPassed);
  EXPECT_FALSE(judgement.device_lost);
}

TEST(JudgeStep, AComparisonThatTheScriptDroppedIsFoundByTheWorkersOwn) {
  StepCase test;
  test.step.comparison.emplace();
  test.Rank().marks = Marks{1, 0};
  test.Rank().tensors = {Equal("a"), Off("out")};
  test.log.Add(kNoRank, 0, "[PRECISION_PASS]");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "precision");
  EXPECT_THAT(judgement.result.reason, HasSubstr("12 of 1024 elements of tensor 'out' are off"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("worst at 17: 3.5 instead of 1 (rtol 1e-05, atol 1e-06)"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("the test itself did not notice"));
  EXPECT_THAT(judgement.tensors, SizeIs(2));
}

TEST(JudgeStep, AComparisonThatTheScriptDroppedIsFoundByWhatItsHelperPrinted) {
  StepCase test;
  test.Rank().marks = Marks{1, 0};
  test.log.Add(kNoRank, 0, "INFO detailed_tensor_compare o: mismatch 12 of 1024\n[PRECISION_PASS]");
  const std::shared_ptr<const Signatures> signatures = CompilePacks({"common", "pypto"});
  const StepJudgement judgement = test.Judge(*signatures);
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "pypto-dropped-comparison");
  EXPECT_EQ(judgement.result.cause->line, 1U);
}

TEST(JudgeStep, AllSkippedWithExitNoughtIsNotRun) {
  StepCase test(2);
  test.Junit(0, {Ran("a", kSkip, "needs 2 GPUs, has 0"), Ran("b", kSkip, "needs 2 GPUs, has 0")});
  test.Junit(1, {Ran("a", kSkip, "needs 2 GPUs, has 0"), Ran("b", kSkip, "needs 2 GPUs, has 0")});
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kNotRun);
  EXPECT_EQ(judgement.result.reason, "all 4 tests were skipped: needs 2 GPUs, has 0");
  ASSERT_THAT(judgement.tests, SizeIs(4));
  EXPECT_TRUE(judgement.tests[0].skipped);
  EXPECT_EQ(judgement.tests[0].verdict, Verdict::kNotRun);
}

TEST(JudgeStep, RanksThatSkipForDifferentReasonsDisagree) {
  StepCase test(2);
  test.Junit(0, {Ran("a", kSkip, "no GPU")});
  test.Junit(1, {Ran("a", kSkip, "wrong backend")});
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "mixed-skip");
}

TEST(JudgeStep, ARankThatSkipsWhatOthersRunFails) {
  StepCase test(3);
  test.Junit(0, {Ran("a", kPass), Ran("b", kPass)});
  test.Junit(1, {Ran("a", kPass), Ran("b", kSkip, "world too small")});
  test.Junit(2, {Ran("a", kPass), Ran("b", kPass)});
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "mixed-skip");
  EXPECT_THAT(judgement.result.reason, HasSubstr("test 'b' was skipped by rank 1 and ran on ranks 0 and 2"));
}

TEST(JudgeStep, ARankThatSkipsEverythingWhileOthersRunFails) {
  StepCase test(2);
  test.Junit(0, {Ran("a", kPass)});
  test.Junit(1, {Ran("a", kSkip, "world too small")});
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "mixed-skip");
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1 skipped everything"));
}

TEST(JudgeStep, ASkipCodeIsNotRunWhereAllRanksEndWithIt) {
  StepCase test(2);
  test.step.skip_codes = {72, 77};
  test.Exit(0, 77, kSecond);
  test.Exit(1, 77, kSecond);
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kNotRun);
  EXPECT_EQ(judgement.result.reason, "skipped: exit code 77 means skipped");

  test.Exit(1, 0, kSecond);
  test.log.Add(1, 0, "done");
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "mixed-skip");
}

TEST(JudgeStep, ASelectionThatMatchesNothingIsAnError) {
  StepCase test;
  test.Junit(kNoRank, {});
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "no-tests");
  // pytest says it by its exit code, too.
  test.Exit(kNoRank, 5, kSecond);
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "no-tests");
}

TEST(JudgeStep, FewerTestsThanTheManifestExpectsIsAnError) {
  StepCase test(2);
  test.step.tests_at_least = 4;
  test.Junit(0, {Ran("a", kPass), Ran("b", kPass)});
  test.Junit(1, {Ran("a", kPass)});
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "too-few-tests");
  EXPECT_THAT(judgement.result.reason, HasSubstr("only 3 tests ran"));
}

TEST(JudgeStep, ARankThatDiedExplainsWhyTestsAreMissing) {
  StepCase test(2);
  test.step.tests_at_least = 10;
  test.Junit(0, {Ran("a", kPass)});
  test.Exit(1, 3, kSecond);
  test.NoReport(1);
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "exit", 1);
}

TEST(JudgeStep, ARankWithoutAReportIsAnError) {
  StepCase test(2);
  test.Junit(0, {Ran("a", kPass)});
  test.NoReport(1);
  test.log.Add(1, 0, "all passed");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "no-report", 1);
  EXPECT_THAT(judgement.result.cause->excerpt, SizeIs(1));
}

TEST(JudgeStep, AReportThatCannotBeReadIsAnError) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass)});
  test.Rank().bad_reports = {"junit.xml: ends in the middle of an element"};
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "bad-report");
}

TEST(JudgeStep, ASummaryThatContradictsTheLinesIsAnError) {
  StepCase test;
  test.Rank().marks = Marks{1, 0};
  test.Junit(kNoRank, {Ran("a", kPass)}).reports[0].problem = "the summary says 3 tests, the lines 1";
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "bad-report");
  EXPECT_THAT(judgement.result.reason, HasSubstr("the summary says 3 tests"));
}

TEST(JudgeStep, TheManifestSaysHowManyRanksThereAreNotWhatWasFound) {
  StepCase test(4);
  for (const int rank : {0, 1, 2, 3}) test.Junit(rank, {Ran("a", kPass)});
  test.evidence.ranks.pop_back();
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "no-evidence", 3);
  EXPECT_THAT(judgement.result.ranks, SizeIs(4));
}

TEST(JudgeStep, ALauncherThatDoesNotWaitForItsRanksHasNoEvidence) {
  StepCase test(8);
  test.Launched("msrun", 0);
  for (RankEvidence& rank : test.evidence.ranks) rank.started = false;
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "no-evidence");
  EXPECT_THAT(judgement.result.reason, HasSubstr("none of the 8 ranks left output, a report or an exit code"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("did not wait for them"));
}

TEST(JudgeStep, ExitNoughtWithAFailMarkerIsAFailure) {
  StepCase test;
  test.Rank().marks = Marks{1, 1};
  test.log.Add(kNoRank, 0, "[CHECK_PASS] a\n[CHECK_FAIL] b");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "fail-marker");
  EXPECT_THAT(judgement.result.reason, HasSubstr("ended with exit code 0"));
}

TEST(JudgeStep, ExitNoughtWithoutThePassMarkerIsNoPass) {
  StepCase test;
  test.Rank().marks = Marks{0, 0};
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "no-marker");
}

TEST(JudgeStep, ExitNoughtWithAFailedTestIsAFailure) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass), Ran("b", kFail, "assert 1 == 2")});
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "test-failed");
}

TEST(JudgeStep, AnExitCodeIsBelievedAlthoughAllTestsPassed) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass), Ran("b", kPass)});
  test.Exit(kNoRank, 3, kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exit");
  EXPECT_EQ(judgement.result.reason, "ended with exit code 3 although all its 2 tests passed");
}

TEST(JudgeStep, RequiredTensorsThatAreMissingAreAnError) {
  StepCase test;
  test.step.comparison.emplace();
  test.step.comparison->required = true;
  test.Junit(kNoRank, {Ran("a", kPass)});
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "no-tensors");
}

TEST(JudgeStep, TensorsThatCannotBeComparedAreNoPass) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass)});
  test.Rank().tensor_problems = {"out: shapes differ: 2x3 and 3x2"};
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "not-comparable");
  EXPECT_THAT(judgement.result.reason, HasSubstr("shapes differ"));
}

// --- Programs that are missing ---

TEST(JudgeStep, AProgramThatCtestCallsSkippedIsMissing) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass), Ran("gone", Outcome::kNotStarted, "Unable to find executable")});
  test.Exit(kNoRank, 8, kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "missing-program");
  EXPECT_EQ(judgement.result.cause->test, "gone");
  EXPECT_EQ(judgement.tests[1].verdict, Verdict::kFailed);
}

TEST(JudgeStep, AMissingInterpreterIsTheEnvironments) {
  StepCase test;
  test.step.command.words = {"/opt/python9", "-m", "pytest"};
  test.Rank().started = false;
  test.Rank().exit.reset();
  test.evidence.start_error = absl::NotFoundError("no program '/opt/python9'");
  test.evidence.log = nullptr;
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "missing-program");
  EXPECT_THAT(judgement.result.reason, HasSubstr("/opt/python9"));
}

TEST(JudgeStep, AProgramThatTheBuildShouldHaveMadeIsTheCodes) {
  StepCase test(2);
  test.step.command.words = {"${BUILD}/kernels_test"};
  for (RankEvidence& rank : test.evidence.ranks) {
    rank.started = false;
    rank.exit.reset();
  }
  test.evidence.start_error = absl::NotFoundError("no program 'build/kernels_test'");
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "missing-program");
}

TEST(JudgeStep, AShellThatDoesNotFindAProgramIsTheEnvironments) {
  StepCase test;
  test.step.command.shell = "frobnicate --all";
  test.Exit(kNoRank, 127, kSecond);
  test.log.Add(kNoRank, 0, "bash: line 1: frobnicate: command not found", Stream::kStderr);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "missing-program");
  EXPECT_EQ(judgement.result.cause->line, 1U);
}

TEST(JudgeStep, AHostWithoutProcessesLeftIsInfrastructure) {
  StepCase test;
  test.Rank().started = false;
  test.Rank().exit.reset();
  test.evidence.start_error = absl::ResourceExhaustedError("fork: Resource temporarily unavailable");
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kInfrastructure, "no-resources");
}

// --- The build ---

TEST(JudgeStep, ACompileErrorIsTheCodesAndTheFirstIsShown) {
  for (const std::string_view line :
       {"src/a.cc:12:5: error: 'x' was not declared in this scope", "/b/c d.cc:3: fatal error: nope.h: No such file",
        "kernel.cu(17): error: identifier \"y\" is undefined",
        "kernel.cu(17): error #20: identifier \"y\" is undefined", "ptxas fatal   : Unresolved extern function 'f'",
        "main.cc:(.text+0x5): undefined reference to `f()'",
        "/usr/bin/ld: cannot find -lfoo: No such file or directory",
        "CMake Error at CMakeLists.txt:3 (add_library):", "cc1plus: error: unrecognized command-line option '-Wfoo'"}) {
    StepCase test;
    test.evidence.layer = kBuildLayer;
    test.Exit(kNoRank, 1, 9 * kSecond);
    for (int i = 0; i < 30; ++i) test.log.Add(kNoRank, 100 * i, "[1/40] Building CXX object a.cc.o");
    test.log.Add(kNoRank, 5000, "FAILED: a.cc.o");
    test.log.Add(kNoRank, 6000, line);
    test.log.Add(kNoRank, 7000, "b.cc:1:1: error: another one");
    for (int i = 0; i < 30; ++i) test.log.Add(kNoRank, 8000 + i, "ninja: build stopped: subcommand failed.");
    const StepJudgement judgement = test.Judge();
    ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "compile");
    ASSERT_TRUE(judgement.result.cause.has_value());
    EXPECT_EQ(judgement.result.cause->line, 32U) << line;
    ASSERT_THAT(judgement.result.cause->excerpt, SizeIs(12));
    EXPECT_EQ(judgement.result.cause->excerpt[2].text, line);
  }
}

TEST(JudgeStep, AHeaderThatTheMachineLacksIsTheEnvironments) {
  StepCase test;
  test.evidence.layer = kBuildLayer;
  test.Exit(kNoRank, 1, 9 * kSecond);
  test.log.Add(kNoRank, 0, "ext.cc:1:10: fatal error: Python.h: No such file or directory");
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "python-headers-missing");
}

TEST(JudgeStep, ANetworkThatFailsWhileFetchingIsInfrastructure) {
  StepCase test;
  test.evidence.layer = kFetchLayer;
  test.Exit(kNoRank, 128, 9 * kSecond);
  test.log.Add(kNoRank, 0, "fatal: unable to access 'https://x/': Could not resolve host: x", Stream::kStderr);
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kInfrastructure, "network-fetch");
}

// --- Memory, disk, devices ---

TEST(JudgeStep, AKillAtTheStepsOwnMemoryLimitIsTheCodes) {
  StepCase test(2);
  test.Kill(1, SIGKILL, 3 * kSecond);
  test.Exit(0, 1, 4 * kSecond);
  test.log.Add(0, 3 * kSecond + 1000, "RuntimeError: [pair.cc:598] Connection closed by peer [127.0.0.1]:1");
  test.evidence.oom_kills = 1;
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "oom", 1);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0));
}

TEST(JudgeStep, AKillWhileTheHostRanOutOfMemoryIsInfrastructure) {
  StepCase test(2);
  test.Kill(1, SIGKILL, 3 * kSecond);
  test.evidence.host_oom_kills = 1;
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kInfrastructure, "host-oom", 1);
}

TEST(JudgeStep, AKillThatTheKernelDidNotDoIsSaidToBeSomebodys) {
  StepCase test;
  test.Kill(kNoRank, SIGKILL, 3 * kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "signal");
  EXPECT_THAT(judgement.result.reason, HasSubstr("killed by SIGKILL"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("another process did"));
}

TEST(JudgeStep, AKillRightAfterAnExceptionFollowsFromIt) {
  StepCase test;
  test.Kill(kNoRank, SIGKILL, 3 * kSecond);
  test.log.Add(kNoRank, 0,
               "Traceback (most recent call last):\n  File \"a.py\", line 3\nRuntimeError: no such layer\n");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exception");
  EXPECT_THAT(judgement.result.reason, HasSubstr("no such layer"));
}

TEST(JudgeStep, AnExceptionLongBeforeAKillSaysNothingOfIt) {
  StepCase test;
  test.Kill(kNoRank, SIGKILL, 3 * kSecond);
  test.log.Add(kNoRank, 0, "Traceback (most recent call last):\n  File \"a.py\", line 3\nImportError: no fast path\n");
  for (int step = 0; step < 200; ++step) test.log.Add(kNoRank, kSecond, "step " + std::to_string(step));
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "signal");
}

TEST(JudgeStep, AnExitWithoutAKnownReasonTellsTheErrorThatTheProgramPrinted) {
  StepCase test;
  test.Exit(kNoRank, 2, 3 * kSecond);
  test.log.Add(kNoRank, 0, "comparing\n[ERROR] max diff=48790.0 at idx=7944\n[ERROR] compare failed\nbye\n");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exit");
  EXPECT_THAT(judgement.result.reason, HasSubstr("ended with exit code 2: [ERROR] max diff=48790.0"));
  EXPECT_EQ(judgement.result.cause->line, 2U);

  StepCase silent;
  silent.Exit(kNoRank, 3, 3 * kSecond);
  silent.log.Add(kNoRank, 0, "0 errors so far\nlayer 7 is odd\n---\n");
  EXPECT_THAT(silent.Judge().result.reason, HasSubstr("ended with exit code 3; its last words: layer 7 is odd"));
}

constexpr const char* kCaught =
    "Traceback (most recent call last):\n  File \"a.py\", line 3\nImportError: no fast path\n";

std::string Steps(int count) {
  std::string text;
  for (int step = 0; step < count; ++step) text += "step " + std::to_string(step) + ": loss 0.25\n";
  return text;
}

// The reason of a step without ranks that printed `text` and ended with 1.
std::string ReasonOfExit(const std::string& text, std::string_view signature) {
  StepCase test;
  test.Exit(kNoRank, 1, 30 * kSecond);
  test.log.Add(kNoRank, 0, text);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, signature);
  return judgement.result.reason;
}

TEST(JudgeStep, AnExceptionThatTheProgramGotOverIsNotBlamedForItsExit) {
  EXPECT_THAT(ReasonOfExit(kCaught + Steps(150) + "[ERROR] compare failed\n", "exit"),
              AllOf(HasSubstr("exit code 1: [ERROR] compare failed"),
                    HasSubstr("before, it had printed an exception that did not end it: ImportError: no fast path")));
  EXPECT_THAT(ReasonOfExit(kCaught + Steps(150), "exit"),
              AllOf(HasSubstr("its last words: step 149"), HasSubstr("ImportError")));
  // The one that ended it, and not the first.
  EXPECT_THAT(
      ReasonOfExit(kCaught + Steps(150) + "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'w'\n",
                   "exception"),
      HasSubstr("KeyError: 'w'"));
}

TEST(JudgeStep, AnExceptionIsBlamedWhereItsFailureWentOn) {
  const std::string traceback = kCaught;
  // It ended soon.
  EXPECT_THAT(ReasonOfExit(traceback + Steps(30), "exception"), HasSubstr("no fast path"));
  // Others told of it before they went on.
  EXPECT_THAT(ReasonOfExit(traceback + Steps(20) + "ERROR: worker 3 died\n" + Steps(200), "exception"),
              HasSubstr("no fast path"));
  // It was that of a process, whose end was noticed late.
  EXPECT_THAT(
      ReasonOfExit(traceback + Steps(150) + "RuntimeError: Engine core initialization failed. See root cause above.\n",
                   "exception"),
      HasSubstr("no fast path"));
  // A list of failed tests.
  EXPECT_THAT(ReasonOfExit("E   ValueError: 3\n" + Steps(150) + "E   KeyError: 'w'\n", "exception"),
              HasSubstr("ValueError: 3"));
}

TEST(JudgeStep, TheRankThatALineNamesIsToldWhereTheWorkerKnowsOfNone) {
  for (const std::string prefix :
       {"(VllmWorker rank=2 pid=7) ERROR 02-17 14:48:01 [executor.py:374] ", "[rank2]: ", "[1,2]<stderr>: "}) {
    StepCase test;
    test.Exit(kNoRank, 1, kSecond);
    test.log.Add(kNoRank, 0, prefix + "ValueError: 3\n");
    const StepJudgement judgement = test.Judge();
    ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exception", 2);
    EXPECT_THAT(judgement.result.reason, StartsWith("rank 2: an exception"));
  }
  // A rank that the suite does not have.
  StepCase ranked(2);
  ranked.Launched("torchrun", 1);
  ranked.log.Add(kNoRank, 0, "[rank7]: ValueError: 3\n");
  EXPECT_EQ(ranked.Judge().result.cause->rank, kNoRank);
  // Who only says that others are gone is not to blame.
  StepCase victim;
  victim.Exit(kNoRank, 1, kSecond);
  victim.log.Add(kNoRank, 0, "[rank2]: RuntimeError: Connection closed by peer\n");
  EXPECT_EQ(victim.Judge().result.cause->rank, kNoRank);
}

TEST(JudgeStep, TheExitCodeOfTimeoutIsALimitOfTime) {
  StepCase test;
  test.Exit(kNoRank, 124, 30 * kSecond);
  test.log.Add(kNoRank, 0, "tests/a_test.py::test_ring PASSED\ntests/a_test.py::test_mesh");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "timeout");
  EXPECT_EQ(judgement.result.cause->test, "tests/a_test.py::test_mesh");

  StepCase failed;
  failed.Exit(kNoRank, 124, 30 * kSecond);
  failed.log.Add(kNoRank, 0, "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: 3\n");
  ExpectCause(failed.Judge(), Verdict::kFailed, FailureClass::kCode, "exception");
}

TEST(JudgeStep, ATestThatFaulthandlerShowsHasPassedALimit) {
  StepCase test;
  test.Exit(kNoRank, 1, 3 * kSecond);
  test.log.Add(kNoRank, 0, "tests/a_test.py::test_drain \nTimeout (0:10:00)!\nThread 0x01 (most recent call first):\n");
  ExpectCause(test.Judge(), Verdict::kTimedOut, FailureClass::kCode, "stack-dump");

  // It went on, and failed of something else.
  test.Junit(kNoRank, {Ran("tests/a_test.py::test_drain", kPass), Ran("b", kFail, "assert 1 == 2")});
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "test-failed");
}

TEST(JudgeStep, ATestThatSaysOnlyThatItsProcessFailedIsExplainedByWhatThatPrinted) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass), Ran("b", kFail, "RuntimeError: Server exited unexpectedly.")});
  test.Exit(kNoRank, 1, kSecond);
  test.log.Add(kNoRank, 0, "a.py::a PASSED\n(APIServer pid=7) ValueError: 3 layers for 2 stages\na.py::b FAILED\n");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exception");
  EXPECT_EQ(judgement.result.cause->test, "b");
  EXPECT_THAT(judgement.result.reason, HasSubstr("test 'b': an exception ended the program"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("3 layers for 2 stages"));

  // Without such words it stays what the test says.
  StepCase silent;
  silent.Junit(kNoRank, {Ran("b", kFail, "RuntimeError: Server exited unexpectedly.")});
  silent.Exit(kNoRank, 1, kSecond);
  ExpectCause(silent.Judge(), Verdict::kFailed, FailureClass::kCode, "test-failed");
}

TEST(JudgeStep, WhatATestPrintedThatPassedIsNoCauseOfAnExit) {
  StepCase test;
  test.Exit(kNoRank, 1, kSecond);
  test.log.Add(kNoRank, 0,
               "a.py::test_bad_input \nTraceback (most recent call last):\n  File \"a.py\"\nValueError: 3\n"
               "PASSED\na.py::test_b \nTraceback (most recent call last):\n  File \"a.py\"\nKeyError: 'w'\nFAILED\n");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exception");
  EXPECT_THAT(judgement.result.reason, HasSubstr("KeyError: 'w'"));
}

TEST(JudgeStep, AnAttemptThatWasMadeAgainIsNotBlamedForWhatCameLater) {
  const std::string retry =
      "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'NewConnectionError: Failed to "
      "establish a new connection': /simple/torch/\n";
  StepCase compiled;
  compiled.evidence.layer = kBuildLayer;
  compiled.Exit(kNoRank, 1, kSecond);
  compiled.log.Add(kNoRank, 0, retry + "Successfully installed torch\na.cc:3:4: error: 'x' was not declared\n");
  ExpectCause(compiled.Judge(), Verdict::kFailed, FailureClass::kCode, "compile");

  StepCase gave_up;
  gave_up.evidence.layer = kBuildLayer;
  gave_up.Exit(kNoRank, 1, kSecond);
  gave_up.log.Add(kNoRank, 0, retry + "ERROR: Could not find a version that satisfies the requirement torch\n");
  ExpectCause(gave_up.Judge(), Verdict::kError, FailureClass::kInfrastructure, "network-install");
}

TEST(JudgeStep, AHeadlineThatEndsWithAColonIsToldWithTheLineBelow) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kFail, "AssertionError: Test3:\n\nMatched tokens: [2, 84]\n")});
  test.Exit(kNoRank, 1, kSecond);
  EXPECT_THAT(test.Judge().result.reason, HasSubstr("AssertionError: Test3: Matched tokens: [2, 84]"));

  StepCase logged;
  logged.Exit(kNoRank, 1, kSecond);
  logged.log.Add(kNoRank, 0, "x.MLIRCompilationError:\n///---\n[Convert] encounters an odd layout\n");
  EXPECT_THAT(logged.Judge().result.reason, HasSubstr("MLIRCompilationError: [Convert] encounters an odd layout"));
}

TEST(JudgeStep, AShellThatSaysThatItsChildWasKilledIsReadLikeASignal) {
  StepCase test;
  test.Exit(kNoRank, 137, 3 * kSecond);
  test.evidence.oom_kills = 1;
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "oom");
}

TEST(JudgeStep, AChildKilledForMemoryIsFoundAlthoughTheRankOnlyExits) {
  StepCase test(2);
  test.Exit(0, 1, 3 * kSecond);
  test.evidence.oom_kills = 1;
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "oom");
}

TEST(JudgeStep, APassWithAKillForMemoryIsNoted) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass)});
  test.evidence.oom_kills = 2;
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kPassed);
  EXPECT_THAT(judgement.notes, ElementsAre(HasSubstr("killed 2 times for want of memory")));
}

TEST(JudgeStep, AFullDiskIsInfrastructureHoweverItWasNoticed) {
  StepCase said;
  said.Exit(kNoRank, 1, kSecond);
  said.log.Add(kNoRank, 0, "OSError: [Errno 28] No space left on device: 'x'");
  ExpectCause(said.Judge(), Verdict::kError, FailureClass::kInfrastructure, "disk-full");

  StepCase in_a_test;
  in_a_test.Junit(kNoRank, {Ran("a", kFail, "OSError: [Errno 28] No space left on device: 'x'")});
  in_a_test.Exit(kNoRank, 1, kSecond);
  ExpectCause(in_a_test.Judge(), Verdict::kError, FailureClass::kInfrastructure, "disk-full");

  StepCase lost;
  lost.Junit(kNoRank, {Ran("a", kPass)});
  lost.evidence.log_lost = true;
  ExpectCause(lost.Judge(), Verdict::kError, FailureClass::kInfrastructure, "disk-full");

  StepCase stopped;
  stopped.Stop(Stopped::kDiskFull, kSecond);
  stopped.Hangs(kNoRank);
  ExpectCause(stopped.Judge(), Verdict::kError, FailureClass::kInfrastructure, "disk-full");
}

TEST(JudgeStep, WhatAPassedTestPrintedIsNotWhatAFailedOneSays) {
  StepCase test;
  test.Junit(kNoRank, {Ran("writes_to_a_full_disk", kPass), Ran("adds", kFail, "assert 1 == 2")});
  test.Exit(kNoRank, 1, kSecond);
  test.log.Add(kNoRank, 0, "No space left on device\nAddress already in use\nE   assert 1 == 2");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "test-failed");
  EXPECT_EQ(judgement.result.cause->line, 3U);
}

TEST(JudgeStep, ADeviceThatIsLostEndsTheSuite) {
  StepCase said(2);
  said.Stop(Stopped::kDeviceLost, 5 * kSecond);
  said.Hangs(0);
  said.Hangs(1);
  said.log.Add(1, 4 * kSecond, "CUDA error: GPU is lost.  Reboot the system to recover this GPU");
  const StepJudgement judgement = said.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kInfrastructure, "gpu-off-the-bus", 1);
  EXPECT_TRUE(judgement.device_lost);

  StepCase probed;
  probed.Junit(kNoRank, {Ran("a", kFail, "assert 1 == 2")});
  probed.Exit(kNoRank, 1, kSecond);
  probed.evidence.device_bad_after = true;
  probed.evidence.device_reason = "gpu0: not found any more";
  const StepJudgement after = probed.Judge();
  ExpectCause(after, Verdict::kError, FailureClass::kInfrastructure, "device-lost");
  EXPECT_TRUE(after.device_lost);
  EXPECT_THAT(after.result.reason, HasSubstr("gpu0: not found any more"));
}

TEST(JudgeStep, ADriverOlderThanTheToolkitIsTheEnvironments) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kFail,
                           "C++ exception with description \"CUDA driver version is insufficient for CUDA runtime "
                           "version\" thrown in the test body.")});
  test.Exit(kNoRank, 1, kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "driver-too-old");
  EXPECT_THAT(judgement.result.cause->advice, HasSubstr("newer driver"));
}

// --- Ranks ---

TEST(JudgeStep, ATakenPortIsTheEnvironmentsAndTheOthersAreItsVictims) {
  StepCase test(3);
  test.Exit(0, 1, 2 * kSecond);
  test.Exit(1, 1, 30 * kSecond);
  test.Exit(2, 1, 30 * kSecond);
  test.log.Add(0, kSecond,
               "RuntimeError: The server socket has failed to listen on any local network address. The server socket "
               "has failed to bind to 0.0.0.0:29712 (errno: 98 - Address already in use).");
  for (const int rank : {1, 2}) {
    test.log.Add(rank, 29 * kSecond,
                 "TimeoutError: The client socket has timed out after 30s while trying to connect to (127.0.0.1, 1).");
  }
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, kPortTaken, 0);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(1, 2));
}

TEST(JudgeStep, WrongNumbersOnOneRankNameTheRankAndTheTensor) {
  StepCase test(4);
  for (const int rank : {0, 1, 2, 3}) {
    test.Junit(rank, {Ran("test_all_reduce", rank == 2 ? kFail : kPass,
                          rank == 2 ? "AssertionError: Tensor-likes are not close!" : "")});
    test.Rank(rank).tensors = {rank == 2 ? Off("all_reduce") : Equal("all_reduce")};
  }
  test.Exit(2, 1, 8 * kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "precision", 2);
  EXPECT_THAT(judgement.result.cause->victims, IsEmpty());
  EXPECT_EQ(judgement.result.ranks[2].verdict, Verdict::kFailed);
  EXPECT_EQ(judgement.result.ranks[1].verdict, Verdict::kPassed);
}

TEST(JudgeStep, AnAssertionWithoutWordsOnWrongNumbersIsPrecision) {
  StepCase test(2);
  test.Junit(0, {Ran("t", kPass)});
  test.Junit(1, {Ran("t", kFail, "assert False")});
  test.Rank(1).tensors = {Off("t")};
  test.Exit(1, 1, 8 * kSecond);
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "precision", 1);
}

TEST(JudgeStep, TheTestThatNoticedWrongNumbersIsNamedWithTheTensor) {
  StepCase test(2);
  test.Junit(0, {Ran("t", kPass)});
  test.Junit(1, {Ran("t", kFail, "sum: 1 of 3 elements are off on rank 1; at 0 it is 9.0, not 8.0")});
  test.Rank(1).tensors = {Off("sum")};
  test.Exit(1, 1, 8 * kSecond);
  test.log.Add(1, 0, "E   AssertionError: sum: 1 of 3 elements are off on rank 1; at 0 it is 9.0, not 8.0");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "precision", 1);
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1: test 't': 12 of 1024 elements of tensor 'sum' are off"));
  EXPECT_EQ(judgement.result.cause->test, "t");
  EXPECT_EQ(judgement.result.cause->line, 1U);
}

TEST(JudgeStep, AVictimThatCameToNoComparisonStaysAVictim) {
  StepCase test(2);
  test.step.comparison.emplace();
  test.step.comparison->required = true;
  test.Kill(1, SIGSEGV, kSecond);
  test.Junit(0, {Ran("t", kFail, "RuntimeError: Connection reset by peer")});
  test.Exit(0, 1, 2 * kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "signal", 1);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0));
  EXPECT_EQ(judgement.result.ranks[0].verdict, Verdict::kFailed);
}

TEST(JudgeStep, AnExceptionBesideWrongNumbersIsTheCause) {
  StepCase test(2);
  test.Junit(0, {Ran("t", kPass)});
  test.Junit(1, {Ran("t", kFail, "ValueError: negative axis")});
  test.Rank(1).tensors = {Off("t")};
  test.Exit(1, 1, 8 * kSecond);
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "test-failed", 1);
}

TEST(JudgeStep, AFatalSignalIsTheCauseAndTheTestItStoodInIsNamed) {
  StepCase test(2);
  test.Play("torchrun_segv.txt");
  test.Kill(1, SIGSEGV, 20'000);
  test.NoReport(1);
  test.Exit(0, 1, 3 * kSecond);
  test.Junit(0, {Ran("test_x.py::test_first", kPass),
                 Ran("test_x.py::test_second", kFail,
                     "RuntimeError: [./gloo/transport/tcp/pair.cc:589] Read error [127.0.0.1]:15237: Connection reset "
                     "by peer")});
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "signal", 1);
  EXPECT_EQ(
      judgement.result.reason,
      "rank 1: killed by SIGSEGV (segmentation fault) in test_x.py::test_second: Fatal Python error: Segmentation "
      "fault");
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0));
  EXPECT_TRUE(judgement.result.ranks[0].victim);
  EXPECT_FALSE(judgement.result.ranks[1].victim);
  bool shown = false;
  for (const LogLine& line : judgement.result.cause->excerpt) {
    EXPECT_EQ(line.rank, 1);
    shown = shown || line.text == "Fatal Python error: Segmentation fault";
  }
  EXPECT_TRUE(shown);
  // No report after the crash: the test in which it died is there all the same.
  bool named = false;
  for (const TestResult& result : judgement.tests) {
    named = named || (result.rank == 1 && result.id == "test_x.py::test_second" && result.verdict == Verdict::kFailed);
  }
  EXPECT_TRUE(named);
}

TEST(JudgeStep, TorchrunNamesTheVictimAndIsNotBelieved) {
  StepCase test(2);
  test.Launched("torchrun", 1);
  test.Play("torchrun_exit.txt");
  test.NoReport(1);
  test.Junit(0, {Ran("test_x.py::test_first", kPass),
                 Ran("test_x.py::test_second", kFail,
                     "RuntimeError: [./gloo/transport/tcp/pair.cc:589] Read error [127.0.0.1]:16788: Connection reset "
                     "by peer")});
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exit", 1);
  EXPECT_EQ(judgement.result.reason, "rank 1: ended with exit code 3, and left no report, in test_x.py::test_second");
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0));
  EXPECT_THAT(judgement.notes, ElementsAre(HasSubstr("the launcher names rank 0, which is not where it began")));
}

TEST(JudgeStep, TorchrunsSummaryGivesTheSignalOfARank) {
  StepCase test(2);
  test.Launched("torchrun", 1);
  test.Play("torchrun_segv.txt");
  test.NoReport(0);
  test.NoReport(1);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "signal", 1);
  EXPECT_EQ(judgement.result.ranks[1].signal, SIGSEGV);
}

TEST(JudgeStep, TheAssertionIsTheCauseAndNotTheConnectionThatItClosed) {
  StepCase test(2);
  test.Launched("torchrun", 1);
  test.Play("torchrun_assert.txt");
  test.Junit(1, {Ran("test_x.py::test_first", kPass),
                 Ran("test_x.py::test_second", kFail, "AssertionError: rank one is wrong\nassert 1 == 2"),
                 Ran("test_x.py::test_third", kPass)});
  test.Junit(0, {Ran("test_x.py::test_first", kPass), Ran("test_x.py::test_second", kPass),
                 Ran("test_x.py::test_third", kFail,
                     "RuntimeError: [./gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:17573")});
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "test-failed", 1);
  EXPECT_EQ(judgement.result.cause->test, "test_x.py::test_second");
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0));
  bool shown = false;
  for (const LogLine& line : judgement.result.cause->excerpt) {
    shown = shown || line.text == "E       AssertionError: rank one is wrong";
  }
  EXPECT_TRUE(shown);
}

TEST(JudgeStep, NumbersThatAreWrongOnAllRanksAreBlamedOnTheFirst) {
  StepCase test(2);
  test.Launched("torchrun", 1);
  test.Play("torchrun_numerics.txt");
  for (const int rank : {0, 1}) {
    test.Junit(rank, {Ran("test_x.py::test_first", kPass),
                      Ran("test_x.py::test_second", kFail,
                          "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 4 / 4 (100.0%)")});
  }
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "precision", 0);
}

TEST(JudgeStep, MpirunsRanksAreReadFromItsLastWords) {
  struct {
    const char* log;
    int code;
    const char* signature;
    const char* says;
  } const cases[] = {
      {"mpirun_segv.txt", 139, "signal", "killed by SIGSEGV"},
      {"mpirun_exit.txt", 3, "exit", "ended with exit code 3"},
      {"mpirun_assert.txt", 134, "signal", "Assertion `r==0' failed."},
      {"mpirun_kill.txt", 137, "signal", "killed by SIGKILL"},
  };
  for (const auto& expected : cases) {
    StepCase test(2);
    test.Launched("mpirun", expected.code);
    test.Play(expected.log);
    const StepJudgement judgement = test.Judge();
    ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, expected.signature, 1);
    EXPECT_THAT(judgement.result.reason, HasSubstr(expected.says)) << expected.log;
  }
  StepCase test(2);
  test.Launched("mpirun", 7);
  test.Play("mpirun_abort.txt");
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "mpi-abort");
}

TEST(JudgeStep, AnAbortBecauseOfALostConnectionIsAVictimsAbort) {
  StepCase test(3);
  test.Kill(0, SIGABRT, 5 * kSecond);
  test.log.Add(0, 4 * kSecond,
               "[rank0]:[E1234] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, "
               "Timeout(ms)=600000)\nterminate called after throwing an instance of 'std::runtime_error'");
  test.Exit(1, 1, kSecond);
  test.log.Add(1, kSecond - 1000, "IndexError: list index out of range");
  test.Kill(2, SIGTERM, 6 * kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exception", 1);
  EXPECT_THAT(judgement.result.reason, HasSubstr("IndexError: list index out of range"));
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0, 2));
}

TEST(JudgeStep, AnUnknownExceptionAfterAnotherRankDiedFollowsFromIt) {
  StepCase test(2);
  test.Exit(1, 3, 2 * kSecond);
  test.Exit(0, 1, 4 * kSecond);
  test.log.Add(0, 3 * kSecond, "RuntimeError: something about the group");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exit", 1);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0));
}

TEST(JudgeStep, ARankKilledFromOutsideBeforeAnythingElseIsTheCause) {
  StepCase test(2);
  test.Kill(1, SIGKILL, 2 * kSecond);
  test.Exit(0, 1, 4 * kSecond);
  test.log.Add(0, 3 * kSecond, "RuntimeError: Connection reset by peer");
  ExpectCause(test.Judge(), Verdict::kFailed, FailureClass::kCode, "signal", 1);

  StepCase later(2);
  later.Exit(0, 1, 2 * kSecond);
  later.log.Add(0, kSecond, "ValueError: bad shape");
  later.Kill(1, SIGKILL, 5 * kSecond);
  const StepJudgement judgement = later.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exception", 0);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(1));
}

TEST(JudgeStep, RanksThatWereEndedBecauseAnotherHadFailedAreItsVictims) {
  StepCase test(3);
  test.Exit(1, 3, 2 * kSecond);
  for (const int rank : {0, 2}) {
    test.Rank(rank).exit.reset();
    test.Rank(rank).end_micros = 12 * kSecond;
    test.NoReport(rank);
    test.log.Add(rank, kSecond, "entering all_reduce");
  }
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "exit", 1);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0, 2));
  EXPECT_EQ(judgement.result.ranks[0].verdict, Verdict::kFailed);
}

TEST(JudgeStep, WhereAllAreVictimsNobodyIsBlamed) {
  StepCase test(3);
  for (const int rank : {0, 1}) {
    test.Exit(rank, 1, 5 * kSecond);
    test.log.Add(rank, 4 * kSecond, "RuntimeError: Connection closed by peer");
  }
  test.log.Add(2, kSecond, "done");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "hang", 0);
  EXPECT_THAT(judgement.result.reason, HasSubstr("no rank says why"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 2 had ended before with exit code 0"));
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0, 1));
}

TEST(JudgeStep, TheRankThatSaysNothingWhileOthersGiveUpIsTheHang) {
  StepCase test(3);
  for (const int rank : {0, 2}) {
    test.Junit(rank, {Ran("t.py::test_a", kFail, "RuntimeError: Application timeout caused pair closure")});
    test.Exit(rank, 1, 35 * kSecond);
    test.log.Add(rank, 34 * kSecond, "E   RuntimeError: Application timeout caused pair closure");
  }
  test.Rank(1).exit.reset();
  test.Rank(1).end_micros = 45 * kSecond;
  test.NoReport(1);
  test.log.Add(1, kSecond, "collected 1 item\nt.py::test_a ");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "hang", 1);
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1: hung in t.py::test_a: still there"));
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0, 2));
  EXPECT_EQ(judgement.result.cause->line, 4U);
}

TEST(JudgeStep, VictimsBesideADeviceFaultAreInfrastructure) {
  StepCase test(2);
  for (const int rank : {0, 1}) {
    test.Exit(rank, 1, 5 * kSecond);
    test.log.Add(rank, 4 * kSecond, "RuntimeError: Connection closed by peer");
  }
  test.log.Add(kNoRank, 3 * kSecond, "NVRM: Xid (PCI:0000:01:00): 79, pid=4242, GPU has fallen off the bus.");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kInfrastructure, "gpu-off-the-bus");
  EXPECT_TRUE(judgement.device_lost);
}

TEST(JudgeStep, ALauncherThatFailsBeforeAnyRankStartsIsTheEnvironments) {
  StepCase test(2);
  test.Launched("torchrun", 1);
  for (RankEvidence& rank : test.evidence.ranks) rank.started = false;
  test.log.Add(kNoRank, 0,
               "Traceback (most recent call last):\nAttributeError: 'NoneType' object has no attribute 'get'");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "launcher");
  EXPECT_THAT(judgement.result.reason, HasSubstr("AttributeError"));
}

TEST(JudgeStep, ALauncherThatFailsAndNoRankSaysWhyIsToldWithWhatWasSaid) {
  const auto judge = [](const std::string& of_rank, const std::string& own) {
    StepCase test(2);
    test.Launched("torchrun", 1);
    test.log.Add(0, 0, "begins\n");
    test.log.Add(1, 0, of_rank + "\n");
    test.log.Add(kNoRank, kSecond, own + "\n");
    const StepJudgement judgement = test.Judge();
    ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "launcher");
    EXPECT_NE(judgement.result.cause->line, 0U);
    return judgement.result.reason;
  };
  EXPECT_THAT(judge("[ERROR] compare failed", "[ERROR] a worker is gone"),
              HasSubstr("and no rank says why; rank 1 said: [ERROR] compare failed"));
  EXPECT_THAT(judge("ends", "[ERROR] a worker is gone"), HasSubstr("and no rank says why: [ERROR] a worker is gone"));
  EXPECT_THAT(judge("ends", "stopping 2 workers"),
              HasSubstr("and no rank says why; its last words: stopping 2 workers"));
}

TEST(JudgeStep, AMisspeltOptionSaysNothingAboutTheCode) {
  StepCase test;
  test.Exit(kNoRank, 2, kSecond);
  test.NoReport(kNoRank);
  test.log.Add(kNoRank, 0, "usage: run.py [-h]\nrun.py: error: unrecognized arguments: --no-serial-fallback");
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, "usage-error");
}

TEST(JudgeStep, TheTestThatHadBegunIsNamedByGoogleTestsText) {
  StepCase test;
  test.step.reports.emplace_back();
  test.Kill(kNoRank, SIGABRT, kSecond);
  test.Junit(kNoRank, {Ran("Gemm.Small", kPass), Ran("Gemm.Large", Outcome::kUnfinished)});
  test.Rank().missing_reports = {"gtest.xml"};
  test.log.Add(kNoRank, 0,
               "[ RUN      ] Gemm.Small\n[       OK ] Gemm.Small (0 ms)\n[ RUN      ] Gemm.Large\n"
               "gemm_test: gemm.cc:12: void Gemm(): Assertion `k > 0' failed.");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kFailed, FailureClass::kCode, "signal");
  EXPECT_THAT(judgement.result.reason, HasSubstr("killed by SIGABRT (aborted) in Gemm.Large: gemm_test: gemm.cc:12"));
  EXPECT_THAT(judgement.tests, SizeIs(2));
  EXPECT_EQ(judgement.tests[1].verdict, Verdict::kFailed);
}

// --- Stopped ---

TEST(JudgeStep, ASingleProcessThatPassesItsLimitTimesOut) {
  StepCase test;
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  test.Hangs(kNoRank);
  test.log.Add(kNoRank, 0, "tests/a.py::test_one PASSED     [ 50%]\ntests/a.py::test_two ");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang");
  EXPECT_THAT(judgement.result.reason, HasSubstr("the time limit passed in tests/a.py::test_two"));
  ASSERT_THAT(judgement.tests, SizeIs(1));
  EXPECT_EQ(judgement.tests[0].id, "tests/a.py::test_two");
  EXPECT_EQ(judgement.tests[0].verdict, Verdict::kTimedOut);
}

TEST(JudgeStep, ATestIsUnfinishedAlthoughItPrintedAWordOfAnOutcome) {
  const auto open = [](const std::string& text) {
    StepCase test;
    test.Stop(Stopped::kTimeout, 60 * kSecond);
    test.Hangs(kNoRank);
    test.log.Add(kNoRank, 0, "tests/a.py::test_one PASSED     [ 50%]\n" + text);
    return test.Judge().result.cause->test;
  };
  for (const std::string said :
       {"tests/a.py::test_two ERROR: no device 3\n", "tests/a.py::test_two ERROR 05-20 05:30:09 [core.py:489] died\n",
        "tests/a.py::test_two \nERROR no device 3\n", "tests/a.py::test_two \nERROR [core.cc:3] no device\n",
        "tests/a.py::test_two \nERROR aclnn::Add is slow\n", "tests/a.py::test_two \nFAILED to open, waiting\n"}) {
    EXPECT_EQ(open(said), "tests/a.py::test_two") << said;
  }
  for (const std::string said :
       {"tests/a.py::test_two ERROR\n", "tests/a.py::test_two SKIPPED (no device) [100%]\n",
        "tests/a.py::test_two some words FAILED   [ 2/3]\n", "tests/a.py::test_two \nERROR [100%]\n",
        "tests/a.py::test_two \nERROR tests/a.py::test_two - OSError: 3\n", "tests/a.py::test_two \nERROR tests/a.py\n",
        "tests/a.py::test_two \nSKIPPED [1] tests/a.py:3: no device\n"}) {
    EXPECT_EQ(open(said), "") << said;
  }
}

TEST(JudgeStep, TheRankThatDidNotComeToTheCollectiveIsNamed) {
  StepCase test(4);
  test.Stop(Stopped::kSilence, 60 * kSecond);
  for (const int rank : {0, 1, 2, 3}) {
    test.Hangs(rank);
    test.log.Add(rank, 1000 * rank, "rank " + std::to_string(rank) + " begins");
    test.log.Add(rank, kSecond, "step 1 done");
    if (rank != 2) test.log.Add(rank, 2 * kSecond, "entering all_gather");
  }
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang", 2);
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 2 did not reach what the others reached"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("nothing was printed"));
  ASSERT_THAT(judgement.result.cause->excerpt, SizeIs(4));
  EXPECT_EQ(judgement.result.cause->excerpt[0].rank, 2);
  EXPECT_EQ(judgement.result.cause->excerpt[0].text, "step 1 done");
}

TEST(JudgeStep, TheLowestCompletedCollectiveIsTheSuspect) {
  StepCase test(3);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  for (const int rank : {0, 1, 2}) {
    test.Hangs(rank);
    test.log.Add(rank, kSecond, "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)");
    test.log.Add(rank, kSecond,
                 "last enqueued NCCL work: 9, last completed NCCL work: " + std::to_string(rank == 1 ? 7 : 8));
  }
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang", 1);
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1 did not reach"));
}

ProcessAtStop StoppedAt(std::vector<std::string> stack, char state = 'S', double cpu = 0) {
  ProcessAtStop process;
  process.pid = 4711;
  process.name = "python3";
  process.state = state;
  process.cpu = cpu;
  process.waits_in = state == 'S' ? "futex_wait_queue" : "";
  process.stack = std::move(stack);
  return process;
}

const std::vector<std::string> kInAllReduce = {
    "Thread 0x1 (most recent call first):",
    "  File \"/site/torch/distributed/distributed_c10d.py\", line 2501 in all_reduce",
    "  File \"/w/train.py\", line 12 in step"};

TEST(JudgeStep, TheRankWhoseStackIsInNoCollectiveIsNamedAndItsTestToo) {
  StepCase test(4);
  test.Stop(Stopped::kSilence, 60 * kSecond);
  for (const int rank : {0, 1, 2, 3}) {
    test.Hangs(rank);
    test.log.Add(rank, kSecond, "tests/a.py::test_step ");
    test.Rank(rank).at_stop = {StoppedAt(kInAllReduce)};
    // What the worker noted of it, after the stop, and more lines than are looked at for the test.
    for (int i = 0; i < 500; ++i) test.log.Add(rank, 61 * kSecond, "  File \"/w/train.py\", line 12 in step");
  }
  test.Rank(2).at_stop = {StoppedAt({"Thread 0x1 (most recent call first):", "  File \"/w/data.py\", line 7 in read"})};
  test.log.Add(2, 61 * kSecond, "  File \"/w/data.py\", line 7 in read");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang", 2);
  EXPECT_THAT(judgement.result.reason, HasSubstr("in tests/a.py::test_step"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 2 is in no collective, and the others wait in all_reduce"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("it stands at data.py:7 in read"));
  EXPECT_EQ(judgement.result.cause->excerpt.at(0).text, "  File \"/w/data.py\", line 7 in read");
  EXPECT_EQ(judgement.result.cause->excerpt.at(1).text, "tests/a.py::test_step ") << "what it said last";
  // Its line in the log.
  EXPECT_EQ(judgement.result.cause->line, test.log.lines());
  ASSERT_TRUE(judgement.result.ranks[0].stood.has_value());
  EXPECT_EQ(judgement.result.ranks[0].stood->text,
            "waits in all_reduce (train.py:12 in step), sleeps (futex_wait_queue), 0.0 processors");
  EXPECT_EQ(judgement.result.ranks[0].stood->doing, "waits_for_others");
  EXPECT_EQ(judgement.result.ranks[2].stood->doing, "elsewhere");
}

TEST(JudgeStep, ARankWithoutAStackDoesNotHideTheOneThatIsElsewhere) {
  StepCase test(3);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  for (const int rank : {0, 1, 2}) test.Hangs(rank);
  test.Rank(0).at_stop = {StoppedAt(kInAllReduce)};
  test.Rank(1).at_stop = {StoppedAt({}, 'D')};
  test.Rank(2).at_stop = {StoppedAt({"  File \"/w/data.py\", line 7 in read"})};
  ExpectCause(test.Judge(), Verdict::kTimedOut, FailureClass::kCode, "hang", 2);
}

TEST(JudgeStep, WhereAllWaitTheRanksAreToldAndNobodyIsBlamed) {
  StepCase test(2);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  for (const int rank : {0, 1}) test.Hangs(rank);
  test.Rank(0).at_stop = {StoppedAt(kInAllReduce)};
  test.Rank(1).at_stop = {StoppedAt({"  File \"/site/torch/distributed/distributed_c10d.py\", line 9 in broadcast",
                                     "  File \"/w/train.py\", line 20 in save"})};
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang", kNoRank);
  EXPECT_THAT(judgement.result.reason, HasSubstr("unknown; rank 0 waits in all_reduce (train.py:12 in step)"));
  EXPECT_THAT(judgement.result.reason, HasSubstr("; rank 1 waits in broadcast (train.py:20 in save)"));
}

TEST(JudgeStep, WithoutStacksTheRankThatComputesWhileTheOthersSleepIsNamed) {
  StepCase test(3);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  for (const int rank : {0, 1, 2}) {
    test.Hangs(rank);
    test.Rank(rank).at_stop = {StoppedAt({}, rank == 1 ? 'R' : 'S', rank == 1 ? 0.98 : 0.0)};
  }
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang", 1);
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1 computes while the others sleep"));
  // Where it is not clear who is busy, nobody is.
  test.Rank(0).at_stop = {StoppedAt({}, 'S', 0.2)};
  EXPECT_EQ(test.Judge().result.cause->rank, kNoRank);
}

TEST(JudgeStep, AProcessThatASignalStoppedIsNamed) {
  StepCase test(2);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  for (const int rank : {0, 1}) {
    test.Hangs(rank);
    test.Rank(rank).at_stop = {StoppedAt({}, rank == 1 ? 'T' : 'S')};
  }
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang", 1);
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1 is stopped by a signal"));
}

TEST(JudgeStep, OfProcessesThatAStepStartedByItselfTheOddOneIsNamed) {
  StepCase test;
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  test.Hangs(kNoRank);
  ProcessAtStop parent = StoppedAt({"  File \"/usr/lib/python3.11/multiprocessing/popen_fork.py\", line 27 in poll"});
  ProcessAtStop odd = StoppedAt({"  File \"/w/data.py\", line 7 in read"});
  odd.pid = 4712;
  test.Rank().at_stop = {parent, StoppedAt(kInAllReduce), odd, StoppedAt(kInAllReduce)};
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang");
  EXPECT_THAT(judgement.result.reason,
              HasSubstr("of its processes 4712 is in no collective, and the others wait in all_reduce; it stands at "
                        "data.py:7 in read"));
  EXPECT_THAT(judgement.result.reason, Not(HasSubstr("train.py")));
}

TEST(JudgeStep, ALauncherThatHangsBeforeItsRanksIsSaidToStandSomewhere) {
  StepCase test(2);
  test.Launched("torchrun", 0);
  test.evidence.launcher.reset();
  for (RankEvidence& rank : test.evidence.ranks) rank.started = false;
  test.Stop(Stopped::kSilence, 60 * kSecond);
  test.evidence.launcher_at_stop = {StoppedAt({"  File \"/site/torch/__init__.py\", line 831 in <module>"})};
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang");
  EXPECT_THAT(judgement.result.reason, HasSubstr("no rank had begun, and the launcher stands at __init__.py:831"));
}

TEST(JudgeStep, WhatRanBeforeAStepWasEndedStaysAndIsNoEvidenceOfAPass) {
  StepCase test(2);
  test.Stop(Stopped::kSilence, 20 * kSecond);
  for (int rank = 0; rank < 2; ++rank) {
    test.Hangs(rank);
    test.NoReport(rank);
    test.Rank(rank).named = {Ran("a.py::test_one", Outcome::kPassed), Ran("a.py::test_two", Outcome::kSkipped),
                             Ran("a.py::test_three", Outcome::kUnfinished)};
    test.Rank(rank).last_line_micros = 4 * kSecond;
  }
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kTimedOut);
  ASSERT_EQ(judgement.tests.size(), 6U);
  EXPECT_EQ(judgement.tests[0].verdict, Verdict::kPassed);
  EXPECT_TRUE(judgement.tests[1].skipped);
  EXPECT_EQ(judgement.tests[2].verdict, Verdict::kTimedOut);
  EXPECT_EQ(judgement.result.ranks[1].last_output_micros, 4 * kSecond);
}

TEST(JudgeStep, AWrappedFailureIsListedByWhatWentWrong) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a.py::test_cli", Outcome::kFailed,
                           "AssertionError: exit code 1\nE   AssertionError: exit code 1\nE     Traceback (most recent "
                           "call last):\nE     KeyError: 'bucket'\nE   assert 1 == 0")});
  test.Exit(kNoRank, 1, 2 * kSecond);
  const StepJudgement judgement = test.Judge();
  ASSERT_EQ(judgement.tests.size(), 1U);
  EXPECT_TRUE(judgement.tests[0].message.starts_with("KeyError: 'bucket'\n")) << judgement.tests[0].message;
}

TEST(JudgeStep, ARankThatHadEndedBeforeIsNotTheHang) {
  StepCase test(3);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  test.Hangs(0);
  test.Hangs(2);
  test.Exit(1, 0, kSecond);
  for (const int rank : {0, 2}) test.log.Add(rank, kSecond, "waiting");
  test.log.Add(1, 0, "bye");
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "hang");
  EXPECT_THAT(judgement.result.reason, HasSubstr("rank 1 had ended before with exit code 0"));
  for (const LogLine& line : judgement.result.cause->excerpt) EXPECT_NE(line.rank, 1);
  EXPECT_EQ(judgement.result.ranks[0].verdict, Verdict::kTimedOut);
}

TEST(JudgeStep, WhereOneRankCrashedTheHangOfTheOthersFollows) {
  StepCase test(3);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  test.Hangs(0);
  test.Hangs(2);
  test.Kill(1, SIGSEGV, kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "signal", 1);
  EXPECT_THAT(judgement.result.cause->victims, ElementsAre(0, 2));
}

TEST(JudgeStep, ATakenPortBehindAHangIsStillTheEnvironments) {
  StepCase test(2);
  test.Stop(Stopped::kTimeout, 60 * kSecond);
  test.Hangs(1);
  test.Exit(0, 1, kSecond);
  test.log.Add(0, 0, "RuntimeError: Address already in use");
  ExpectCause(test.Judge(), Verdict::kError, FailureClass::kEnvironment, kPortTaken, 0);
}

TEST(JudgeStep, ATestThatPassedItsOwnLimitTimesOut) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass), Ran("b", Outcome::kTimedOut)});
  test.Exit(kNoRank, 8, kSecond);
  const StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kTimedOut, FailureClass::kCode, "timeout");
  EXPECT_EQ(judgement.tests[1].verdict, Verdict::kTimedOut);
}

TEST(JudgeStep, CancelledIsCancelledWhateverElseWentWrong) {
  StepCase test(2);
  test.Stop(Stopped::kCancelled, 5 * kSecond);
  test.Hangs(0);
  test.Kill(1, SIGSEGV, kSecond);
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kCancelled);
  EXPECT_EQ(judgement.result.reason, "cancelled");
  EXPECT_FALSE(judgement.result.cause.has_value());
}

TEST(JudgeStep, StraysAreNotedAndChangeNothing) {
  StepCase test;
  test.Junit(kNoRank, {Ran("a", kPass)});
  test.evidence.strays = 2;
  const StepJudgement judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kPassed);
  EXPECT_THAT(judgement.notes, ElementsAre("step: 2 processes outlived the step and had to be killed"));
}

// --- Recipes ---

TEST(JudgeStep, ASymptomThatARecipeMendsIsTheEnvironmentsAndOffersIt) {
  rules::RecoveryRecipe recipe;
  recipe.id = "enum-missing";
  recipe.title = "an enumeration is missing";
  recipe.symptoms = {"no member named '\\w+' in namespace 'pto'"};
  recipe.cause = "The headers are too old.";
  recipe.applicable = true;
  StepCase test;
  test.recipes = {&recipe};
  test.Exit(kNoRank, 1, kSecond);
  test.log.Add(kNoRank, 0, "k.cc:3:4: error: no member named 'ExpAlgorithm' in namespace 'pto'");
  StepJudgement judgement = test.Judge();
  ExpectCause(judgement, Verdict::kError, FailureClass::kEnvironment, "enum-missing");
  EXPECT_EQ(judgement.recipe, &recipe);

  recipe.applicable = false;
  EXPECT_EQ(test.Judge().recipe, nullptr);

  // Nothing failed: nothing is to be mended.
  test.Exit(kNoRank, 0, kSecond);
  judgement = test.Judge();
  EXPECT_EQ(judgement.result.verdict, Verdict::kPassed);
  EXPECT_EQ(judgement.recipe, nullptr);
}

}  // namespace
}  // namespace yardmaster::worker
