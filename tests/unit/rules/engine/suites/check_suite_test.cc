#include "rules/engine/suites/check_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/rules/engine/suites/suite_texts.h"

namespace yardmaster::rules {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kSuite[] = "/suites/0";
constexpr char kStep[] = "/layers/1/steps/0";

TEST(CheckSuite, TheSuiteOfTheTestsIsValid) { EXPECT_THAT(ProblemsOf(ValidSuite()), IsEmpty()); }

TEST(CheckSuite, AnIdThatComesTwiceNamesTheFirst) {
  EXPECT_THAT(ProblemsWith("/layers/1/id", R"("import")"),
              Contains("/suites/0/layers/1/id: the layer \"import\" is there already: f.json:1; expected each once in "
                       "a suite"));
  EXPECT_THAT(ProblemsWith("/layers/1/steps/0/id", R"("configure")"),
              ElementsAre(HasSubstr("the step \"configure\" is there already")));
}

TEST(CheckSuite, ALayerComesAfterOneThatStandsBeforeIt) {
  EXPECT_THAT(ProblemsWith("/layers/1/after", R"(["imports"])"),
              ElementsAre("/suites/0/layers/1/after/0: expected the id of another layer, got \"imports\"; did you mean "
                          "\"import\"?"));
  EXPECT_THAT(ProblemsWith("/layers/0/after", R"(["ranks"])"),
              ElementsAre("/suites/0/layers/0/after/0: expected a layer that stands before this one, got \"ranks\""));
  EXPECT_THAT(ProblemsWith("/layers/1/after", R"(["ranks"])"), SizeIs(1));
}

TEST(CheckMatrix, NamesAndValuesBecomePartsOfFileNames) {
  EXPECT_THAT(ProblemsWith("/matrix/axes/dtype", R"(["float32", "../x", "float32", ""])"),
              AllOf(Contains(HasSubstr("axes/dtype/1: expected letters")), Contains(HasSubstr("got \"../x\"")),
                    Contains("/suites/0/matrix/axes/dtype/2: the value \"float32\" is there already"),
                    Contains(HasSubstr("got \"\""))));
  EXPECT_THAT(ProblemsWith("/matrix/axes/Big Axis", R"(["a"])"),
              Contains(HasSubstr("expected a name of small letters")));
}

TEST(CheckMatrix, AnAxisThatNoStepUsesIsAMistake) {
  EXPECT_THAT(ProblemsWith("/matrix/axes/backend", R"(["gloo"])"),
              ElementsAre("/suites/0/matrix/axes/backend: no step is repeated over the axis \"backend\""));
}

TEST(CheckMatrix, WhatIsExcludedMustBeThere) {
  EXPECT_THAT(ProblemsWith("/matrix/exclude/0", R"({"dtype": "float16", "backends": "x"})"),
              ElementsAre("/suites/0/matrix/exclude/0/backends: expected an axis of the matrix, got \"backends\"",
                          HasSubstr("expected a value of the axis \"dtype\", got \"float16\"; did you mean ")));
  EXPECT_THAT(ProblemsWith("/matrix/exclude", R"([{"dtype": "float32"}, {"dtype": "bfloat16"}])"),
              ElementsAre("/suites/0/layers/1/steps/0/axes: all cells of the step are excluded"));
}

TEST(CheckInstall, BringsWhatIsRequired) {
  EXPECT_THAT(ProblemsWith("/install/brings", R"(["torch", "torhc"])"),
              ElementsAre("/suites/0/install/brings/1: expected a tool or a module that the suite requires, got "
                          "\"torhc\"; did you mean \"torch\"?"));
}

TEST(CheckAxes, AreKnownAndEachOnce) {
  EXPECT_THAT(ProblemsWith(std::string(kStep) + "/axes", R"(["dtype", "world_size", "dtypes"])"),
              Contains(HasSubstr("axes/2: expected an axis of the matrix, got \"dtypes\"; did you mean \"dtype\"?")));
  EXPECT_THAT(ProblemsWith(std::string(kStep) + "/axes", R"(["dtype", "world_size", "dtype"])"),
              Contains(HasSubstr("the axis \"dtype\" is there already")));
}

TEST(CheckAxes, HaveAtMostAThousandCells) {
  nlohmann::ordered_json suite = ValidSuite();
  for (int i = 0; i < 40; ++i) {
    suite["matrix"]["axes"]["a"].push_back(i);
    suite["matrix"]["axes"]["b"].push_back(i);
  }
  suite["layers"][1]["steps"][0]["axes"] = {"a", "b", "dtype", "world_size"};
  EXPECT_THAT(ProblemsOf(suite), ElementsAre(HasSubstr("/axes: expected at most 1000 cells of a step")));
  for (int i = 0; i < 40; ++i) suite["matrix"]["axes"]["c"].push_back(i);
  suite["layers"][1]["steps"][0]["axes"] = {"a", "b", "c", "dtype", "world_size"};
  EXPECT_THAT(ProblemsOf(suite), ElementsAre(HasSubstr("expected at most 100000 combinations of values")));
}

TEST(CheckCounts, RanksAreANumberInEachCell) {
  EXPECT_THAT(ProblemsWith("/matrix/axes/world_size", R"([2, "many"])"),
              Contains("/suites/0/layers/1/steps/0/launcher/world_size: expected a number from 1 to 4096, got \"many\" "
                       "in the cell dtype=float32,world_size=many"));
  EXPECT_THAT(ProblemsWith(std::string(kStep) + "/launcher/world_size", R"("${matrix.ranks}")"),
              Contains(HasSubstr("world_size: unknown placeholder \"${matrix.ranks}\"")));
}

TEST(CheckCounts, TheDevicesOfASuiteAreANumberInEachOfItsSteps) {
  // The first layer's step is not repeated over the axis.
  EXPECT_THAT(ProblemsWith("/devices", R"({"kind": "cpu", "count": "${matrix.world_size}"})"),
              ElementsAre(StartsWith("/suites/0/layers/0/steps/0: the number of devices that this step needs: unknown "
                                     "placeholder")));
}

TEST(CheckCounts, EachRankHasAGpuUnlessRanksMayShare) {
  EXPECT_THAT(ProblemsWith("/devices", R"({"kind": "gpu", "count": 4})"),
              ElementsAre("/suites/0/layers/1/steps/0/launcher/world_size: expected a device for each rank, got 8 "
                          "ranks on 4 devices in the cell dtype=float32,world_size=8; \"oversubscribe\" allows that"));
  nlohmann::ordered_json suite = ValidSuite();
  suite["devices"] = {{"kind", "gpu"}, {"count", 4}};
  suite["layers"][1]["steps"][0]["launcher"]["oversubscribe"] = true;
  EXPECT_THAT(ProblemsOf(suite), IsEmpty());
  EXPECT_THAT(ProblemsWith("/devices", R"({"kind": "cpu", "count": 1})"), IsEmpty());
}

TEST(CheckCounts, ARequiredDeviceCountsInTheCellsItIsFor) {
  EXPECT_THAT(
      ProblemsWith(std::string(kStep) + "/requires",
                   R"([{"device": {"kind": "npu", "count": "${matrix.world_size}"}, "when": {"dtype": "bfloat16"}}])"),
      IsEmpty());
  EXPECT_THAT(
      ProblemsWith(std::string(kStep) + "/requires", R"([{"device": {"kind": "npu"}, "when": {"dtype": "bfloat16"}}])"),
      ElementsAre(HasSubstr("got 2 ranks on 1 device in the cell dtype=bfloat16,world_size=2")));
}

TEST(CheckSteps, WithoutALauncherThereAreNoRanks) {
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/launcher", R"({"kind": "none", "world_size": 2, "oversubscribe": true})"),
              ElementsAre(HasSubstr("launcher/world_size: the launcher \"none\" starts no ranks"),
                          HasSubstr("launcher/oversubscribe: the launcher \"none\" starts no ranks")));
}

