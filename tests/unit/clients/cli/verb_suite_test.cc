#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kSuite[] = R"({"suites": [{"id": "tiny", "title": "A small suite", "source": {"own": "tiny"},
  "matrix": {"axes": {"dtype": ["a", "b"]}},
  "layers": [{"id": "one", "kind": "smoke", "steps": [{"id": "s", "shell": "true", "axes": ["dtype"]}]},
             {"id": "two", "kind": "module", "requires": [{"device": {"kind": "gpu", "count": 2}}],
              "steps": [{"id": "t", "shell": "true"}]}]}]})";

class SuiteVerbs : public ::testing::Test {
 protected:
  SuiteVerbs() {
    dir_.Write("packs/common/pack.json", R"({"name": "common", "title": "C"})");
    dir_.Write("packs/small/pack.json", R"({"name": "small", "title": "S", "extends": "common"})");
    dir_.Write("packs/small/suites/tiny.json", kSuite);
    dir_.Write("packs/child/pack.json", R"({"name": "child", "title": "C", "extends": "small"})");
  }
  Result Run(std::vector<std::string> arguments, const std::string& in = "") {
    arguments.insert(arguments.begin(), {"--packs", Path("packs")});
    return RunCommandLine(arguments, in);
  }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  void Break() {
    std::string text = kSuite;
    text.replace(text.find("\"axes\": [\"dtype\"]"), 17, "\"axes\": [\"dtypes\"]");
    dir_.Write("packs/small/suites/tiny.json", text);
  }

  yardmaster::testing::TempDir dir_;
};

