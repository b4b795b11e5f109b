// The snippets of deploy/ci.md, played by a shell as a CI would, against a daemon with a worker. The suites have the
// names that the page says and are small ones of this test; no runner here has an NPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>

#include "tests/integration/dispatch_fixture.h"
#include "tests/support/process.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CiSnippetsTest : public DispatchTest {
 protected:
  void SetUp() override {
    Suite("pypto", "ut-py", R"("cpu")");
    Suite("hyper-parallel", "torch-st", R"("npu")");
    Suite("yardmaster", "kernels", R"("cpu")");
    dir_.Write("tree/marker.txt", "the uploaded tree\n");
    DispatchTest::SetUp();
  }
  void Suite(const std::string& pack, const std::string& id, const std::string& devices,
             const std::string& shell = "cat marker.txt") {
    dir_.Write("packs/" + pack + "/pack.json", R"({"name": ")" + pack + R"(", "title": "As the page names it"})");
    dir_.Write("packs/" + pack + "/suites/" + id + ".json", R"({"suites": [{"id": ")" + id + R"(", "title": "Small",
        "source": {"repository": "github:o/r", "ref": "main"}, "devices": {"kind": )" +
                                                                devices + R"(},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "a", "kind": "correctness", "steps": [{"id": "a", "shell": ")" +
                                                                shell + R"("}]}]}]})");
  }
  // What the page writes behind `title`, up to the next heading.
  static std::string Section(const std::string& title) {
    static const std::string kPage = testing::SourceText("deploy/ci.md");
    const size_t at = kPage.find("## " + title + "\n");
    EXPECT_NE(at, std::string::npos) << title;
    return at == std::string::npos ? "" : kPage.substr(at, kPage.find("\n## ", at) - at);
  }
  struct Played {
    int code = -1;
    std::string out;
    std::string err;
  };
  // In the checkout, with the two variables that each snippet sets.
  Played Play(const std::string& command) {
    testing::Process shell({"sh", "-c", "cd \"$1\" && eval \"$2\"", "sh", (dir_.path() / "tree").string(), command},
                           {"PATH=" + kPrograms + ":" + std::getenv("PATH"), "YARD_SERVER=" + address_,
                            "YARD_TOKEN=operator-token-of-tests"});
    const std::optional<int> code = shell.Wait(kPatience);
    return {code.value_or(-1), shell.Stdout(), shell.Stderr()};
  }
  bool Left(const std::string& file) const { return fs::exists(dir_.path() / "tree" / file); }
};

TEST_F(CiSnippetsTest, EachSnippetSetsTheServerAndTheToken) {
  for (const char* title : {"GitHub Actions", "GitCode pipelines", "Jenkins"}) {
    EXPECT_TRUE(RE2::PartialMatch(Section(title), R"(YARD_SERVER( =|:) '?yard\.example\.org:9090)")) << title;
    EXPECT_TRUE(RE2::PartialMatch(Section(title), R"(YARD_TOKEN(: \$\{\{ secrets\.| = credentials\())")) << title;
  }
}

TEST_F(CiSnippetsTest, GitHubsStepLeavesTheFilesThatItsUploadNames) {
  std::string command;
  ASSERT_TRUE(RE2::PartialMatch(Section("GitHub Actions"), R"(\n\s+run: (yard .+)\n)", &command));
  const Played played = Play(command);
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_THAT(played.out, IsEmpty());
  std::string paths;
  ASSERT_TRUE(RE2::PartialMatch(Section("GitHub Actions"), R"(path: \|\n((?:\s{12}\S+\n)+))", &paths));
  std::string file;
  for (re2::StringPiece left(paths); RE2::Consume(&left, R"(\s+(\S+))", &file);) EXPECT_TRUE(Left(file)) << file;
  EXPECT_THAT(ReadAllOf(dir_.path() / "tree" / "result.json"), HasSubstr(R"("verdict")"));
}

TEST_F(CiSnippetsTest, GitcodesStepSaysWhichDevicesNoRunnerHas) {
  std::string command;
  ASSERT_TRUE(RE2::PartialMatch(Section("GitCode pipelines"), R"(run: \|\n\s+(yard .+)\n)", &command));
  const Played played = Play(command);
  EXPECT_EQ(played.code, 4) << played.err;
  EXPECT_THAT(played.out + played.err, HasSubstr("8 more of kind npu"));
  // On a processor it is the same command.
  ASSERT_TRUE(RE2::Replace(&command, R"(--device \S+)", "--device cpu:1"));
  EXPECT_EQ(Play(command).code, 0);
  EXPECT_TRUE(Left("yard-results/result.json"));
}

TEST_F(CiSnippetsTest, JenkinsArchivesWhatItsStageLeaves) {
  std::string command;
  std::string report;
  ASSERT_TRUE(RE2::PartialMatch(Section("Jenkins"), R"(sh '([^']*yard [^']+)')", &command));
  ASSERT_TRUE(RE2::PartialMatch(Section("Jenkins"), R"(testResults: '([^']+)')", &report));
  const Played played = Play(command);
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_TRUE(Left(report));
  // What a build that failed gives its CI.
  Suite("yardmaster", "kernels", R"("cpu")", "exit 3");
  daemon_->process().Signal(SIGHUP);
  EXPECT_TRUE(Until([&] { return Play(command).code == 1; }));
}

TEST_F(CiSnippetsTest, WithoutWaitingTheJobIsAskedForByItsName) {
  std::string commands;
  std::istringstream lines(Section("Without waiting"));
  for (std::string line; std::getline(lines, line);) {
    std::string command;
    // What stands behind two blanks explains it.
    if (RE2::PartialMatch(line, R"(^ {4}(\S.*?)(?: {2,}.*)?$)", &command)) commands += command + " || exit 9; ";
  }
  // The first names a suite of the pack and no tree; the checkout is this one.
  ASSERT_TRUE(RE2::Replace(&commands, "--detach", "--source . --detach"));
  const Played played = Play(commands);
  EXPECT_EQ(played.code, 0) << commands << played.err;
  EXPECT_THAT(played.out, HasSubstr("the uploaded tree"));
  for (const char* file : {"junit.xml", "results/result.json", "results/signature.json"})
    EXPECT_TRUE(Left(file)) << file;
}

}  // namespace
}  // namespace yardmaster