TEST(CheckSteps, ACommandIsWordsOrALineNeverBoth) {
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/shell", R"("true")"),
              ElementsAre(HasSubstr("expected exactly one of the keys \"run\" and \"shell\", got 2 of them")));
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/run", R"(["", "x"])"),
              ElementsAre("/suites/0/layers/0/steps/0/run/0: expected a program, got \"\""));
}

TEST(CheckSteps, PlaceholdersAreKnownWhereTheyStand) {
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/run", R"(["${PYTHN}"])"),
              ElementsAre("/suites/0/layers/0/steps/0/run/0: unknown placeholder \"${PYTHN}\"; did you mean "
                          "\"${PYTHON}\"?"));
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/run", R"(["echo", "${matrix.dtype}"])"),
              ElementsAre(HasSubstr("expected an axis over which the step is repeated")));
  EXPECT_THAT(ProblemsWith("/build/0/run", R"(["echo", "${RANK}"])"),
              ElementsAre(HasSubstr("it is known in the steps of layers only")));
  EXPECT_THAT(ProblemsWith("/environment/variables/X", R"("${OUT}")"),
              ElementsAre(HasSubstr("/environment/variables/X: unknown placeholder")));
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/run", R"(["echo", "${OUT"])"),
              ElementsAre(HasSubstr("expected \"}\" after \"${OUT\"")));
  nlohmann::ordered_json suite = ValidSuite();
  suite["layers"][0]["steps"][0].erase("run");
  suite["layers"][0]["steps"][0]["shell"] = "for f in *; do echo \"$f $${f%x} ${OUT}\"; done";
  EXPECT_THAT(ProblemsOf(suite), IsEmpty());
}