TEST_F(SuiteVerbs, ListShowsTheSuitesUnderThePackThatHasThem) {
  const Result result = Run({"suite", "list"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("small/tiny       2      3  cpu; 2 gpu  A small suite\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("child")));
}

TEST_F(SuiteVerbs, ListOfOnePackHasWhatItInherits) {
  EXPECT_THAT(Run({"suite", "list", "--pack", "child"}).out, HasSubstr("small/tiny"));
  const Result empty = Run({"suite", "list", "--pack", "common"});
  EXPECT_EQ(empty.code, 0);
  EXPECT_THAT(empty.out, IsEmpty());
  const Result unknown = Run({"suite", "list", "--pack", "smal"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("small"));
}

TEST_F(SuiteVerbs, SeveralFoldersOfPacksAreReadTogetherAndTheFirstThatHasANameCounts) {
  dir_.Write("mine/own/pack.json", R"({"name": "own", "title": "O"})");
  std::string text = kSuite;
  text.replace(text.find("\"tiny\""), 6, "\"mine\"");
  dir_.Write("mine/own/suites/mine.json", text);
  dir_.Write("mine/small/pack.json", R"({"name": "small", "title": "Another of this name", "extends": "common"})");
  const Result both = Run({"--packs", Path("mine"), "suite", "list"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("own/mine"));
  EXPECT_THAT(both.out, HasSubstr("small/tiny"));
  const Result turned = RunCommandLine({"--packs", Path("mine"), "--packs", Path("packs"), "suite", "list"});
  EXPECT_EQ(turned.code, 0) << turned.err;
  EXPECT_THAT(turned.out, HasSubstr("own/mine"));
  EXPECT_THAT(turned.out, Not(HasSubstr("small/tiny")));
  const Result missing = Run({"--packs", Path("nowhere"), "suite", "list"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere"));
}

TEST_F(SuiteVerbs, InitInAFolderWithAProjectMakesAPackBelowItThatKnowsTheProject) {
  dir_.Write("demo/demo.py", "x = 1\n");
  dir_.Write("demo/test/test_demo.py", "def test_x(): pass\n");
  dir_.Write("demo/.venv/bin/python", "");
  dir_.Write("demo/.git/config",
             "[remote \"other\"]\n\turl = https://github.com/a/other\n[remote \"origin\"]\n\turl = "
             "git@github.com:octo/demo.git\n");
  const Result result = Run({"suite", "init", Path("demo"), "--id", "first"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, Path("demo/packs/demo/suites/first.json") + "\n");
  EXPECT_THAT(result.err, HasSubstr("--packs " + Path("demo/packs") + " test run demo/first --local\n"));
  EXPECT_EQ(Run({"suite", "validate", Path("demo/packs/demo")}).code, 0);
  std::ifstream file(Path("demo/packs/demo/suites/first.json"));
  const auto suite = nlohmann::json::parse(file)["suites"][0];
  EXPECT_EQ(suite["title"], "Tests of demo");
  EXPECT_EQ(suite["environment"]["interpreter"], Path("demo/.venv/bin/python"));
  EXPECT_EQ(suite["source"], nlohmann::json({{"path", Path("demo")}}));
  EXPECT_THAT(suite["description"].get<std::string>(), HasSubstr("\"repository\": \"github:octo/demo\""));
  EXPECT_EQ(suite["layers"][1]["steps"][0]["run"].back(), "test");
  ASSERT_EQ(Run({"suite", "init", Path("demo"), "--id", "second"}).code, 0) << "the pack below is used again";
}

TEST_F(SuiteVerbs, ValidateSaysWhatARunWouldMissHere) {
  std::string text = kSuite;
  text.replace(text.find("\"matrix\""), 0,
               R"("requires": [{"tool": "no-such-program"}, {"tool": "sh"}, {"variable": "NOT_SET_HERE"}],
                  "environment": {"interpreter": "/no/such/python"}, )");
  dir_.Write("packs/small/suites/tiny.json", text);
  const Result result =
      RunCommandLine({"--packs", Path("packs"), "suite", "validate", "small/tiny"}, "", {{"PATH", "/usr/bin:/bin"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok   small/tiny"));
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs the program \"no-such-program\""));
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs the interpreter \"/no/such/python\""));
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs the variable \"NOT_SET_HERE\""));
  EXPECT_THAT(result.out, Not(HasSubstr("\"sh\"")));
}

TEST_F(SuiteVerbs, ValidateAsksTheInterpreterForModulesAndTheMachineForDevices) {
  dir_.Write("fake/python",
             "#!/bin/sh\n"
             "echo; echo 'yard-probe {\"python\": \"3.12.1\", \"modules\": {\"pytest\": [true, "
             "\"8.1\", \"\"], \"shardlib\": [false, \"\", \"there is no such module\"]}}'\n");
  std::filesystem::permissions(Path("fake/python"), std::filesystem::perms::owner_all);
  std::string text = kSuite;
  text.replace(text.find("\"matrix\""), 0,
               R"("requires": [{"module": "pytest"}, {"module": "shardlib"}, {"device": {"kind": "npu", "count": "8"}}],
                  "environment": {"interpreter": ")" +
                   Path("fake/python") + "\"}, ");
  dir_.Write("packs/small/suites/tiny.json", text);
  const Result result =
      RunCommandLine({"--packs", Path("packs"), "suite", "validate", "small/tiny"}, "", {{"PATH", "/usr/bin:/bin"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs the module \"shardlib\": Python has no module shardlib"));
  EXPECT_THAT(result.out, Not(HasSubstr("the module \"pytest\"")));
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs a device: "));
}

TEST_F(SuiteVerbs, InitInAFolderOnNoForgeTestsItWhereItLies) {
  dir_.Write("plain/tests/test_demo.py", "def test_x(): pass\n");
  const Result result = Run({"suite", "init", Path("plain")});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream file(Path("plain/packs/plain/suites/my-suite.json"));
  const auto suite = nlohmann::json::parse(file)["suites"][0];
  EXPECT_EQ(suite["source"], nlohmann::json({{"path", Path("plain")}}));
  EXPECT_EQ(Run({"suite", "validate", Path("plain/packs/plain")}).code, 0);
  EXPECT_THAT(result.err, HasSubstr("test run plain/my-suite --local\n"));
}

TEST_F(SuiteVerbs, ListAsJsonIsOneDocument) {
  const Result result = Run({"suite", "list", "--json"});
  const auto suites = nlohmann::json::parse(result.out).at("suites");
  ASSERT_EQ(suites.size(), 1u);
  EXPECT_EQ(suites[0]["suite"], "small/tiny");
  EXPECT_EQ(suites[0]["layers"], nlohmann::json({"one", "two"}));
  EXPECT_EQ(suites[0]["matrix"], nlohmann::json::parse(R"({"dtype": ["a", "b"]})"));
  EXPECT_EQ(suites[0]["steps"], 3);
  EXPECT_EQ(suites[0]["source"], "own: tiny");
  EXPECT_EQ(suites[0]["digest"].get<std::string>().size(), 64u);
}

TEST_F(SuiteVerbs, ABadSuiteIsAnInputErrorThatNamesItsPlace) {
  Break();
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"suite", "list"},
                                               {"suite", "validate"},
                                               {"suite", "validate", "small"},
                                               {"suite", "validate", "small/tiny"},
                                               {"rules", "validate", "small"}}) {
    const Result result = Run(verb);
    EXPECT_EQ(result.code, 2) << verb[1];
    EXPECT_THAT(result.out + result.err, HasSubstr("small/suites/tiny.json:3:"));
    EXPECT_THAT(result.out + result.err,
                HasSubstr("/suites/0/layers/0/steps/0/axes/0: expected an axis of the matrix"));
  }
}

TEST_F(SuiteVerbs, ValidateTakesAPackASuiteAFolderAFileOrNothing) {
  for (const std::string& what :
       {std::string("small"), std::string("small/tiny"), std::string("tiny"), std::string("child/tiny"),
        Path("packs/small"), Path("packs/small/suites/tiny.json")}) {
    const Result result = Run({"suite", "validate", what});
    EXPECT_EQ(result.code, 0) << what << result.err;
    EXPECT_THAT(result.out, HasSubstr("ok")) << what;
  }
  const Result all = Run({"suite", "validate"});
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, HasSubstr("ok   small  tiny\n"));
  const Result in = Run({"suite", "validate", "-"}, kSuite);
  EXPECT_EQ(in.code, 0) << in.err;
}

TEST_F(SuiteVerbs, ValidateOfWhatIsNotThereIsANegativeAnswer) {
  const Result result = Run({"suite", "validate", "smal"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("there is no pack, suite or file \"smal\"; did you mean \"small\"?"));
  EXPECT_EQ(Run({"suite", "validate", "smal/tiny"}).code, 1);
  EXPECT_THAT(Run({"suite", "validate", "small/tinny"}).err, HasSubstr("did you mean \"small/tiny\"?"));
}

TEST_F(SuiteVerbs, ValidateAsJsonHasEveryProblem) {
  Break();
  const Result result = Run({"suite", "validate", "--json"});
  EXPECT_EQ(result.code, 2);
  const auto answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer["valid"], false);
  ASSERT_EQ(answer["checked"].size(), 3u);
  EXPECT_EQ(answer["checked"][1]["what"], "common");
  EXPECT_EQ(answer["checked"][1]["valid"], true);
  const auto& problems = answer["checked"][2]["problems"];
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0]["line"], 2);  // the axis that no step uses any more
  EXPECT_EQ(problems[1]["line"], 3);
  EXPECT_EQ(problems[1]["pointer"], "/suites/0/layers/0/steps/0/axes/0");
}

TEST_F(SuiteVerbs, AFileThatIsNoManifestIsToldOf) {
  dir_.Write("bad.json", "{");
  const Result result = Run({"suite", "validate", Path("bad.json")});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, HasSubstr("bad.json:1:"));
}

