// `yard review`, run inside the test's process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clients/cli/review_text.h"
#include "tests/unit/clients/cli/command_line.h"
#include "tests/unit/services/review/review_pack.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

const std::string kReturns = "def k():\n    return 1\n";

class ReviewTest : public ::testing::Test {
 protected:
  ReviewTest() : dir_(fs::temp_directory_path() / ("yard-review-" + std::to_string(getpid()))) {
    fs::remove_all(dir_);
    for (const auto& [path, bytes] : testing::ReviewPackFiles()) Write("packs/" + path, bytes);
    variables_["YARD_PACKS"] = (dir_ / "packs").string();
  }
  ~ReviewTest() override { fs::remove_all(dir_); }

  std::string Write(const std::string& name, const std::string& content) const {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::binary) << content;
    return (dir_ / name).string();
  }
  std::string Path(const std::string& name) const { return (dir_ / name).string(); }

  Result Run(const std::vector<std::string>& arguments, const std::string& in = "") const {
    return RunCommandLine(arguments, in, variables_);
  }
  // One message of a host; the answer of the plain one if none is named.
  Result Hook(const std::vector<std::string>& arguments, const Json& message) {
    std::vector<std::string> all = {"review", "hook", "--lang", "en"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return Run(all, message.dump());
  }
  Json Edit(const std::string& path) const {
    return {{"cwd", dir_.string()}, {"tool_name", "Write"}, {"tool_input", {{"file_path", path}}}};
  }

  const fs::path dir_;
  std::map<std::string, std::string> variables_;
};

TEST_F(ReviewTest, OptionsReachTheChecks) {
  Write("packs/lantern/checks/more.json", R"JSON({"checks": [
    {"id": "L9", "title": "no simulator", "severity": "S1", "roles": ["impl"], "each": "file",
     "when": {"option": {"npu": "yes"}}, "message": "seen", "bad": [{"files": {"demo_impl.py": ""}, "options": {"npu": "yes"}}],
     "good": [{"files": {"demo_impl.py": ""}, "skipped": true}]}]})JSON");
  const std::string file = Write("demo/demo_impl.py", "x = 1\n");
  EXPECT_EQ(Run({"review", "file", file}).code, 0);
  EXPECT_THAT(Run({"review", "file", file, "--option", "npu=yes"}).out, HasSubstr("L9"));
  EXPECT_THAT(Run({"review", "tree", Path("demo"), "--gate", "stage", "--option", "npu=yes"}).out, HasSubstr("L9"));
  EXPECT_EQ(Run({"review", "file", file, "--option", "npu=no"}).code, 0);
  for (const char* wrong : {"npu", "=yes", "partial=yes", "phase=M1"}) {
    const Result result = Run({"review", "file", file, "--option", wrong});
    EXPECT_EQ(result.code, 2) << wrong;
    EXPECT_THAT(result.err, HasSubstr("--option")) << wrong;
  }
}

TEST_F(ReviewTest, ATreeIsReviewedAtTheStageOfItsStateFile) {
  Write("demo/demo_impl.py", "print(1)\n");  // L2, stage 5
  Write("demo/state.json", R"({"stage": 6})");
  EXPECT_THAT(Run({"review", "tree", Path("demo")}).out, Not(HasSubstr("L2")));
  EXPECT_THAT(Run({"review", "tree", Path("demo"), "--stage", "5"}).out, HasSubstr("L2"));
}

TEST_F(ReviewTest, AStageThatNoCheckIsForIsRefused) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  const Result result = Run({"review", "file", file, "--stage", "9"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no stage 9; the checks are for 5"));
  EXPECT_EQ(Run({"review", "file", file, "--stage", "5"}).code, 1);
}

TEST_F(ReviewTest, AFileThatNoCheckIsAboutSaysWhatWouldMakeItKnown) {
  const std::string file = Write("demo/notes.py", kReturns);
  const Result result = Run({"review", "file", file});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("--role says what it is: golden, test, impl"));
  EXPECT_THAT(Run({"review", "file", file, "--role", "impl"}).err, Not(HasSubstr("--role")));
}