TEST(CheckSteps, AnUnknownPlaceholderSaysHowToWriteAVariableOfTheShell) {
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/run", R"(["${ASCEND_HOME_PATH}"])"),
              ElementsAre(HasSubstr("\"$${\" is a plain \"${\"")));
}

TEST(CheckSteps, PathsStayInside) {
  for (const char* path : {R"("/etc")", R"("../x")", R"("a/../../x")"}) {
    EXPECT_THAT(ProblemsWith("/layers/0/steps/0/directory", path),
                ElementsAre(HasSubstr("directory: expected a relative path")))
        << path;
    EXPECT_THAT(ProblemsWith("/layers/0/steps/0/artifacts", "[" + std::string(path) + "]"),
                ElementsAre(HasSubstr("artifacts/0: expected a relative path")))
        << path;
  }
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/directory", R"("tests/a..b")"), IsEmpty());
}

TEST(CheckReports, RanksDoNotOverwriteOneAnother) {
  EXPECT_THAT(ProblemsWith(std::string(kStep) + "/reports/0/file", R"("${BUILD}/junit.xml")"),
              ElementsAre("/suites/0/layers/1/steps/0/reports/0/file: expected ${OUT} or ${RANK} in the name: with "
                          "several ranks the last to write would win"));
}

TEST(CheckReports, CellsAndShardsDoNotReadWhatAnotherOneLeft) {
  EXPECT_THAT(ProblemsWith(std::string(kStep) + "/reports/0/file", R"("${BUILD}/${matrix.dtype}-${RANK}.xml")"),
              ElementsAre(HasSubstr("expected ${OUT} or ${matrix.world_size} in the name")));
  nlohmann::ordered_json suite = ValidSuite();
  suite["layers"][0]["steps"][0]["shards"] = 2;
  suite["layers"][0]["steps"][0]["reports"] = {{{"format", "ctest"}, {"file", "${BUILD}/ctest.xml"}}};
  EXPECT_THAT(ProblemsOf(suite), ElementsAre(HasSubstr("expected ${OUT} or ${SHARD} in the name")));
}

TEST(CheckReports, AFormatHasItsKeys) {
  const std::string reports = std::string(kStep) + "/reports";
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "junit"}])"), ElementsAre(HasSubstr("missing key \"file\"")));
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "googletest"}])"), IsEmpty());
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "junit", "file": "${OUT}/x", "pass": "ok"}])"),
              ElementsAre(HasSubstr("pass: only for the format \"markers\"")));
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "markers", "pass": "ok", "file": "${OUT}/x"}])"),
              ElementsAre(HasSubstr("file: markers are in the output")));
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "markers", "fail": "bad"}])"),
              ElementsAre(HasSubstr("would pass whatever does not fail")));
}