TEST_F(SuiteVerbs, InitWritesWhatValidates) {
  const Result result = Run({"suite", "init", Path("new"), "--id", "first", "--launcher", "torchrun"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, Path("new/suites/first.json") + "\n");
  EXPECT_EQ(Run({"suite", "validate", Path("new/suites/first.json")}).code, 0);
  EXPECT_EQ(Run({"suite", "validate", Path("new")}).code, 0);
}

TEST_F(SuiteVerbs, InitInAFolderOfPacksTestsTheProjectAroundIt) {
  dir_.Write("demo/.git/config", "");
  dir_.Write("demo/rules/packs/other/pack.json", R"({"name": "other", "title": "O"})");
  ASSERT_EQ(Run({"suite", "init", Path("demo/rules/packs/mine"), "--launcher", "plain"}).code, 0);
  std::ifstream file(Path("demo/rules/packs/mine/suites/my-suite.json"));
  const auto suite = nlohmann::json::parse(file)["suites"][0];
  EXPECT_EQ(suite["source"], nlohmann::json({{"path", Path("demo")}}));
  // It has no tests yet: an example stands in their place, also where there are ranks.
  EXPECT_EQ(suite["layers"][1]["steps"][0]["id"], "example");
  EXPECT_FALSE(suite.contains("requires"));
  EXPECT_EQ(suite["layers"][2]["steps"][0]["reports"][0]["format"], "markers");
}

TEST_F(SuiteVerbs, RanksRunTheTestsThatAreThere) {
  dir_.Write("demo/test/test_x.py", "");
  ASSERT_EQ(Run({"suite", "init", Path("demo"), "--launcher", "plain", "--id", "one"}).code, 0);
  const auto ranked = [&](const std::string& id) {
    std::ifstream file(Path("demo/packs/demo/suites/" + id + ".json"));
    return nlohmann::json::parse(file)["suites"][0]["layers"][2]["steps"][0]["run"].back();
  };
  EXPECT_EQ(ranked("one"), "test");
  dir_.Write("demo/test/distributed/test_y.py", "");
  ASSERT_EQ(Run({"suite", "init", Path("demo"), "--launcher", "plain", "--id", "two"}).code, 0);
  EXPECT_EQ(ranked("two"), "test/distributed");
}

TEST_F(SuiteVerbs, ValidateOfAFileSaysWhatIsMissingInLayersAndSteps) {
  std::string text = kSuite;
  text.replace(
      text.find("\"steps\": [{"), 11,
      R"("requires": [{"tool": "no-tool-of-the-layer"}], "steps": [{"requires": [{"variable": "NOT_SET_HERE"}], )");
  dir_.Write("alone.json", text);
  const Result result =
      RunCommandLine({"suite", "validate", Path("alone.json")}, "", {{"PATH", "/usr/bin:/bin"}, {"NOT_SET_HERE", "1"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs the program \"no-tool-of-the-layer\""));
  // Nothing of the caller's environment reaches a run, unless the suite passes it.
  EXPECT_THAT(result.out, HasSubstr("not here: tiny needs the variable \"NOT_SET_HERE\""));
}

TEST_F(SuiteVerbs, ValidateNamesModulesThatCommandsCantDoWithout) {
  dir_.Write("fake/python",
             "#!/bin/sh\necho\necho 'yard-probe {\"python\": \"3.11.2\", \"modules\": "
             "{\"pytest\": [true, \"7.2\", \"\"], \"xdist\": [false, \"\", \"\"]}}'\n");
  std::filesystem::permissions(Path("fake/python"), std::filesystem::perms::owner_all);
  dir_.Write("alone.json", R"({"suites": [{"id": "s", "title": "S", "source": {"repository": "github:o/r"},
      "environment": {"interpreter": ")" +
                               Path("fake/python") + R"("},
      "layers": [{"id": "unit", "kind": "correctness", "steps": [{"id": "fast",
        "run": ["${PYTHON}", "-m", "pytest", "-n", "auto"]}]}]}]})");
  const Result result = RunCommandLine({"suite", "validate", Path("alone.json")}, "", {{"PATH", "/usr/bin:/bin"}});
  EXPECT_THAT(result.out, HasSubstr("not here: s needs the module \"xdist\": Python has no module xdist; in the step "
                                    "fast pytest is called with -n"))
      << result.out << result.err;
}