TEST_F(ReviewTest, StdinIsAFileWithAName) {
  for (const std::vector<std::string>& said :
       {std::vector<std::string>{"--name", "demo_impl.py"}, std::vector<std::string>{"--role", "impl"}}) {
    std::vector<std::string> arguments = {"review", "file", "-"};
    arguments.insert(arguments.end(), said.begin(), said.end());
    const Result result = Run(arguments, kReturns);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_THAT(result.out, HasSubstr("return 1")) << result.out;
  }
  EXPECT_THAT(Run({"review", "file", "-"}, kReturns).err, HasSubstr("--name FILE or --role"));
  EXPECT_EQ(Run({"review", "file", "-", "--name", "demo_impl.py", "--fix"}, kReturns).code, 2);
}

TEST_F(ReviewTest, JunitIsAFormatToo) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  EXPECT_THAT(Run({"review", "file", file, "--format", "junit"}).out, HasSubstr("<failure type=\"block\""));
}

TEST_F(ReviewTest, TextShowsTheLineAndACaret) {
  const std::string file = Write("demo/demo_impl.py", "def k():\n\treturn 'ü'  # x\n");
  const Result result = Run({"review", "file", file});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, StartsWith(file + ":2:2: block L1 (S0): `k` returns\n" +
                                     "   2 |  return 'ü'  # x\n"
                                     "     |  ^~~~~~~~~~\n"
                                     "     = Drop it.\n"));
  EXPECT_THAT(result.out, HasSubstr("1 file: 1 block, 0 major, 0 minor, 0 info"));
  EXPECT_THAT(result.err, HasSubstr("lantern"));
}

TEST_F(ReviewTest, NothingFoundIsCodeZero) {
  const Result result = Run({"review", "file", Write("demo/demo_impl.py", "def k(): pass\n")});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("1 file: nothing found"));
}

TEST_F(ReviewTest, JsonIsOneDocumentOfTheContract) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  const Result result = Run({"review", "file", file, "--json", "--quiet"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["packs"], Json({"lantern"}));
  EXPECT_EQ(json["profile"], "relaxed");
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["path"], file);
  EXPECT_EQ(json["findings"][0]["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_EQ(json["summary"]["block"], 1);
  EXPECT_EQ(Run({"review", "file", file, "--format", "json", "--quiet"}).code, 1);
}

TEST_F(ReviewTest, SarifAndBlockAreFormatsToo) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  const Json sarif = Json::parse(Run({"review", "file", file, "--format", "sarif"}).out);
  EXPECT_EQ(sarif["version"], "2.1.0");
  EXPECT_EQ(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"], "L1");
  EXPECT_EQ(Run({"review", "file", file, "--format", "block"}).out,
            "[lantern] blocked:\n[L1][S0] " + file +
                ":2 `k` returns\nblocking_rules: L1\nfix_hints:\n- L1: Drop it.\nMend it.\n");
  EXPECT_THAT(Run({"review", "file", file, "--format", "block", "--lang", "zh"}).out, StartsWith("[lantern] 未通过："));
}

TEST_F(ReviewTest, GithubGetsOneLineForEachFinding) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  const Result result = Run({"review", "file", file, "--format", "github"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, StartsWith("::error file=" + file + ",line=2,"));
  EXPECT_THAT(result.out, HasSubstr(",title=L1::`k` returns%0ADrop it.\n"));
}

TEST_F(ReviewTest, TreeTellsPathsRelativeToItsFolderOperatorByOperator) {
  Write("tree/a/a_impl.py", kReturns);
  Write("tree/b/b_impl.py", "print(1)\n");
  Write("tree/b/b_golden.py", "def other(): pass\n");
  Write("tree/.git/x_impl.py", kReturns);
  const Json json = Json::parse(Run({"review", "tree", Path("tree"), "--json", "--jobs", "3"}).out);
  std::vector<std::string> told;
  for (const Json& finding : json["findings"])
    told.push_back(finding["rule_id"].get<std::string>() + " " + finding["path"].get<std::string>());
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("L1 a/a_impl.py", "L2 b/b_impl.py", "L3 b/b_impl.py"));
  EXPECT_EQ(json["summary"]["files"], 3);
  // The folder itself, too: a kernel without a golden is no case for L3.
  Write("alone/a_impl.py", "def k(): pass\n");
  const Json alone = Json::parse(Run({"review", "tree", Path("alone"), "--json"}).out);
  ASSERT_EQ(alone["skipped"].size(), 1u);
  EXPECT_EQ(alone["skipped"][0]["path"], ".");
}

