// Whole command lines, run inside the test's process.
#include "clients/cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "services/core/executor.h"
#include "services/core/rpc/contract_options.h"
#include "services/triage/triage_service.h"
#include "tests/support/rpc_server.h"
#include "tests/support/tiny_pack.h"
#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class AppTest : public ::testing::Test {
 protected:
  AppTest() : dir_(fs::temp_directory_path() / ("yard-app-" + std::to_string(getpid()))) {
    fs::remove_all(dir_);
    WritePack(dir_ / "packs", testing::TinyPackFiles());
    variables_["YARD_PACKS"] = (dir_ / "packs").string();
  }
  ~AppTest() override { fs::remove_all(dir_); }

  static void WritePack(const fs::path& packs, const rules::PackFiles& files) {
    for (const auto& [path, bytes] : files) {
      fs::create_directories((packs / path).parent_path());
      std::ofstream(packs / path) << bytes;
    }
  }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(dir_ / name) << content;
    return (dir_ / name).string();
  }
  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  static std::string Content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Result Run(const std::vector<std::string>& arguments, const std::string& in = "") const {
    return RunCommandLine(arguments, in, variables_);
  }

  fs::path dir_;
  std::map<std::string, std::string> variables_;
};

constexpr char kIssues[] =
    "{\"number\": 1, \"title\": \"socket\", \"body\": \"broken 网络\"}\n"
    "\n"
    "{\"number\": 2, \"title\": \"disk\", \"body\": null, \"labels_before\": [\"queue\", \"team b\"]}\n";

// --- The command line itself ---

TEST_F(AppTest, HelpAndVersionAreAnswers) {
  Result help = Run({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("Examples:"));
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(Run({"--version"}).out, HasSubstr("yard 0."));
  EXPECT_EQ(Run({"version"}).out, Run({"--version"}).out);
  EXPECT_EQ(nlohmann::json::parse(Run({"version", "--json"}).out)["name"], "yard");
}

TEST_F(AppTest, EveryVerbHasHelpWithExamples) {
  using command_line::Command;
  const std::function<void(const Command&, std::vector<std::string>)> visit = [&](const Command& command,
                                                                                  std::vector<std::string> path) {
    path.emplace_back("--help");
    const Result help = Run(path);
    EXPECT_EQ(help.code, 0) << ::testing::PrintToString(path);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  ")) << ::testing::PrintToString(path);
    EXPECT_THAT(help.out, HasSubstr("yard")) << ::testing::PrintToString(path);
    path.pop_back();
    for (const auto& verb : command.verbs()) {
      EXPECT_FALSE(verb->summary().empty()) << verb->name();
      path.push_back(verb->name());
      visit(*verb, path);
      path.pop_back();
    }
  };
  GlobalOptions options;
  visit(*CommandLine(options), {});
}

TEST_F(AppTest, AMistypedVerbIsAUsageErrorThatNamesTheNearest) {
  const Result result = Run({"rules", "lsit"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("lsit"));
  EXPECT_THAT(result.err, HasSubstr("list"));
  EXPECT_EQ(Run({}).code, 2);
  EXPECT_THAT(Run({}).err, HasSubstr("triage"));
  EXPECT_EQ(Run({"rules"}).code, 2);
  EXPECT_EQ(Run({"rules", "list", "--nonsense"}).code, 2);
  EXPECT_EQ(Run({"triage", "eval"}).code, 2);
}

TEST_F(AppTest, SharedOptionsStandBeforeOrAfterTheVerb) {
  const Result before = Run({"--json", "rules", "list"});
  const Result between = Run({"rules", "--json", "list"});
  const Result after = Run({"rules", "list", "--json"});
  EXPECT_EQ(before.code, 0) << before.err;
  EXPECT_EQ(before.out, after.out);
  EXPECT_EQ(before.out, between.out);
  EXPECT_EQ(nlohmann::json::parse(after.out)["packs"][0]["name"], "tiny");
}

TEST_F(AppTest, AVerbsNameAsAnArgumentIsAnArgument) {
  const Result result = Run({"rules", "show", "version"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("version"));
}

TEST_F(AppTest, LocalAndServerExcludeEachOtherOnlyWhenBothAreGiven) {
  EXPECT_EQ(Run({"rules", "list", "--local", "--server", "127.0.0.1:1"}).code, 2);
  variables_["YARD_SERVER"] = "127.0.0.1:1";
  EXPECT_EQ(Run({"rules", "list", "--local"}).code, 0);
}

// --- Without a server ---

TEST_F(AppTest, EvalWritesOneLineForEachIssueInOrder) {
  const std::string issues = Write("issues.jsonl", kIssues);
  const Result result = Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues});
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  std::vector<nlohmann::json> all;
  while (std::getline(lines, line)) all.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["number"], 1);
  EXPECT_EQ(all[0]["labels"], (std::vector<std::string>{"team b", "area: net"}));
  EXPECT_EQ(all[0]["applied"], (std::vector<std::string>{"team b", "area: net", "done"}));
  EXPECT_TRUE(all[0]["comment"].is_null());
  EXPECT_EQ(all[0]["confidence"]["area: net"], "HIGH");
  EXPECT_EQ(all[1]["labels"], (std::vector<std::string>{"team b", "area: disk"}));
  EXPECT_EQ(all[1]["applied"], (std::vector<std::string>{"area: disk", "done"}));
}

