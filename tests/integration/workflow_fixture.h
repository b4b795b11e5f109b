// A clone of a fork with both faces of the forge, a git server over HTTP, and the real `yard`.
#ifndef YARDMASTER_TESTS_INTEGRATION_WORKFLOW_FIXTURE_H_
#define YARDMASTER_TESTS_INTEGRATION_WORKFLOW_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/git_programs.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

constexpr const char* kTokenOfAlice = "token-of-alice-0123";

class WorkflowFixture : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    dir_.Write("token", kTokenOfAlice);
    for (const std::string name : {"octo/repo", "alice/repo"}) {
      Shell("git init -q --bare -b main root/" + name + ".git");
      Shell("git -C root/" + name + ".git config http.receivepack true");
    }
    Shell("git init -q -b main clone");
    dir_.Write("clone/a.py", "def one():\n    return 1\n");
    dir_.Write("clone/.github/PULL_REQUEST_TEMPLATE.md",
               "**What type of PR is this?**\n<!-- /kind feature | bug -->\n\n**What does this PR do**:\n\n"
               "**Which issue(s) this PR fixes**:\nFixes #\n\n**Self-checklist**\n- [ ] tests\n");
    Git("add -A && git commit -q -m base");
    for (const std::string name : {"octo/repo", "alice/repo"}) Git("push -q ../root/" + name + ".git main");
    forge_ = std::make_unique<Process>(std::vector<std::string>{Program("yard-fakeforge"), "--listen", "127.0.0.1:0",
                                                                "--ready-file", Path("forge.json"), "--token-file",
                                                                Path("token"), "--git-root", Path("root")});
    for (int i = 0; i < 600 && !std::filesystem::exists(Path("forge.json")); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    http_ = nlohmann::json::parse(ReadWholeFile(Path("forge.json")))["http"];
    Forge("repository", {{"repository", "octo/repo"}, {"default_branch", "main"}});
    Git("remote add origin http://" + http_ + "/git/alice/repo.git");
    Git("remote add upstream http://" + http_ + "/git/octo/repo.git");
    nlohmann::json own = {{"api_url", "http://" + http_ + (github() ? "" : "/api/v5")},
                          {"git_url", "http://" + http_ + "/git"},
                          {"token", {{"file", "token"}}}};
    dir_.Write("config.json", nlohmann::json({{"forges", {{GetParam(), own}}}}).dump());
    Git("config user.name Alice && git config user.email alice@example.com && git fetch -q upstream");
    Git("switch -q -c feat/two");
    dir_.Write("clone/a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
    Git("commit -q -a -m 'feat(a): add two' -m 'Since one is not enough.' -m 'Closes #7'");
  }

  bool github() const { return std::string_view(GetParam()) == "github"; }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  std::string Shell(const std::string& command) const {
    Process process({"sh", "-c", "cd " + dir_.path().string() + " && " + command}, GitEnvironment(dir_.path()));
    if (process.Wait(std::chrono::seconds(60)).value_or(-1) != 0) throw std::runtime_error(process.Stderr());
    std::string text = process.Stdout();
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  std::string Git(const std::string& arguments) const { return Shell("cd clone && git " + arguments); }
  std::string There(const std::string& repository, const std::string& branch) const {
    return Shell("git -C root/" + repository + ".git rev-parse " + branch);
  }
  // What a command may change: refs but those that follow a remote, HEAD, index, files, configuration, and the servers.
  std::string Everything() const {
    return Git("for-each-ref refs/heads refs/yardmaster refs/stash") + Git("ls-files -s") +
           Git("status --porcelain -uall") + Shell("cat clone/.git/HEAD clone/.git/config") +
           Shell("git -C root/alice/repo.git for-each-ref refs/heads") + Pulls();
  }
  nlohmann::json Forge(const std::string& what, nlohmann::json body = nullptr) const {
    if (!body.is_null()) body["forge"] = GetParam();
    return AskFake(http_, what, body);
  }

  // What people see of pull requests; where their branches are is looked up at every look.
  std::string Pulls() const {
    nlohmann::json shown = nlohmann::json::array();
    const nlohmann::json state = Forge("state");
    for (const auto& [name, repository] : state.at(GetParam()).items()) {
      for (const nlohmann::json& pull : repository["subjects"]) {
        shown.push_back({pull["number"], pull["title"], pull["body"], pull["open"], pull["reviewers"]});
      }
    }
    return shown.dump();
  }

  struct Answer {
    int code = -1;
    nlohmann::json out;
    std::string err;
  };
  Answer Yard(const std::vector<std::string>& arguments) const { return YardIn("clone", arguments); }
  // In another work tree: `clone` names its folder.
  Answer YardIn(const std::string& clone, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {Program("yard"), "--json", "workflow"});
    arguments.insert(arguments.end(), {"--repo", Path(clone)});
    static const std::set<std::string> kWithoutForge = {"undo", "check", "test", "gen-commit-msg"};
    const bool asks_forge = !kWithoutForge.contains(arguments[3]);
    if (!packs_.empty()) arguments.insert(arguments.begin() + 1, {"--packs", packs_});
    if (asks_forge) arguments.insert(arguments.end(), {"--config", Path("config.json")});
    std::vector<std::string> environment = GitEnvironment(dir_.path());
    // Programs that a test puts there come first.
    for (std::string& variable : environment) {
      if (variable.starts_with("PATH=")) variable.insert(5, Path("bin") + ":");
    }
    Process process(arguments, environment);
    Answer answer;
    answer.code = process.Wait(std::chrono::seconds(60)).value_or(-1);
    answer.out = nlohmann::json::parse(process.Stdout(), nullptr, false);
    answer.err = process.Stderr();
    return answer;
  }

  // `yard workflow` with a terminal of its own, on which `typed` is typed. `out`: null; `err`: what the terminal
  // showed.
  Answer OnTerminal(const std::string& command, const std::string& typed) const {
    const std::string line = Program("yard") + (packs_.empty() ? "" : " --packs " + packs_) + " workflow " + command +
                             " --repo " + Path("clone") + " --config " + Path("config.json");
    // script(1) makes the terminal; what it reads is typed there.
    dir_.Write("typed", typed);
    dir_.Write("editor.sh", "printf 'fix(a): three\\n\\nBy hand.\\n' > \"$1\"\n");
    std::vector<std::string> environment = GitEnvironment(dir_.path());
    environment.push_back("GIT_EDITOR=sh " + Path("editor.sh"));
    Process process({"sh", "-c", "exec script -q -e -E never -c \"$0\" /dev/null < \"$1\"", line, Path("typed")},
                    environment);
    Answer answer;
    answer.code = process.Wait(std::chrono::seconds(60)).value_or(-1);
    answer.err = process.Stdout();
    return answer;
  }

  // A pack with a profile of the gate of octo/repo and the linters of its checks, beside its suite.
  void MakeGatedToyPack() {
    MakeToyPack();
    dir_.Write("packs/toy/pipeline.json", R"({"trusted_authors": ["gatebot"], "max_retests": 1,
      "build_gate": {"trigger": "/retest", "passed_labels": ["ci-passed"], "failed_labels": ["ci-failed"],
                     "running_labels": ["ci-running"]}})");
    dir_.Write("packs/toy/linters.json", R"({"linters": [
      {"name": "pylint", "arguments": ["--max-line-length=120"], "filters": ["ci/filter.txt"]},
      {"name": "lizard", "arguments": ["--CCN", "15"], "allowed": ["ci/white.txt"]},
      {"name": "markdownlint-cli2", "settings": {"path": ".markdownlint.json", "content": {"MD013": false}}},
      {"name": "shellcheck", "files": ["ci/**"], "except": ["ci/old/**"]},
      {"name": "codespell"}]})");
  }

  // A pack whose suite runs each test file of octo/repo, or those that are named, with a shell.
  void MakeToyPack() {
    dir_.Write("packs/toy/pack.json", R"({"name": "toy", "title": "A toy"})");
    dir_.Write("packs/toy/suites/ut.json", R"({"suites": [{
      "id": "ut", "title": "Unit tests", "source": {"repository": "github:octo/repo", "ref": "main"},
      "gate": {"kind": "ut", "tests": ["tests/**/test_*.sh"], "variable": "YARD_TESTS"},
      "layers": [{"id": "unit", "title": "Unit", "kind": "correctness", "steps": [{"id": "run",
        "shell": "tests=$YARD_TESTS; [ -n \"$tests\" ] || tests=$(find tests -name 'test_*.sh'); for one in $tests; do sh $one || exit 1; done; echo \"<testsuite><testcase classname='toy' name='$one'/></testsuite>\" > \"${OUT}/junit.xml\"",
        "reports": [{"format": "junit", "file": "${OUT}/junit.xml"}]}]}]}]})");
    packs_ = Path("packs");
  }

  const TempDir dir_;
  std::string packs_;  // empty: those of the source tree
  std::unique_ptr<Process> forge_;
  std::string http_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_INTEGRATION_WORKFLOW_FIXTURE_H_