TEST_F(ReviewTest, SeveralTreesAreToldTogetherWithTheirFolders) {
  const std::string a = Path("tree/a");
  const std::string b = Path("tree/b");
  Write("tree/a/a_impl.py", kReturns);
  Write("tree/b/b_impl.py", kReturns);
  Write("tree/c/c_impl.py", kReturns);
  const Result result = Run({"review", "tree", b + "/", a, "--json"});
  EXPECT_EQ(result.code, 1);
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][0]["path"], a + "/a_impl.py");
  EXPECT_EQ(json["findings"][1]["path"], b + "/b_impl.py");
  EXPECT_EQ(json["summary"]["files"], 2);
  EXPECT_EQ(json["skipped"][0]["path"], b);
  EXPECT_THAT(Run({"review", "tree", a, b}).out, HasSubstr("return 1")) << "with the source line";
  const std::string old = Write("old.json", result.out);
  EXPECT_EQ(Run({"review", "tree", a, b, "--baseline", old}).code, 0);
}

TEST_F(ReviewTest, SeveralTreesMustLieBesideEachOther) {
  Write("tree/a/a_impl.py", kReturns);
  Write("other/b_impl.py", kReturns);
  EXPECT_THAT(Run({"review", "tree", Path("tree/a"), Path("tree")}).err, HasSubstr("lies in"));
  EXPECT_EQ(Run({"review", "tree", Path("tree"), Path("tree")}).code, 2);
  EXPECT_EQ(Run({"review", "tree", Path("tree"), Path("other"), "--gate", "phase", "--phase", "M1"}).code, 2);
  EXPECT_EQ(Run({"review", "tree", Path("tree"), Path("other"), "--watch"}).code, 2);
  EXPECT_EQ(Run({"review", "tree", Path("tree"), Path("absent")}).code, 2);
}

TEST_F(ReviewTest, SkippedChecksAreToldWhereAskedFor) {
  Write("alone/a_impl.py", "def k(): pass\n");
  const Result plain = Run({"review", "tree", Path("alone")});
  EXPECT_THAT(plain.out, HasSubstr("; 1 check skipped;"));
  EXPECT_THAT(plain.out, Not(HasSubstr("needs golden")));
  EXPECT_THAT(Run({"review", "tree", Path("alone"), "--skipped"}).out, HasSubstr("skipped .: needs golden (L3)\n"));
  EXPECT_THAT(Run({"review", "tree", Path("alone"), "--skipped", "--lang", "zh"}).out,
              HasSubstr("已跳过 .: 缺少 golden (L3)\n"));
  EXPECT_THAT(Run({"review", "file", Path("alone/a_impl.py"), "--rule", "L1", "--skipped"}).out,
              Not(HasSubstr("skipped")));
}

TEST_F(ReviewTest, ARoleReviewsAnyFileNameAndWholeTrees) {
  const std::string file = Write("tree/kernel.py", kReturns);
  EXPECT_EQ(Run({"review", "file", file}).code, 0);
  EXPECT_EQ(Run({"review", "file", file, "--role", "impl"}).code, 1);
  EXPECT_EQ(Run({"review", "tree", Path("tree")}).code, 0);
  EXPECT_EQ(Run({"review", "tree", Path("tree"), "--role", "impl"}).code, 1);
  EXPECT_EQ(Run({"review", "file", file, "--role", "queen"}).code, 2);
}