TEST_F(AppTest, EvalIntoAFileLeavesStdoutEmpty) {
  const std::string issues = Write("issues.jsonl", kIssues);
  const std::string out = Path("out.jsonl");
  const Result result = Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues, "--predictions", out});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("2 cases"));
  EXPECT_EQ(Content(out), Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues}).out);
  const Result quiet =
      Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues, "--predictions", out, "--quiet"});
  EXPECT_EQ(quiet.err, "");
}

TEST_F(AppTest, EvalReadsStdin) {
  const Result result = Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", "-"}, kIssues);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
}

TEST_F(AppTest, ABadLineIsNamedAndNothingIsWritten) {
  const std::string issues = Write("issues.jsonl", std::string(kIssues) + "{\"number\": \"four\"}\n");
  const std::string out = Path("out.jsonl");
  const Result result = Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues, "--predictions", out});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("issues.jsonl:4"));
  EXPECT_THAT(result.err, HasSubstr("integer"));
  EXPECT_FALSE(fs::exists(out));
  const Result to_stdout = Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues});
  EXPECT_EQ(to_stdout.code, 2);
  EXPECT_EQ(to_stdout.out, "");
}

TEST_F(AppTest, AnUnknownPackIsANegativeAnswerAndLeavesNoFile) {
  const std::string issues = Write("issues.jsonl", kIssues);
  const std::string out = Path("out.jsonl");
  const Result result = Run({"triage", "eval", "--local", "--pack", "nope", "--issues", issues, "--predictions", out});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("tiny"));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(AppTest, IssueIsAReportForPeopleAndADocumentForPrograms) {
  const std::string issue = Write("issue.json", "{\n  \"number\": 7,\n  \"title\": \"socket\",\n  \"body\": \"\"\n}\n");
  const Result text = Run({"triage", "issue", issue, "--local"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("#7  socket"));
  EXPECT_THAT(text.err, HasSubstr("pack: tiny"));
  const Result json = Run({"triage", "issue", issue, "--local", "--json", "--pack", "tiny"});
  const nlohmann::json decision = nlohmann::json::parse(json.out);
  EXPECT_EQ(decision["subject"], "#7");
  EXPECT_EQ(decision["mode"], "dry-run");
  EXPECT_EQ(decision["applied"][2], "done");
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1);
}