TEST(CheckReports, PatternsCompileHaveTheirGroupsAndDoNotMatchEverything) {
  const std::string reports = std::string(kStep) + "/reports";
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "markers", "pass": "(ok"}])"),
              ElementsAre(HasSubstr("pass: not a pattern that RE2 takes: missing ): (ok")));
  EXPECT_THAT(ProblemsWith(reports, R"([{"format": "markers", "pass": "x*"}])"),
              ElementsAre(HasSubstr("matches an empty line")));
  EXPECT_THAT(
      ProblemsWith(reports, R"([{"format": "markers", "line": "^(?P<name>\\w+) ok", "summary": "(\\d+) passed"}])"),
      ElementsAre(HasSubstr("line: expected a group \"(?P<verdict>…)\""), HasSubstr("\"(?P<passed>…)\""),
                  HasSubstr("\"(?P<failed>…)\""), HasSubstr("\"(?P<total>…)\"")));
  EXPECT_THAT(ProblemsWith(reports, R"json([{"format": "markers", "pass": "ok",
                                         "summary": "(?P<passed>1)(?P<failed>1)(?P<total>1)"
}])json"),
              ElementsAre(HasSubstr("summary: a summary is held against the lines")));
}

TEST(CheckReports, ACountOfTestsNeedsAReport) {
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/tests_at_least", "3"),
              ElementsAre(HasSubstr("nothing counts tests here")));
}

TEST(CheckRequirements, VersionsAreConditions) {
  EXPECT_THAT(ProblemsWith("/requires/0/version", R"("3.20")"),
              ElementsAre("/suites/0/requires/0/version: expected a condition such as \">=12.0\" or \">=1.13, <3\", "
                          "got \"3.20\""));
  EXPECT_THAT(ProblemsWith("/requires/0", R"({"file": "${SOURCE}/x", "version": ">=1"})"),
              ElementsAre(HasSubstr("only tools and modules have a version")));
}

TEST(CheckRequirements, WhenNamesWhatCanBe) {
  EXPECT_THAT(ProblemsWith("/requires/0/when", R"({"dtype": "float31"})"),
              ElementsAre(HasSubstr("expected a value of the axis \"dtype\"")));
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/requires", R"([{"tool": "x", "when": {"dtype": "float32"}}])"),
              ElementsAre(HasSubstr("the step is not repeated over any axis, so this never holds")));
  nlohmann::ordered_json suite = ValidSuite();
  suite["matrix"]["axes"]["backend"] = {"gloo"};
  suite["layers"][0]["steps"][0]["axes"] = {"backend"};
  suite["layers"][0]["steps"][0]["requires"] = {{{"tool", "x"}, {"when", {{"dtype", "float32"}}}}};
  EXPECT_THAT(ProblemsOf(suite), ElementsAre(HasSubstr("the step is not repeated over the axis \"dtype\"")));
}

TEST(CheckDevices, OnlyGpusHaveACapability) {
  EXPECT_THAT(ProblemsWith("/devices", R"({"kind": "npu", "count": 8, "capability": [">=8.0"]})"),
              Contains(HasSubstr("only GPUs have a compute capability")));
  EXPECT_THAT(ProblemsWith("/devices", R"({"kind": "cpu", "memory_mb": 10})"),
              ElementsAre(HasSubstr("processors have no memory of their own")));
  EXPECT_THAT(ProblemsWith("/devices", R"({"kind": "gpu", "count": 8, "capability": ["8.0"]})"),
              ElementsAre(HasSubstr("/devices/capability/0")));
}

TEST(CheckVariables, WhatTheWorkerSetsIsItsOwn) {
  EXPECT_THAT(ProblemsWith("/environment/variables/CUDA_VISIBLE_DEVICES", R"("0")"),
              ElementsAre(HasSubstr("is set by the worker, to the devices that are leased")));
  EXPECT_THAT(ProblemsWith(std::string(kStep) + "/variables", R"({"MASTER_PORT": "29500"})"),
              ElementsAre(HasSubstr("\"MASTER_PORT\" is set by the launcher")));
  // A process without ranks may play one.
  EXPECT_THAT(ProblemsWith("/layers/0/steps/0/variables", R"({"RANK": "0"})"), IsEmpty());
  EXPECT_THAT(ProblemsWith("/environment/variables/A-B", R"("0")"),
              ElementsAre(HasSubstr("expected the name of a variable")));
}