TEST_F(ReviewTest, FailOnAndBaselineDecideTheExitCode) {
  const std::string file = Write("demo/demo_impl.py", "print(1)\n");
  EXPECT_EQ(Run({"review", "file", file}).code, 0);
  EXPECT_EQ(Run({"review", "file", file, "--fail-on", "minor"}).code, 1);
  const std::string baseline = Write("baseline.json", Run({"review", "file", file, "--json"}).out);
  EXPECT_EQ(Run({"review", "file", file, "--fail-on", "minor", "--baseline", baseline}).code, 0);
  Write("demo/demo_impl.py", "\nprint(1)\nprint(2)\n");
  const Result result = Run({"review", "file", file, "--fail-on", "minor", "--baseline", baseline, "--json"});
  EXPECT_EQ(result.code, 1);
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["findings"].size(), 2u);
  EXPECT_EQ(json["findings"][0]["status"], "still");
  EXPECT_EQ(json["findings"][1]["status"], "new");
  EXPECT_EQ(Run({"review", "file", file, "--baseline", Write("bad.json", "{")}).code, 2);
}

TEST_F(ReviewTest, FixCarriesOutWhatCanBeAndTellsWhatIsLeft) {
  Write("fixer/pack.json", R"({"name": "fixer", "title": "Edits"})");
  Write("fixer/checks/checks.json", R"JSON({"checks": [
    {"id": "F1", "title": "no print", "severity": "S0", "languages": ["python"], "each": "call", "where": {"name": "print"},
     "message": "print", "fix": "log", "edit": {"replace": "row", "with": "log({arg.0.text})"},
     "bad": ["print(1)"], "good": ["log(1)"]},
    {"id": "F2", "title": "no eval", "severity": "S0", "languages": ["python"], "each": "call", "where": {"name": "eval"},
     "message": "eval", "fix": "Do without.", "bad": ["eval(1)"], "good": ["log(1)"]}]})JSON");
  const std::string file = Write("tools/run.py", "print(print(1)); print('ü', 2)\n");
  fs::permissions(file, fs::perms::owner_all);
  const std::vector<std::string> command = {"review", "file", file, "--pack", Path("fixer"), "--fix"};
  Result result = Run(command);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, StartsWith("1 file: nothing found"));
  EXPECT_THAT(result.err, HasSubstr("fixed 3 findings")) << "one of them with a second round";
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "log(log(1)); log('ü')");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_all);

  Write("tools/run.py", "print(eval(x))\n");
  result = Run(command);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, StartsWith(file + ":1:5: block F2"));
  EXPECT_THAT(result.err, HasSubstr("fixed 1 finding"));
  result = Run(command);
  EXPECT_THAT(result.err, HasSubstr("fixed 0 findings"));
}

TEST_F(ReviewTest, PathsAreToldAsTheyWereGiven) {
  const std::string absolute = Write("demo/a_impl.py", kReturns);
  const std::string relative = fs::relative(Write("demo/b_impl.py", kReturns)).string();
  const Json json = Json::parse(Run({"review", "file", absolute, relative, "--json"}).out);
  ASSERT_EQ(json["findings"].size(), 2u);
  std::vector<std::string> paths = {json["findings"][0]["path"], json["findings"][1]["path"]};
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre(absolute, relative));
}

TEST_F(ReviewTest, WrongArgumentsAreUsageErrors) {
  EXPECT_EQ(Run({"review", "file"}).code, 2);
  EXPECT_EQ(Run({"review"}).code, 2);
  EXPECT_EQ(Run({"review", "file", Path("absent_impl.py")}).code, 2);
  EXPECT_EQ(Run({"review", "tree", Path("absent")}).code, 2);
  const std::string file = Write("demo/demo_impl.py", "");
  EXPECT_EQ(Run({"review", "tree", file}).code, 2);
  EXPECT_EQ(Run({"review", "file", Path("demo")}).code, 2);
  EXPECT_EQ(Run({"review", "file", file, "--format", "xml"}).code, 2);
  EXPECT_EQ(Run({"review", "file", file, "--profile", "lax"}).code, 2);
  EXPECT_EQ(Run({"review", "file", file, "--json", "--format", "sarif"}).code, 2) << "--json is --format json";
  EXPECT_EQ(Run({"review", "file", file, "--pack", "nobody"}).code, 1);
  EXPECT_EQ(Run({"review", "file", file, "--rule", "l1"}).code, 0) << "in any letter case";
  EXPECT_EQ(Run({"review", "file", file, "--rule", "L9"}).code, 1);
  EXPECT_EQ(Run({"review", "file", file, "--rule", "L1"}).code, 0);
  EXPECT_EQ(Run({"review", "file", file, "--rule", "L1", "--gate", "phase"}).code, 2) << "a gate asks for all checks";
  EXPECT_EQ(Run({"review", "tree", Path("demo"), "--phase", "M1"}).code, 2);
}