TEST_F(AppTest, IssuesOfForgesAndApplyNeedAServer) {
  const Result forge = Run({"triage", "issue", "github:pytorch/pytorch#1", "--local"});
  EXPECT_EQ(forge.code, 2);
  EXPECT_THAT(forge.err, HasSubstr("forge"));
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"deliveries", "list"}, {"ledger", "list"}, {"deadletters", "list"}, {"sweep", "github:octo/repo"}}) {
    std::vector<std::string> arguments = verb;
    arguments.emplace_back("--local");
    EXPECT_EQ(Run(arguments).code, 2) << verb[0];
  }
  EXPECT_EQ(Run({"deliveries", "list", "--state", "lost"}).code, 2);
  EXPECT_EQ(Run({"ledger", "list", "--subject", "octo/repo"}).code, 2);
  EXPECT_EQ(Run({"deadletters", "requeue"}).code, 2);
  EXPECT_EQ(Run({"sweep", "github"}).code, 2);
  const std::string issue = Write("issue.json", R"({"number": 7, "title": "socket", "body": ""})");
  const Result apply = Run({"triage", "issue", issue, "--apply", "--local"});
  EXPECT_EQ(apply.code, 2);
  EXPECT_THAT(apply.err, HasSubstr("--apply"));
}

TEST_F(AppTest, ABadIssueFileIsAnInputError) {
  EXPECT_EQ(Run({"triage", "issue", Path("missing.json"), "--local"}).code, 2);
  EXPECT_EQ(Run({"triage", "issue", Write("bad.json", "{\"number\": 1"), "--local"}).code, 2);
  EXPECT_THAT(Run({"triage", "issue", Write("bad.json", "[]"), "--local"}).err, HasSubstr("bad.json"));
}

TEST_F(AppTest, BadPacksAreInputErrorsThatNameFileAndLine) {
  fs::create_directories(dir_ / "packs" / "broken");
  std::ofstream(dir_ / "packs" / "broken" / "pack.json") << "{\n  \"name\": \"broken\",\n  \"titel\": \"x\"\n}";
  const Result list = Run({"rules", "list"});
  EXPECT_EQ(list.code, 2);
  EXPECT_THAT(list.err, HasSubstr("broken/pack.json:3"));
  const Result validate = Run({"rules", "validate"});
  EXPECT_EQ(validate.code, 2);
  EXPECT_THAT(validate.out, HasSubstr("ok   tiny"));
  EXPECT_THAT(validate.out, HasSubstr("broken/pack.json:3"));
  EXPECT_EQ(Run({"rules", "validate", "tiny"}).code, 0);
  EXPECT_EQ(Run({"rules", "validate", "broken"}).code, 2);
  EXPECT_EQ(Run({"rules", "validate", (dir_ / "packs" / "broken").string()}).code, 2);
  EXPECT_EQ(Run({"rules", "validate", (dir_ / "packs" / "tiny").string()}).code, 0);
  EXPECT_FALSE(nlohmann::json::parse(Run({"rules", "validate", "--json"}).out)["valid"].get<bool>());
  // Deciding under a good pack does not ask for the others.
  const std::string issue = Write("issue.json", R"({"number": 7, "title": "socket", "body": ""})");
  EXPECT_EQ(Run({"triage", "issue", issue, "--local", "--pack", "tiny"}).code, 0);
}

TEST_F(AppTest, APackThatExtendsOneBesideItIsValidByItsFolder) {
  WritePack(dir_ / "elsewhere",
            {{"child/pack.json", R"({"name": "child", "title": "A child", "extends": "parent"})"},
             {"parent/pack.json", R"({"name": "parent", "title": "A parent", "extends": "tiny"})"}});
  const Result result = Run({"rules", "validate", Path("elsewhere/child")});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  const Result elsewhere = Run({"rules", "validate", Path("elsewhere")});
  EXPECT_EQ(elsewhere.code, 2) << elsewhere.out;  // a folder of packs has to be complete
}

