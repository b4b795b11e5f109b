// A pull request of two commits from a fork, on both faces of the forge, with real git repositories behind it.
#ifndef YARDMASTER_TESTS_INTEGRATION_PULL_FIXTURE_H_
#define YARDMASTER_TESTS_INTEGRATION_PULL_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/git_programs.h"

namespace yardmaster::testing {

inline constexpr const char* kUpstream = "octo/repo";
inline constexpr const char* kFork = "alice/repo";

class PullTest : public PipeTest, public ::testing::WithParamInterface<std::string> {
 protected:
  // alice's pull request of two commits, from her fork, into main.
  void StartPull(const std::string& bot_may = "write", const std::string& faults = "", const std::string& seed = "1") {
    git_root_ = Path("served");
    for (const std::string name : {kUpstream, kFork}) {
      Git("init -q --bare -b main " + git_root_ + "/" + name + ".git", ".");
      Git("-C " + git_root_ + "/" + name + ".git config http.receivepack true", ".");
    }
    Git("init -q -b main work", ".");
    Commit("main", "a.py", "def one():\n    return 1\n", "base");
    PushTo(kUpstream, "main");
    PushTo(kFork, "main");
    Git("checkout -q -b topic");
    Commit("topic", "a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
           "feat(a): add two\n\nSigned-off-by: Alice <alice@example.com>");
    Commit("topic", "b.py", "def three():\n    return 3\n", "feat(b): add three");
    PushTo(kFork, "topic");
    Start(pull_packs_.empty() ? SourcePath("rules/packs").string() : pull_packs_, pull_pack_, faults, seed);
    for (const std::string repository : {kUpstream, kFork}) {
      const std::string may = repository == kFork ? bot_may : "write";
      Forge(
          "repository",
          {{"forge", GetParam()}, {"repository", repository}, {"permissions", {{"maria", "write"}, {"yardbot", may}}}});
    }
    number_ = OpenPull("topic");
    Drain();
  }
  int64_t OpenPull(const std::string& branch) {
    const json opened = Forge("pulls", {{"forge", GetParam()},
                                        {"repository", kUpstream},
                                        {"title", "Two more"},
                                        {"body", "By hand."},
                                        {"user", "alice"},
                                        {"head_repository", kFork},
                                        {"head_ref", branch},
                                        {"base_ref", "main"},
                                        {"maintainers_may_edit", edits_},
                                        {"follow", true}});
    EXPECT_GT(opened.value("number", int64_t{0}), 0) << opened;
    return opened.value("number", int64_t{0});
  }
  std::string Git(const std::string& arguments, const std::string& folder = "work") const {
    Process process({"sh", "-c", "cd '" + Path(folder) + "' && git " + arguments}, GitEnvironment(dir_.path()));
    EXPECT_EQ(process.Wait(std::chrono::seconds(60)), 0) << arguments << process.Stderr();
    std::string out = process.Stdout();
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }
  void Commit(const std::string& branch, const std::string& path, const std::string& text, const std::string& message) {
    if (branch != "main") Git("checkout -q " + branch);
    dir_.Write("work/" + path, text);
    dir_.Write("message", message);
    Git("add -A");
    Git("-c user.name=Alice -c user.email=alice@example.com commit -q -F ../message");
  }
  void PushTo(const std::string& repository, const std::string& branch) {
    Git("push -q -f " + git_root_ + "/" + repository + ".git " + branch);
  }
  // Somebody else's commit on main of the main repository.
  void MoveMain(const std::string& path, const std::string& text) {
    Git("checkout -q main");
    Commit("main", path, text, "elsewhere");
    PushTo(kUpstream, "main");
  }
  std::string There(const std::string& repository, const std::string& revision) const {
    return Git("rev-parse --verify '" + revision + "'", "served/" + repository + ".git");
  }
  std::string Log(const std::string& repository, const std::string& range) const {
    return Git("log --reverse --format=%s '" + range + "'", "served/" + repository + ".git");
  }
  std::string Refs() const {
    return Git("for-each-ref refs/heads", std::string("served/") + kUpstream + ".git") +
           Git("for-each-ref refs/heads", std::string("served/") + kFork + ".git");
  }
  json Pull(int64_t number) {
    const json state = Forge("state");
    for (const json& subject : state[GetParam()][kUpstream]["subjects"]) {
      if (subject["number"] == number && subject["pull"] == true) return subject;
    }
    return json::object();
  }
  int64_t Write(int64_t number, const std::string& user, const std::string& text) {
    const json made = Forge("comments", {{"forge", GetParam()},
                                         {"repository", kUpstream},
                                         {"number", number},
                                         {"pull", true},
                                         {"user", user},
                                         {"body", text}});
    return made.value("id", int64_t{0});
  }
  // What the bot answers to a comment.
  std::string Answer(int64_t number, int64_t comment) {
    std::string found;
    const json pull = Pull(number);
    for (const json& one : pull["comments"]) {
      const std::string body = one["body"];
      if (body.find("template=command-c" + std::to_string(comment) + "-0 ") == std::string::npos) continue;
      EXPECT_TRUE(found.empty()) << "answered twice";
      found = body;
    }
    return found;
  }
  std::string Say(const std::string& user, const std::string& text) {
    const int64_t comment = Write(number_, user, text);
    Drain();
    std::string answer = Answer(number_, comment);
    EXPECT_FALSE(answer.empty()) << text << Yard({"deliveries", "list"}).out << Yard({"ledger", "list"}).out;
    return answer;
  }

  std::string pull_packs_;           // before StartPull: a folder of packs; empty: those that are shipped
  std::string pull_pack_ = "pypto";  // before StartPull
  int64_t number_ = 0;
  bool edits_ = false;  // before StartPull: the author lets maintainers edit
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_INTEGRATION_PULL_FIXTURE_H_
