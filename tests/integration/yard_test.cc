// The real `yard`, with and without a real yardmasterd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kYard = std::string(YARD_PROGRAMS) + "/yard";
const std::string kDaemon = std::string(YARD_PROGRAMS) + "/yardmasterd";
const std::string kPack = "pytorch-distributed";

struct Result {
  int code = -1;
  std::string out;
  std::string err;
};

Result Yard(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) {
  std::vector<std::string> command = {kYard};
  command.insert(command.end(), arguments.begin(), arguments.end());
  testing::Process process(command, environment);
  Result result;
  result.code = process.Wait(std::chrono::seconds(120)).value_or(-1);
  result.out = process.Stdout();
  result.err = process.Stderr();
  return result;
}

// Issues of several kinds, with what is awkward in texts.
std::string Issues() {
  const std::vector<nlohmann::json> issues = {
      {{"number", 1},
       {"title", "FSDP2: fully_shard raises on a tied weight"},
       {"body", "```python\nfrom torch.distributed.fsdp import fully_shard\nfully_shard(model)\n```\nRuntimeError"}},
      {{"number", 2}, {"title", "训练卡住 / hangs"}, {"body", "DDP 训练时 all_reduce 卡住。\r\nNCCL watchdog timeout"}},
      {{"number", 3}, {"title", "conv2d on one GPU is slow"}, {"body", nullptr}},
      {{"number", 4},
       {"title", "dcp.save fails"},
       {"body", "torch.distributed.checkpoint.save raises"},
       {"labels_before", {"oncall: distributed", "module: fsdp"}},
       {"comments",
        {"me too", {{"body", std::string("\0\x1b[31mred", 9)}, {"user", {{"login", "b"}, {"type", "Bot"}}}}}}},
      {{"number", 5}, {"title", ""}, {"body", std::string(100'000, 'x')}},
  };
  std::string lines;
  for (const nlohmann::json& issue : issues) lines += issue.dump() + "\n";
  return lines;
}

size_t Lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

std::string LastLine(const std::string& text) {
  std::istringstream in(text);
  std::string last;
  for (std::string line; std::getline(in, line);) last = line;
  return last;
}

class YardTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& content) {
    return folder_.Write(name, content).string();
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Everything but the decision of issues needs a token, also on loopback.
  std::unique_ptr<testing::Daemon> Start() {
    const std::string config = Write("config.json", R"({
        "data_dir": "data", "packs_dir": ")" + yardmaster::testing::SourcePath("rules/packs").string() +
                                                        R"(",
        "allow_anonymous_loopback": true,
        "tokens": [{"name": "ops", "role": "operator", "secret": {"file": "ops.token"}},
                   {"name": "reader", "role": "viewer", "secret": {"file": "reader.token"}}]})");
    Write("ops.token", "operators-secret-word\n");
    Write("reader.token", "readers-secret-word\n");
    auto daemon = std::make_unique<testing::Daemon>(kDaemon, std::vector<std::string>{"--config", config});
    EXPECT_TRUE(daemon->ready()) << daemon->process().Stderr();
    return daemon;
  }

  testing::TempDir folder_;
};

TEST_F(YardTest, EvalGivesTheSameBytesLocallyAndByTheServer) {
  const std::string issues = Write("issues.jsonl", Issues());
  const auto daemon = Start();
  const std::string local = Path("local.jsonl");
  const std::string server = Path("server.jsonl");
  const Result here = Yard({"triage", "eval", "--local", "--pack", kPack, "--issues", issues, "--predictions", local});
  ASSERT_EQ(here.code, 0) << here.err;
  const Result there = Yard({"triage", "eval", "--server", daemon->grpc(), "--token-file", Path("reader.token"),
                             "--pack", kPack, "--issues", issues, "--predictions", server});
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_EQ(testing::ReadWholeFile(local), testing::ReadWholeFile(server));
  EXPECT_EQ(Lines(testing::ReadWholeFile(local)), 5u);
  EXPECT_THAT(here.out, IsEmpty());
  // To stdout it is the same again.
  EXPECT_EQ(Yard({"triage", "eval", "--local", "--pack", kPack, "--issues", issues}).out,
            testing::ReadWholeFile(local));
}

TEST_F(YardTest, ABadLineIsNamedAndNothingIsWritten) {
  const std::string issues = Write("issues.jsonl", Issues() + "{\"number\": 6, \"title\": \"no body\"}\n");
  const std::string out = Write("out.jsonl", "old\n");
  const auto daemon = Start();
  for (const std::vector<std::string>& where : {std::vector<std::string>{"--local"}, {"--server", daemon->grpc()}}) {
    std::vector<std::string> command = {"triage", "eval", "--pack", kPack, "--issues", issues, "--predictions", out};
    command.insert(command.end(), where.begin(), where.end());
    const Result result = Yard(command);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("issues.jsonl:6"));
    EXPECT_THAT(result.err, HasSubstr("body"));
    EXPECT_THAT(result.out, IsEmpty());
  }
  EXPECT_EQ(testing::ReadWholeFile(out), "old\n");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
  }
}