TEST_F(ReviewTest, AGateIsAskedOverTheOperatorsFolder) {
  Write("demo/demo_impl.py", kReturns);
  Write("demo/demo_golden.py", "def demo_golden(): pass\n");
  Result result = Run({"review", "tree", Path("demo"), "--gate", "phase", "--phase", "M1", "--json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(Json::parse(result.out)["gate"], Json::parse(R"({"id": "phase", "open": false, "phase": "M1"})"));
  Write("demo/demo_impl.py", "def k(): pass\n");
  result = Run({"review", "tree", Path("demo"), "--gate", "phase"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("gate phase open"));
}

TEST_F(ReviewTest, ChecksAreListedAndShown) {
  const Result list = Run({"review", "--list-checks"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("no return"));
  const Json json = Json::parse(Run({"review", "--list-checks", "--json"}).out);
  EXPECT_EQ(json["checks"].size(), 8u);
  EXPECT_EQ(json["checks"][0]["rule_id"], "L1");
  const Result show = Run({"rules", "show", "L1"});
  EXPECT_EQ(show.code, 0);
  EXPECT_THAT(show.out, HasSubstr("check L1"));
  EXPECT_THAT(show.out, HasSubstr("lantern/checks/checks.json:"));
}

TEST_F(ReviewTest, AfterAWriteTheHookAnswersInTheHostsShape) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  const Result plain = Hook({"post-edit"}, Edit(file));
  EXPECT_EQ(plain.code, 1);
  EXPECT_EQ(plain.out,
            "[lantern] blocked:\n[L1][S0] demo/demo_impl.py:2 `k` returns\nblocking_rules: L1\nfix_hints:\n"
            "- L1: Drop it.\nMend it.\n");
  EXPECT_THAT(plain.err, IsEmpty());
  const Result claude = Hook({"post-edit", "--host", "claude"}, Edit("demo/demo_impl.py"));
  EXPECT_EQ(claude.code, 0);
  const Json json = Json::parse(claude.out);
  EXPECT_EQ(json["decision"], "block");
  EXPECT_EQ(json["reason"], plain.out);
  EXPECT_THAT(json["hookSpecificOutput"]["additionalContext"].get<std::string>(), StartsWith(plain.out));
  const Result context = Hook({"post-edit", "--host", "opencode", "--deliver", "context"}, Edit(file));
  EXPECT_EQ(Json::parse(context.out)["hookSpecificOutput"]["decision"], "allow");

  variables_["YARD_HOOK_INPUT"] = Edit(file).dump();
  EXPECT_EQ(Run({"review", "hook", "post-edit"}).code, 1);
}

TEST_F(ReviewTest, AHookIsSilentAboutWhatIsNoneOfOurs) {
  const std::vector<Json> messages = {Edit(Write("notes.txt", "x")), Edit(Write("x/test_alone.py", "x")),
                                      Edit(Path("absent_impl.py")), Edit(Write("demo/demo_impl.py", "def k(): pass\n")),
                                      Json{{"tool_name", "Read"}}};
  for (const Json& message : messages) {
    for (const char* host : {"plain", "claude", "opencode"}) {
      const Result result = Hook({"post-edit", "--host", host}, message);
      EXPECT_EQ(result.code, 0) << result.err;
      EXPECT_THAT(result.out, IsEmpty());
    }
  }
  EXPECT_FALSE(fs::exists(Path("demo/.yardmaster")));
  EXPECT_EQ(Run({"review", "hook", "post-edit"}, "no json").code, 2);
  EXPECT_EQ(Run({"review", "hook", "sideways"}, "{}").code, 2);
}

TEST_F(ReviewTest, TheSameFindingFiveTimesInARowTripsTheBreaker) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  for (int i = 0; i < 4; ++i) EXPECT_THAT(Hook({"post-edit"}, Edit(file)).out, Not(HasSubstr("escalating")));
  EXPECT_THAT(Hook({"post-edit"}, Edit(file)).out,
              HasSubstr("lint not resolvable, escalating: L1 fired 5x consecutively at demo_impl.py:2"));
  Write("demo/demo_impl.py", "\n" + kReturns);
  EXPECT_THAT(Hook({"post-edit"}, Edit(file)).out, Not(HasSubstr("escalating")));
  EXPECT_TRUE(fs::exists(Path("demo/.yardmaster/state.json")));
}

TEST_F(ReviewTest, BeforeAWriteGuardsAreAsked) {
  Write("demo/demo_impl.py", kReturns);
  Write("demo/state.json", R"({"stage": 2})");
  const std::string spec = Write("demo/SPEC.md", "# spec\n");
  EXPECT_EQ(Hook({"pre-edit"}, Edit(Path("demo/demo_impl.py"))).code, 0);
  const Json denied = Json::parse(Hook({"pre-edit", "--host", "claude"}, Edit(Path("demo/state.json"))).out);
  EXPECT_EQ(denied["hookSpecificOutput"]["permissionDecision"], "deny");
  EXPECT_EQ(Hook({"pre-edit"}, Edit(spec)).code, 1);
  Write("demo/state.json", R"({"stage": 1})");
  EXPECT_EQ(Hook({"pre-edit"}, Edit(spec)).code, 0);
}

TEST_F(ReviewTest, ShellCommandsThatWriteAnOperatorsFilesAreRefused) {
  Write("demo/demo_impl.py", "def k(): pass\n");
  const auto shell = [&](const std::string& command) {
    return Json{{"cwd", Path("demo")}, {"tool_name", "Bash"}, {"tool_input", {{"command", command}}}};
  };
  EXPECT_EQ(Hook({"post-shell"}, shell("python3 test_demo.py > log.txt")).code, 0);
  EXPECT_EQ(Hook({"post-shell"}, shell("echo x > demo_impl.py")).code, 1);
  EXPECT_EQ(Hook({"pre-shell"}, shell("sed -i s/a/b/ new_impl.py")).code, 1);
  EXPECT_THAT(Hook({"post-shell"}, shell("rm state.json")).out, HasSubstr("belongs to its tool"));
}

TEST_F(ReviewTest, TheVerdictOnATestIsGivenInEachHostsShape) {
  Write("demo/demo_impl.py", "def k(): pass\n");
  Write("demo/test_demo.py", "pass\n");
  Write("demo/state.json", R"({"stage": 5, "phases": {"active": "M2", "M2": {"status": "in_debug"}}})");
  const auto ran = [&](const std::string& output, int code,
                       const std::string& command = "cd demo && python3 test_demo.py") {
    return Json{{"cwd", dir_.string()},
                {"tool_name", "Bash"},
                {"tool_input", {{"command", command}}},
                {"tool_response", {{"stdout", output}, {"exit_code", code}}}};
  };
  const std::string state = "state: stage 5, phase M2, status in_debug\n";
  const std::string wrong = "[lantern] wrong: demo/test_demo.py (exit code 1)\n" + state + "next: debug\n";
  const Result plain = Hook({"post-shell"}, ran("x\n[BAD]\n[GOOD]\n", 1));
  EXPECT_EQ(plain.code, 1);
  EXPECT_EQ(plain.out, wrong);
  EXPECT_THAT(plain.err, IsEmpty());
  const Result right = Hook({"post-shell"}, ran("[GOOD]", 0));
  EXPECT_EQ(right.code, 0);
  EXPECT_EQ(right.out, "[lantern] right: demo/test_demo.py\n" + state + "next: go on\n");
  EXPECT_THAT(Hook({"post-shell"}, ran("Traceback", 1)).out, StartsWith("[lantern] dead: "));
  EXPECT_THAT(Hook({"post-shell"}, ran("", 0)).out, StartsWith("[lantern] silent: "));
  EXPECT_THAT(Run({"review", "hook", "post-shell", "--lang", "zh"}, ran("[BAD]", 1).dump()).out,
              HasSubstr("下一步：调试"));

  // As an error of the tool, and as context of one that succeeded.
  Json answer = Json::parse(Hook({"post-shell", "--host", "claude"}, ran("[BAD]", 1)).out);
  EXPECT_EQ(answer["decision"], "block");
  EXPECT_EQ(answer["reason"], wrong);
  EXPECT_EQ(answer["hookSpecificOutput"]["additionalContext"], wrong);
  answer = Json::parse(Hook({"post-shell", "--host", "claude", "--deliver", "context"}, ran("[BAD]", 1)).out);
  EXPECT_FALSE(answer.contains("decision"));
  EXPECT_EQ(answer["hookSpecificOutput"]["additionalContext"], wrong);
  answer = Json::parse(Hook({"post-shell", "--host", "opencode"}, ran("[BAD]", 1)).out);
  EXPECT_EQ(answer["hookSpecificOutput"]["decision"], "block");
  EXPECT_EQ(answer["hookSpecificOutput"]["reason"], wrong);
  answer = Json::parse(Hook({"post-shell", "--host", "opencode"}, ran("[GOOD]", 0)).out);
  EXPECT_EQ(answer["hookSpecificOutput"]["decision"], "allow");
  EXPECT_THAT(answer["hookSpecificOutput"]["additionalContext"].get<std::string>(), HasSubstr("next: go on"));
  EXPECT_EQ(Hook({"post-shell", "--deliver", "context"}, ran("[BAD]", 1)).code, 0);

  // Silent where no test ran, or nobody says how it ended; a write is refused beside a verdict.
  EXPECT_THAT(Hook({"post-shell"}, ran("[BAD]", 1, "cat demo/test_demo.py")).out, IsEmpty());
  EXPECT_THAT(Hook({"pre-shell"}, ran("[BAD]", 1)).out, IsEmpty());
  EXPECT_THAT(Hook({"post-shell"}, Json{{"tool_input", {{"command", "python3 test_demo.py"}}}}).out, IsEmpty());
  const Result both = Hook({"post-shell"}, ran("[GOOD]", 0, "python3 demo/test_demo.py > demo/demo_impl.py"));
  EXPECT_EQ(both.code, 1);
  EXPECT_THAT(both.out, HasSubstr("G2"));
}

TEST_F(ReviewTest, StopIsRefusedWhileSomethingIsOpen) {
  const std::string file = Write("demo/demo_impl.py", kReturns);
  const Json stop = {{"cwd", dir_.string()}};
  EXPECT_EQ(Hook({"stop"}, stop).code, 0) << "nobody has written yet";
  Hook({"post-edit"}, Edit(file));
  const Result claude = Hook({"stop", "--host", "claude"}, stop);
  EXPECT_EQ(claude.code, 0);
  EXPECT_EQ(Json::parse(claude.out)["decision"], "block");
  EXPECT_THAT(Hook({"stop"}, Json{{"cwd", dir_.string()}, {"stop_hook_active", true}}).out, IsEmpty());
  Write("demo/demo_impl.py", "def k(): pass\n");
  EXPECT_EQ(Hook({"stop"}, stop).code, 0);
}

TEST(SourceExcerpt, CountsCodePointsAndShowsWideCharactersAndLongLines) {
  rules::Finding finding;
  finding.line = 1;
  finding.column = 3;
  finding.end_line = 1;
  finding.end_column = 5;
  EXPECT_EQ(SourceExcerpt("中文ab cd", finding, {}), "   1 | 中文ab cd\n     |     ^~\n");
  finding.column = 501;
  finding.end_column = 503;
  const std::string excerpt = SourceExcerpt(std::string(1000, 'x'), finding, {});
  EXPECT_LT(excerpt.size(), 600u);
  EXPECT_THAT(excerpt, HasSubstr("^~\n"));
  finding.line = 9;
  EXPECT_EQ(SourceExcerpt("one line", finding, {}), "");
  finding.line = 1;
  finding.column = 1;
  finding.end_line = 3;
  finding.end_column = 2;
  EXPECT_EQ(SourceExcerpt("ab\nc\nd\x1b", finding, {}), "   1 | ab\n     | ^~\n");
}

}  // namespace
}  // namespace yardmaster::cli