TEST(CheckVariables, SecretsAreNotPassedOn) {
  EXPECT_THAT(ProblemsWith("/environment/pass", R"(["GITHUB_TOKEN", "aws_secret_access_key", "CUDA_HOME"])"),
              ElementsAre("/suites/0/environment/pass/0: \"GITHUB_TOKEN\" looks like a secret: these never reach a job",
                          HasSubstr("aws_secret_access_key")));
}

TEST(CheckSource, ThePlainFolderNameOrARepositoryWithItsRef) {
  EXPECT_THAT(ProblemsWith("/source/own", R"("../etc")"), SizeIs(1));
  EXPECT_THAT(ProblemsWith("/source", R"({"own": "tiny", "ref": "main", "submodules": true})"),
              ElementsAre(HasSubstr("source/ref: only a repository has one"), HasSubstr("source/submodules")));
  EXPECT_THAT(ProblemsWith("/source", R"({"repository": "gitcode:o/r", "ref": "v1.0", "submodules": true})"),
              IsEmpty());
  EXPECT_THAT(ProblemsWith("/source", R"({"repository": "https://x/o/r"})"), SizeIs(1));
  EXPECT_THAT(
      ProblemsWith("/source", R"({"repository": "gitcoed:o/r"})"),
      ElementsAre(HasSubstr("source/repository: expected one of the forges github, gitcode, got \"gitcoed\"; did "
                            "you mean \"gitcode\"?")));
  EXPECT_THAT(ProblemsWith("/source", R"({"repository": "github:o/r", "ref": "--upload-pack=x"})"), SizeIs(1));
}

TEST(CheckCommands, NamesOnceWithLayersThatThereAreAndVariablesOfTheSuitesOwn) {
  EXPECT_THAT(ProblemsWith("/commands", R"({"usual": true, "kind": "ut", "names": [
                  {"name": "op-{word}", "layers": ["import"], "variables": {"WORD": "{word}"}}]})"),
              IsEmpty());
  EXPECT_THAT(
      ProblemsWith("/commands", R"({"names": [{"name": "a", "layers": ["imports"]}, {"name": "a"}]})"),
      ElementsAre("/suites/0/commands/names/0/layers/0: expected the id of a layer, got \"imports\"; did you mean "
                  "\"import\"?",
                  HasSubstr("/commands/names/1/name: the name is there already")));
  EXPECT_THAT(ProblemsWith("/commands", R"({"names": [{"name": "a", "variables": {"RANK": "1"}}]})"), SizeIs(1));
}

TEST(CheckLimits, SilenceIsShorterThanTheStep) {
  EXPECT_THAT(ProblemsWith("/limits", R"({"build_s": 10, "step_s": 10, "silence_s": 11})"),
              ElementsAre(HasSubstr("limits/silence_s: expected at most the limit of a step")));
  EXPECT_THAT(ProblemsWith("/limits/step_s", "90000"), ElementsAre(HasSubstr("/limits/step_s")));
}

TEST(CheckSuite, ThePlaceholdersOfTheInterpreterAreNone) {
  EXPECT_THAT(ProblemsWith("/environment/interpreter", R"("${BUILD}/venv/bin/python")"),
              ElementsAre(HasSubstr("without placeholders")));
}

TEST(CheckSuite, AProblemNamesItsPlace) {
  Problems problems;
  const std::string text = nlohmann::ordered_json({{"suites", {ValidSuite()}}}).dump(2);
  std::string bad = text;
  bad.replace(bad.find("\"import\"\n"), 8, "\"impord\"");
  EXPECT_EQ(LoadSuiteManifest("f.json", bad, "", problems), nullptr);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].pointer, std::string(kSuite) + "/layers/1/after/0");
  EXPECT_GT(problems[0].line, 10u);
}

}  // namespace
}  // namespace yardmaster::rules
