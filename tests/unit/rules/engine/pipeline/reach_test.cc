#include "rules/engine/pipeline/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/pack/pack_loader.h"

namespace yardmaster::rules {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Files in memory; remembers in how many rounds they were asked for.
class SmallTree final : public ReviewTree {
 public:
  explicit SmallTree(const std::map<std::string, std::string>& files) : files_(files) {
    for (const auto& [path, text] : files) paths_.push_back(path);
  }
  const std::vector<std::string>& Paths(TreeSide) override { return paths_; }
  void Prefetch(TreeSide, const std::vector<std::string>&) override { ++rounds; }
  std::optional<std::string> Read(TreeSide, const std::string& path) override {
    const auto file = files_.find(path);
    return file == files_.end() ? std::nullopt : std::optional(file->second);
  }
  int rounds = 0;

 private:
  const std::map<std::string, std::string> files_;
  std::vector<std::string> paths_;
};

// A package with a test: `test` is its text.
std::map<std::string, std::string> Package(const std::string& test) {
  return {{"hp/__init__.py", "from hp.core import mesh\n"},
          {"hp/core/__init__.py", ""},
          {"hp/core/mesh.py", "import os\n"},
          {"hp/core/ring.py", "def run():\n    from hp.core.lazy import go\n    return go()\n"},
          {"hp/core/lazy.py", "def go():\n    return 1\n"},
          {"hp/other.py", ""},
          {"tests/conftest.py", "import hp.fixtures\n"},
          {"hp/fixtures.py", ""},
          {"tests/ut/test_ring.py", test},
          {"tests/ut/worker.py", "import hp.other\n"},
          {"tools/gen.py", ""}};
}

std::string why;  // of the last question

std::vector<std::string> Reached(const std::map<std::string, std::string>& files,
                                 const std::string& test = "tests/ut/test_ring.py") {
  SmallTree tree(files);
  const auto reached = ReachOf(tree, test, why);
  EXPECT_EQ(reached.has_value(), why.empty()) << why;
  return reached.value_or(std::vector<std::string>());
}
std::string Unknown(const std::string& test) {
  EXPECT_THAT(Reached(Package(test)), IsEmpty()) << test;
  return why;
}

TEST(Reach, ImportsAreFollowedWhereverTheyStand) {
  EXPECT_THAT(Reached(Package("import hp.core.ring\n")),
              ElementsAre("hp/__init__.py", "hp/core/__init__.py", "hp/core/lazy.py", "hp/core/mesh.py",
                          "hp/core/ring.py", "hp/fixtures.py", "tests/conftest.py", "tests/ut/test_ring.py"));
  const std::string hidden =
      "def test_it():\n    try:\n        from hp import other\n    except ImportError:\n        pass\n";
  EXPECT_THAT(Reached(Package(hidden)), Contains("hp/other.py"));
  EXPECT_THAT(Reached(Package("")), Not(Contains("hp/other.py")));
}

TEST(Reach, OnlyTheConftestsAroundTheTestCount) {
  std::map<std::string, std::string> files = Package("");
  files["tests/st/conftest.py"] = "import hp.other\n";
  EXPECT_THAT(Reached(files), ElementsAre("hp/__init__.py", "hp/core/__init__.py", "hp/core/mesh.py", "hp/fixtures.py",
                                          "tests/conftest.py", "tests/ut/test_ring.py"));
  files["conftest.py"] = "import hp.other\n";
  EXPECT_THAT(Reached(files), Contains("hp/other.py"));
}

TEST(Reach, AModuleThatIsNamedAtRunTimeMakesItUnknown) {
  EXPECT_THAT(Unknown("import importlib\nm = importlib.import_module(name)\n"), HasSubstr("made at run time"));
  EXPECT_THAT(Unknown("from importlib import import_module as load\nm = load(f'hp.{x}')\n"),
              HasSubstr("made at run time"));
  EXPECT_THAT(Unknown("m = __import__(name)\n"), HasSubstr("calls __import__"));
  EXPECT_THAT(Unknown("import runpy\nrunpy.run_path(p)\n"), HasSubstr("calls run_path"));
  EXPECT_THAT(Unknown("exec(code)\n"), HasSubstr("calls exec"));
  EXPECT_THAT(Unknown("import pkgutil\nfor m in pkgutil.walk_packages(p):\n    pass\n"), HasSubstr("walk_packages"));
  EXPECT_THAT(Unknown("pytest_plugins = ['hp.plugin']\n"), HasSubstr("plugins"));
  // In whatever is reached, too.
  std::map<std::string, std::string> files = Package("import hp.other\n");
  files["hp/other.py"] = "import importlib\nimportlib.import_module(name)\n";
  EXPECT_THAT(Reached(files), IsEmpty());
  EXPECT_THAT(why, HasSubstr("hp/other.py calls import_module"));
}

TEST(Reach, AModuleThatIsWrittenOutIsAnImport) {
  EXPECT_THAT(Reached(Package("import importlib\nm = importlib.import_module('hp.other')\n")), Contains("hp/other.py"));
  EXPECT_THAT(Reached(Package("m = __import__(\"hp.other\")\n")), Contains("hp/other.py"));
  // A method of that name is somebody's own.
  EXPECT_THAT(Reached(Package("session.exec('import hp.other')\n")), Not(IsEmpty()));
}

TEST(Reach, AProgramThatATestStartsMustBeKnown) {
  EXPECT_THAT(Reached(Package("import subprocess\nsubprocess.run(['torchrun', 'worker.py'])\n")),
              ::testing::AllOf(Contains("tests/ut/worker.py"), Contains("hp/other.py")));
  EXPECT_THAT(Reached(Package("import os\nos.system('python tools/gen.py')\n")), Contains("tools/gen.py"));
  EXPECT_THAT(Unknown("import subprocess\nsubprocess.run(['bash', 'run.sh'])\n"), HasSubstr("script of the shell"));
  EXPECT_THAT(Unknown("import subprocess\nsubprocess.run(command)\n"), HasSubstr("starts a program"));
  EXPECT_THAT(Unknown("import subprocess\nsubprocess.run(f'{here}/worker.py')\n"), HasSubstr("no file of the head"));
  // What a library starts is no source of the project.
  std::map<std::string, std::string> files = Package("import hp.other\n");
  files["hp/other.py"] = "import subprocess\nsubprocess.run(['nvidia-smi'])\n";
  EXPECT_THAT(Reached(files), Contains("hp/other.py"));
}

TEST(Reach, WhatCantBeReadIsUnknown) {
  EXPECT_THAT(Unknown("def broken(:\n"), HasSubstr("not read to its end"));
  EXPECT_THAT(Reached(Package(""), "tests/ut/test_gone.py"), IsEmpty());
  EXPECT_THAT(why, HasSubstr("no Python file of the head"));
  EXPECT_THAT(Reached(Package(""), "hp/core"), IsEmpty());
}

TEST(Reach, ALogMayNameTheFileFromAnotherFolder) {
  EXPECT_THAT(Reached(Package("")), Contains("tests/ut/test_ring.py"));
  EXPECT_THAT(Reached(Package(""), "/home/jenkins/work/tests/ut/test_ring.py"), Contains("tests/ut/test_ring.py"));
  EXPECT_THAT(Reached(Package(""), "ut/test_ring.py"), Contains("tests/ut/test_ring.py"));
  std::map<std::string, std::string> files = Package("");
  files["other/ut/test_ring.py"] = "";
  EXPECT_THAT(Reached(files, "ut/test_ring.py"), IsEmpty()) << "it may be either";
  EXPECT_THAT(Reached(files, "/home/jenkins/tests/ut/test_ring.py"), Contains("tests/ut/test_ring.py"));
}

TEST(Reach, ATreeFetchesByRounds) {
  SmallTree tree(Package("import hp.core.ring\n"));
  ASSERT_TRUE(ReachOf(tree, "tests/ut/test_ring.py", why).has_value());
  EXPECT_LE(tree.rounds, 4) << "one for each step of the longest way";
}

TEST(Reach, ManyFilesAreNotFollowedForEver) {
  std::map<std::string, std::string> files = {{"test_a.py", "import m0\n"}};
  for (size_t i = 0; i <= kMaxReachedFiles; ++i) {
    files["m" + std::to_string(i) + ".py"] = "import m" + std::to_string(i + 1) + "\n";
  }
  EXPECT_THAT(Reached(files, "test_a.py"), IsEmpty());
  EXPECT_THAT(why, HasSubstr("more files than are followed"));
}

class TestsToReachTest : public ::testing::Test {
 protected:
  TestsToReachTest() {
    profile_.inert_files = {"*.md"};
    profile_.build_inputs = {"setup.py"};
    std::string error;
    profile_.log.failures.push_back(
        {"pytest", "", "", Pattern("FAILED (?P<file>[\\w./-]+)::(?P<test>\\S+)", error), false});
    profile_.jenkins.emplace();
    profile_.jenkins->pull_request = Pattern("#(?P<number>\\d+)", error);
    signals_.number = 1;
    PipelineBuild build;
    build.number = 5;
    build.result = "FAILURE";
    build.description = "#1";
    build.console = "FAILED tests/a.py::test_x\nFAILED tests/b.py::test_y\n";
    signals_.builds = {build};
    signals_.files = {"core/a.py", "README.md"};
  }
  PipelineProfile profile_;
  PipelineSignals signals_;
};

TEST_F(TestsToReachTest, WhatFailedIsFollowedWherePythonIsChanged) {
  EXPECT_THAT(TestsToReach(profile_, signals_), ElementsAre("tests/a.py", "tests/b.py"));
}

TEST_F(TestsToReachTest, NothingIsFollowedWhereItDecidesNothing) {
  const auto with = [this](std::vector<std::string> files) {
    signals_.files = std::move(files);
    return TestsToReach(profile_, signals_);
  };
  EXPECT_THAT(with({"README.md"}), IsEmpty()) << "no code";
  EXPECT_THAT(with({"core/a.py", "setup.py"}), IsEmpty()) << "what every test stands on";
  EXPECT_THAT(with({"core/a.py", "core/a.cc"}), IsEmpty()) << "imports do not tell about C++";
  signals_.files.reset();
  EXPECT_THAT(TestsToReach(profile_, signals_), IsEmpty());
  signals_.files = {"core/a.py"};
  signals_.builds->front().description = "#2";
  EXPECT_THAT(TestsToReach(profile_, signals_), IsEmpty()) << "another one's build";
}

}  // namespace
}  // namespace yardmaster::rules