TEST_F(YardTest, AnUnreachableServerIsCodeThreeAndLeavesNoFile) {
  const std::string issues = Write("issues.jsonl", Issues());
  const Result result =
      Yard({"triage", "eval", "--pack", kPack, "--issues", issues, "--predictions", Path("out.jsonl")},
           {"YARD_SERVER=127.0.0.1:1"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(result.err, HasSubstr("yardmasterd"));
  EXPECT_FALSE(fs::exists(Path("out.jsonl")));
}

TEST_F(YardTest, ADecisionIsExplainedAgainAsItWasMade) {
  const std::string issue = Write("issue.json", R"({"number": 12, "title": "FSDP hangs", "body": "fully_shard"})");
  const auto daemon = Start();
  // An anonymous caller on loopback may decide; reading decisions needs a viewer.
  const Result made = Yard({"--server", daemon->grpc(), "triage", "issue", issue, "--pack", kPack, "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const nlohmann::json decision = nlohmann::json::parse(made.out);
  for (const char* key : {"id", "subject", "pack", "pack_revision", "mode", "labels", "applied", "comment",
                          "confidence", "steps", "explanation"}) {
    EXPECT_TRUE(decision.contains(key)) << key;
  }
  const std::string id = decision["id"];
  const std::vector<std::string> environment = {"YARD_SERVER=" + daemon->grpc(), "YARD_TOKEN=readers-secret-word"};
  const Result again = Yard({"explain", id, "--json"}, environment);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, made.out);
  const Result text = Yard({"explain", id}, environment);
  EXPECT_THAT(text.out, HasSubstr("decision " + id));
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(Yard({"explain", "0000000000000"}, environment).code, 1);
}

TEST_F(YardTest, RolesDecideWhoMayReload) {
  const auto daemon = Start();
  const std::vector<std::string> address = {"YARD_SERVER=" + daemon->grpc()};
  EXPECT_EQ(Yard({"rules", "reload", "--token-file", Path("reader.token")}, address).code, 3);
  const Result reloaded = Yard({"rules", "reload", "--token-file", Path("ops.token"), "--json"}, address);
  EXPECT_EQ(reloaded.code, 0) << reloaded.err;
  EXPECT_TRUE(nlohmann::json::parse(reloaded.out)["reloaded"].get<bool>());
  const Result unknown = Yard({"rules", "reload"}, {address[0], "YARD_TOKEN=somebody-elses"});
  EXPECT_EQ(unknown.code, 3);
}

TEST_F(YardTest, RulesAnswerTheSameLocallyAndByTheServer) {
  const auto daemon = Start();
  const std::vector<std::string> server = {"--server", daemon->grpc(), "--token-file", Path("ops.token")};
  const auto by_server = [&](std::vector<std::string> command) {
    command.insert(command.end(), server.begin(), server.end());
    return Yard(command);
  };
  EXPECT_EQ(by_server({"rules", "list", "--json"}).out, Yard({"rules", "list", "--json"}).out);
  const nlohmann::json packs = nlohmann::json::parse(Yard({"rules", "list", "--json"}).out);
  EXPECT_GE(packs["packs"].size(), 3u);
  EXPECT_EQ(by_server({"rules", "validate", "--json"}).out, Yard({"rules", "validate", "--json"}).out);
  const std::string folder = yardmaster::testing::SourcePath("rules/packs") / kPack;
  EXPECT_EQ(by_server({"rules", "validate", folder}).code, 0);
  EXPECT_EQ(by_server({"rules", "test", kPack}).out, Yard({"rules", "test", kPack}).out);
}

TEST_F(YardTest, BacktestByTheServerTakesTheCandidateAlong) {
  const std::string issues = Write("issues.jsonl", Issues());
  const fs::path source = yardmaster::testing::SourcePath("rules/packs") / kPack;
  fs::create_directories(folder_.path() / "packs");
  fs::copy(source, folder_.path() / "packs" / kPack, fs::copy_options::recursive);
  const auto daemon = Start();
  const std::vector<std::string> command = {
      "rules", "backtest", "--pack", kPack, "--issues", issues, "--candidate", Path("packs/" + kPack), "--json"};
  const Result result = Yard(command, {"YARD_SERVER=" + daemon->grpc(), "YARD_TOKEN=readers-secret-word"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["cases"], 5);
  EXPECT_EQ(json["changed"], 0);
  EXPECT_EQ(json["base_revision"], json["candidate_revision"]);
}

TEST_F(YardTest, RulesTestPassesAndEndsWithTheLineThatScriptsRead) {
  const Result result = Yard({"rules", "test", "--all"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(LastLine(result.out),
              ::testing::MatchesRegex("[0-9]+ cases in [0-9]+ packs, 0 failed, [0-9]+ % of rules covered"));
}

TEST_F(YardTest, PacksAreFoundFromAnyFolder) {
  testing::Process process({"sh", "-c", "cd / && exec " + kYard + " rules list --json"});
  ASSERT_EQ(process.Wait(std::chrono::seconds(60)), 0) << process.Stderr();
  EXPECT_THAT(process.Stdout(), HasSubstr(kPack));
}

TEST_F(YardTest, CompletionScriptsAreWhatTheShellsRead) {
  const std::string bash = Write("yard.bash", Yard({"completion", "bash"}).out);
  testing::Process check({"bash", "-n", bash});
  EXPECT_EQ(check.Wait(std::chrono::seconds(30)), 0) << check.Stderr();
  EXPECT_THAT(check.Stderr(), IsEmpty());
  const std::string zsh = Write("_yard", Yard({"completion", "zsh"}).out);
  EXPECT_THAT(testing::ReadWholeFile(zsh), ::testing::StartsWith("#compdef yard"));
  testing::Process have({"sh", "-c", "command -v zsh"});
  if (have.Wait(std::chrono::seconds(30)) != 0) return;  // not installed: nothing more to check
  testing::Process check_zsh({"zsh", "-n", zsh});
  EXPECT_EQ(check_zsh.Wait(std::chrono::seconds(30)), 0) << check_zsh.Stderr();
}

TEST_F(YardTest, AnInterruptIsCode130AndLeavesNothingHalfWritten) {
  // A reader of a pipe that nobody writes to waits for good.
  const std::string fifo = Path("fifo");
  ASSERT_EQ(std::system(("mkfifo " + fifo).c_str()), 0);
  testing::Process writer({"sh", "-c", "exec sleep 60 > " + fifo});
  testing::Process yard(
      {kYard, "triage", "eval", "--local", "--pack", kPack, "--issues", fifo, "--predictions", Path("out")});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_TRUE(yard.running());
  yard.Signal(SIGINT);
  EXPECT_EQ(yard.Wait(std::chrono::seconds(20)), 130);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename(), "fifo");
  }
}

TEST_F(YardTest, StdoutThatIsFullIsAnError) {
  testing::Process process({"sh", "-c", kYard + " rules list > /dev/full"});
  EXPECT_EQ(process.Wait(std::chrono::seconds(60)), 4);
  EXPECT_THAT(process.Stderr(), HasSubstr("stdout"));
}

TEST_F(YardTest, ARuleIsExplainedWithoutAServer) {
  const Result result = Yard({"explain", "ol48"}, {"YARD_SERVER=127.0.0.1:1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("check OL48 "));
  EXPECT_THAT(result.out, HasSubstr("check OL48.cube "));
  EXPECT_EQ(result.out, Yard({"rules", "show", "OL48"}).out);
  EXPECT_EQ(result.out, Yard({"rules", "explain", "OL48"}).out);
  // What is no rule is asked of the server.
  EXPECT_EQ(Yard({"explain", "no-such-rule"}, {"YARD_SERVER=127.0.0.1:1"}).code, 3);
}

}  // namespace
}  // namespace yardmaster