TEST_F(AppTest, RulesTestEndsWithTheLineThatScriptsRead) {
  fs::create_directories(dir_ / "packs" / "tiny" / "cases");
  std::ofstream(dir_ / "packs" / "tiny" / "cases" / "net.json")
      << R"({"cases": [{"id": "net", "title": "socket", "body": "", "rules": ["net.word"], "has_labels": ["area: net"]}]})";
  const Result good = Run({"rules", "test", "--all"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, ::testing::EndsWith("\n1 cases in 1 packs, 0 failed, 11 % of rules covered\n")) << good.out;
  std::ofstream(dir_ / "packs" / "tiny" / "cases" / "disk.json")
      << R"({"cases": [{"id": "disk", "title": "disk", "body": "", "has_labels": ["area: net"]}]})";
  const Result bad = Run({"rules", "test"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("FAILED tiny/disk  tiny/cases/disk.json:1"));
  EXPECT_THAT(bad.out, ::testing::EndsWith("\n2 cases in 1 packs, 1 failed, 11 % of rules covered\n"));
  const nlohmann::json json = nlohmann::json::parse(Run({"rules", "test", "tiny", "--json"}).out);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["failures"][0]["case"], "disk");
  EXPECT_EQ(Run({"rules", "test", "nope"}).code, 1);
}

TEST_F(AppTest, RulesShowPrintsTheRuleAsWrittenWithItsPlace) {
  const Result text = Run({"rules", "show", "net.word"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("signal net.word"));
  EXPECT_THAT(text.out, HasSubstr("tiny/rubric.json:"));
  EXPECT_THAT(text.out, HasSubstr("网络"));
  const nlohmann::json json = nlohmann::json::parse(Run({"rules", "show", "net.word", "--json"}).out);
  EXPECT_EQ(json["rules"][0]["rule"]["labels"]["area: net"], 1);
  EXPECT_EQ(Run({"rules", "show", "nothing"}).code, 1);
}

TEST_F(AppTest, BacktestComparesTwoFolders) {
  rules::PackFiles changed = testing::TinyPackFiles();
  std::string& rubric = changed["tiny/rubric.json"];
  rubric.replace(rubric.find("\"disk\"]"), 7, "\"drive\"]");
  WritePack(dir_ / "new", changed);
  const std::string issues = Write("issues.jsonl", kIssues);
  const Result result =
      Run({"rules", "backtest", "--local", "--pack", "tiny", "--issues", issues, "--candidate", Path("new"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["cases"], 2);
  ASSERT_EQ(json["issues"].size(), 1u);
  EXPECT_EQ(json["issues"][0]["number"], 2);
  EXPECT_EQ(json["issues"][0]["removed"], (std::vector<std::string>{"area: disk"}));
  EXPECT_NE(json["base_revision"], json["candidate_revision"]);
  const Result text =
      Run({"rules", "backtest", "--local", "--pack", "tiny", "--issues", issues, "--candidate", Path("new/tiny")});
  EXPECT_THAT(text.out, HasSubstr("2 cases, 1 changed"));
  EXPECT_EQ(Run({"rules", "backtest", "--local", "--pack", "tiny", "--issues", issues}).code, 2);
  EXPECT_EQ(
      Run({"rules", "backtest", "--local", "--pack", "tiny", "--issues", issues, "--candidate", Path("none")}).code, 2);
}

TEST_F(AppTest, ConfigCheckNamesEveryProblem) {
  const Result good = Run({"config", "check", Write("good.json", R"({"data_dir": "d", "mode": "dry-run"})")});
  EXPECT_EQ(good.code, 0) << good.err;
  const Result bad = Run({"config", "check", Write("bad.json", "{\n\"data_dir\": 5,\n\"mood\": 1}")});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.json:2"));
  EXPECT_THAT(bad.err, HasSubstr("mood"));
  const nlohmann::json json = nlohmann::json::parse(Run({"config", "check", Path("bad.json"), "--json"}).out);
  EXPECT_FALSE(json["valid"].get<bool>());
  EXPECT_GE(json["problems"].size(), 2u);

  const auto schedule = [](const std::string& run) {
    return R"({"schedules": [{"name": "n", "cron": "0 2 * * *", "run": ")" + run + R"("}]})";
  };
  EXPECT_EQ(Run({"config", "check", Write("sweep.json", schedule("sweep"))}).code, 0);
  const Result unknown = Run({"config", "check", Write("swep.json", schedule("swep"))});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr(R"(expected "approval-reminder" or "backtest" or "check-repositories" or)"));
}

// --- With a server ---

TEST_F(AppTest, AServerThatIsNotThereIsCodeThreeAndNamesTheAddress) {
  const std::string issues = Write("issues.jsonl", kIssues);
  const std::string issue = Write("issue.json", R"({"number": 7, "title": "socket", "body": ""})");
  const std::string out = Path("out.jsonl");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"triage", "eval", "--pack", "tiny", "--issues", issues, "--predictions", out},
           {"triage", "issue", issue},
           {"explain", "abc"},
           {"rules", "list"},
           {"rules", "show", "x"},
           {"rules", "test"},
           {"rules", "validate"},
           {"rules", "validate", "tiny", "--repository", "github:octo/repo"},
           {"rules", "reload"},
           {"rules", "backtest", "--pack", "tiny", "--issues", issues}}) {
    std::vector<std::string> with_server = {"--server", "127.0.0.1:1"};
    with_server.insert(with_server.end(), arguments.begin(), arguments.end());
    const Result result = Run(with_server);
    EXPECT_EQ(result.code, 3) << ::testing::PrintToString(arguments) << result.err;
    EXPECT_THAT(result.err, HasSubstr("127.0.0.1:1"));
    EXPECT_THAT(result.err, HasSubstr("yardmasterd"));
    EXPECT_EQ(result.out, "");
  }
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(AppTest, LabelsOfARepositoryAreOnlyKnownToAServer) {
  const Result local = Run({"--local", "rules", "validate", "tiny", "--repository", "github:octo/repo"});
  EXPECT_EQ(local.code, 2);
  EXPECT_THAT(local.err, HasSubstr("--local"));
  const Result bad = Run({"--server", "127.0.0.1:1", "rules", "validate", "tiny", "--repository", "octo/repo"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("FORGE:OWNER/REPO"));
}

TEST_F(AppTest, AddressesAndTokensAreCheckedBeforeAnythingIsSent) {
  EXPECT_EQ(Run({"explain", "x", "--server", "nonsense"}).code, 2);
  EXPECT_EQ(Run({"explain", "x", "--server", "127.0.0.1:0"}).code, 2);
  EXPECT_EQ(Run({"explain", "x", "--server", "127.0.0.1:1", "--token-file", Path("missing")}).code, 2);
  EXPECT_EQ(Run({"explain", "x", "--server", "127.0.0.1:1", "--ca", Path("missing")}).code, 2);
  variables_["YARD_TOKEN"] = "very secret";
  EXPECT_EQ(Run({"explain", "x", "--server", "127.0.0.1:1"}).code, 2);
  variables_["YARD_TOKEN"] = "secret";
  const Result refused = Run({"explain", "x", "--server", "192.0.2.1:9090", "--plaintext"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("192.0.2.1"));
  EXPECT_THAT(refused.err, Not(HasSubstr("secret")));
}

TEST_F(AppTest, VerbsThatNeedAServerSaySoWhenLocal) {
  EXPECT_EQ(Run({"explain", "x", "--local"}).code, 2);
  EXPECT_EQ(Run({"rules", "reload", "--local"}).code, 2);
}

// The triage service over the same packs.
class AppServerTest : public AppTest {
 protected:
  AppServerTest() {
    PackSet::Packs packs;
    packs.emplace("tiny", testing::CompileTinyPack());
    registry_ = std::make_unique<PackRegistry>(dir_ / "packs", std::make_shared<const PackSet>(std::move(packs)));
    service_ = std::make_unique<TriageServiceImpl>(RpcEnvironment{auth_, metrics_, clock_, logger_}, *registry_,
                                                   decisions_, ids_, waiting_calls_, /*on_demand=*/nullptr);
    server_ = std::make_unique<testing::RpcServer>(*service_);
    variables_["YARD_SERVER"] = server_->address();
    variables_["YARD_TOKEN"] = "let-me-in";
  }

  SystemClock clock_;
  Metrics metrics_;
  Logger logger_{LoggerOptions{.level = LogLevel::kError, .async = false, .sink = [](std::string_view) {}}};
  Authenticator auth_{*ReadMethodRules(),
                      {TokenEntry{"ops", Role::kViewer, Secret("let-me-in")}},
                      /*allow_anonymous_loopback=*/false};
  DecisionLog decisions_;
  DecisionIds ids_;
  InlineExecutor waiting_calls_;
  std::unique_ptr<PackRegistry> registry_;
  std::unique_ptr<TriageServiceImpl> service_;
  std::unique_ptr<testing::RpcServer> server_;
};

TEST_F(AppServerTest, EvalGivesTheSameBytesAsWithoutAServer) {
  const std::string issues = Write("issues.jsonl", kIssues);
  const Result local = Run({"triage", "eval", "--local", "--pack", "tiny", "--issues", issues});
  const Result server = Run({"triage", "eval", "--pack", "tiny", "--issues", issues});
  EXPECT_EQ(server.code, 0) << server.err;
  EXPECT_EQ(server.out, local.out);
}

TEST_F(AppServerTest, ADecisionCanBeExplainedAgain) {
  const std::string issue = Write("issue.json", R"({"number": 7, "title": "socket", "body": ""})");
  const Result made = Run({"triage", "issue", issue, "--pack", "tiny", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string id = nlohmann::json::parse(made.out)["id"];
  EXPECT_EQ(id.size(), 13u);
  const Result explained = Run({"explain", id, "--json"});
  EXPECT_EQ(explained.code, 0);
  EXPECT_EQ(explained.out, made.out);
  EXPECT_THAT(Run({"explain", id}).out, HasSubstr("decision " + id));
  EXPECT_EQ(Run({"explain", "nothing"}).code, 1);
  EXPECT_EQ(Run({"explain", "github:o/r#1"}).code, 1);
}

TEST_F(AppServerTest, AWrongTokenIsCodeThreeAndAnUnknownPackCodeOne) {
  const std::string issues = Write("issues.jsonl", kIssues);
  EXPECT_EQ(Run({"triage", "eval", "--pack", "nope", "--issues", issues}).code, 1);
  variables_["YARD_TOKEN"] = "wrong";
  const Result wrong = Run({"triage", "eval", "--pack", "tiny", "--issues", issues});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("--token-file"));
  EXPECT_THAT(wrong.err, Not(HasSubstr("wrong")));
  EXPECT_EQ(Run({"explain", "x", "--token-file", Write("token", "let-me-in\n")}).code, 1);
}

TEST_F(AppServerTest, AServerThatLacksAServiceIsASystemError) { EXPECT_EQ(Run({"rules", "reload"}).code, 4); }

// --- Completion ---

TEST_F(AppTest, CompletionScriptsKnowEveryVerbAndOption) {
  for (const char* shell : {"bash", "zsh"}) {
    const Result script = Run({"completion", shell});
    EXPECT_EQ(script.code, 0);
    for (const char* word : {"backtest", "--predictions", "--server", "validate", "completion", "--secrets"}) {
      EXPECT_THAT(script.out, HasSubstr(word)) << shell;
    }
  }
  EXPECT_EQ(Run({"completion", "fish"}).code, 2);
}

TEST_F(AppTest, BashCompletionCompletesVerbsOptionsAndClosedLists) {
  const std::string script = Write("completion.bash", Run({"completion", "bash"}).out);
  const auto complete = [&](const std::string& words, const std::string& out) {
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _yard; echo \"${COMPREPLY[*]}\"' > " + out;
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT: a test
    return Content(out);
  };
  const std::string out = Path("reply");
  EXPECT_EQ(complete("yard rul", out), "rules\n");
  EXPECT_EQ(complete("yard --server x --json rules ba", out), "backtest\n");
  EXPECT_EQ(complete("yard rules backtest --cand", out), "--candidate\n");
  EXPECT_EQ(complete("yard rules list --js", out), "--json\n");
  EXPECT_EQ(complete("yard completion \"\"", out), "bash zsh\n");
  EXPECT_THAT(complete("yard --packs " + dir_.string() + "/pa", out), HasSubstr("/packs"));
}

}  // namespace
}  // namespace yardmaster::cli