TEST_F(SuiteVerbs, InitMakesAPackOfAPlainFolder) {
  const Result result = Run({"suite", "init", Path("packs/my-pack"), "--id", "first"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("test run my-pack/first --local"));
  EXPECT_THAT(Run({"suite", "list"}).out, HasSubstr("my-pack/first"));
  ASSERT_EQ(Run({"suite", "init", Path("packs/my-pack"), "--id", "second"}).code, 0);
  EXPECT_EQ(Run({"suite", "init", Path("packs/My Pack")}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "packs/My Pack"));
}

TEST_F(SuiteVerbs, InitInAPackGoesBelowItsSuites) {
  ASSERT_EQ(Run({"suite", "init", Path("packs/common")}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(dir_.path() / "packs/common/suites/my-suite.json"));
  EXPECT_THAT(Run({"suite", "list"}).out, HasSubstr("common/my-suite"));
}

TEST_F(SuiteVerbs, InitNeverReplacesAFile) {
  const Result result = Run({"suite", "init", Path("packs/small"), "--id", "tiny"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("is there already"));
  std::ifstream file(dir_.path() / "packs/small/suites/tiny.json");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), kSuite);
}

TEST_F(SuiteVerbs, InitToStdoutIsTheManifestAlone) {
  const Result result = Run({"suite", "init", "--stdout", "--id", "x"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(nlohmann::json::parse(result.out)["suites"][0]["id"], "x");
}

TEST_F(SuiteVerbs, InitRefusesWhatMakesNoSense) {
  EXPECT_EQ(Run({"suite", "init"}).code, 2);
  EXPECT_EQ(Run({"suite", "init", Path("new"), "--stdout"}).code, 2);
  EXPECT_EQ(Run({"suite", "init", "--stdout", "--launcher", "ssh"}).code, 2);
  const Result id = Run({"suite", "init", Path("new"), "--id", "../x"});
  EXPECT_EQ(id.code, 2);
  EXPECT_THAT(id.err, HasSubstr("--id: "));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "new"));
}

TEST_F(SuiteVerbs, TheVerbsAreInHelpAndCompletion) {
  EXPECT_THAT(Run({"suite", "--help"}).out, HasSubstr("validate"));
  EXPECT_THAT(Run({"completion", "bash"}).out, HasSubstr("suite validate"));
}

}  // namespace
}  // namespace yardmaster::cli
