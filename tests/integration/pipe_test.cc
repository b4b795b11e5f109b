// The whole pipe from outside: yardmasterd behind the webhooks of a forge that generates them, and `yard` to look at
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/rounds.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using testing::PipeTest;
using testing::Process;
using testing::Program;
using testing::SourcePath;

TEST_F(PipeTest, IssueOpenedOnAForgeIsSortedAndTheLedgerTellsIt) {
  Start(SourcePath("tests/support/packs").string(), "lantern");
  const int64_t clear = Open("github", "octo/repo", "Can't read a WebP file", "DecodeError for every webp.", {"new"});
  const int64_t vague = Open("github", "octo/repo", "Installing fails", "It is empty.", {"new"});
  const int64_t outside = Open("github", "octo/repo", "Can't read a WebP file", "DecodeError", {});
  const int64_t dry = Open("github", "octo/dry", "Can't read a WebP file", "DecodeError for every webp.", {"new"});
  Drain();
  EXPECT_EQ(Labels(Subject("github", "octo/repo", clear)),
            (std::set<std::string>{"new", "area: decode", "sorted-by-bot"}));
  EXPECT_EQ(Labels(Subject("github", "octo/repo", vague)),
            (std::set<std::string>{"new", "needs details", "sorted-by-bot"}));
  EXPECT_EQ(Templates(Subject("github", "octo/repo", vague)), std::vector<std::string>{"ask-details"});
  EXPECT_EQ(Labels(Subject("github", "octo/repo", outside)), std::set<std::string>{});
  EXPECT_EQ(Labels(Subject("github", "octo/dry", dry)), std::set<std::string>{"new"}) << "a dry run writes nothing";
  EXPECT_EQ(Forge("unexpected"), json::array());

  const std::string name = "github:octo/repo#" + std::to_string(clear);
  const json explained = Yard({"explain", name, "--json"}).document();
  EXPECT_EQ(explained["applied"], json({"area: decode", "sorted-by-bot"}));
  EXPECT_EQ(explained["mode"], "apply");
  EXPECT_EQ(explained["labels_before"], json({"new"}));
  const json ledger = Yard({"ledger", "list", "--subject", name, "--json"}).document()["effects"];
  ASSERT_EQ(ledger.size(), 1U);
  EXPECT_EQ(ledger[0]["state"], "confirmed");
  EXPECT_EQ(ledger[0]["decision"], explained["id"]);
  EXPECT_EQ(ledger[0]["attempts"], 1);
  EXPECT_EQ(Yard({"ledger", "show", ledger[0]["key"], "--json"}).document(), ledger[0]);
  const json deliveries = Yard({"deliveries", "list", "--subject", name, "--state", "done", "--json"}).document();
  ASSERT_EQ(deliveries["deliveries"].size(), 1U);
  const json shown = Yard({"deliveries", "show", deliveries["deliveries"][0]["delivery_id"], "--json"}).document();
  EXPECT_EQ(shown["effects"][0]["key"], ledger[0]["key"]);
  EXPECT_EQ(json::parse(shown["body"].get<std::string>())["action"], "opened");
  EXPECT_EQ(Yard({"explain", "github:octo/repo#999"}).code, 1);
  EXPECT_EQ(Yard({"deliveries", "show", "nothing"}).code, 1);
}

TEST_F(PipeTest, GitCodesIssuesAreSortedAsWell) {
  Start(SourcePath("tests/support/packs").string(), "lantern");
  const int64_t clear = Open("gitcode", "octo/repo", "读取 WebP 失败", "DecodeError for every webp.", {"new"});
  const int64_t vague = Open("gitcode", "octo/repo", "安装失败", "什么都没有。", {"new"});
  const int64_t later = Open("gitcode", "octo/repo", "Can't read a PNG", "DecodeError in png.", {});
  Drain();
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", clear)),
            (std::set<std::string>{"new", "area: decode", "sorted-by-bot"}));
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", vague)),
            (std::set<std::string>{"new", "needs details", "sorted-by-bot"}));
  EXPECT_EQ(Templates(Subject("gitcode", "octo/repo", vague)), std::vector<std::string>{"ask-details"});
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", later)), std::set<std::string>{});
  // The entry label comes later; this forge only sends the whole set.
  Forge("labels", {{"forge", "gitcode"}, {"repository", "octo/repo"}, {"number", later}, {"add", {"new"}}});
  Drain();
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", later)),
            (std::set<std::string>{"new", "area: decode", "sorted-by-bot"}));
  EXPECT_EQ(Forge("unexpected"), json::array());
}

// The shipped pack for GitCode: no entry label, names of its own for everything.
TEST_F(PipeTest, EveryIssueOpenedOnGitCodeEntersTheRubricWithoutAnEntryLabel) {
  Start(SourcePath("rules/packs").string(), "hyper-parallel");
  const std::string body = "### 重现步骤\n```python\nd.redistribute(mesh, [Shard(1)])\n```\n";
  const int64_t clear = Open("gitcode", "octo/repo", "DTensor 重排布结果不正确", body, {});
  const int64_t vague = Open("gitcode", "octo/repo", "训练挂死", "训练到 100 步就卡住了，没有任何日志。", {});
  const int64_t marked = Open("gitcode", "octo/repo", "DTensor 重排布结果不正确", body + "\n2", {"ym-triaged"});
  Drain();
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", clear)),
            (std::set<std::string>{"kind/bug", "area/dtensor", "ym-triaged"}));
  EXPECT_EQ(Templates(Subject("gitcode", "octo/repo", clear)), std::vector<std::string>{});
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", vague)),
            (std::set<std::string>{"kind/bug", "needs-info", "ym-triaged"}));
  EXPECT_EQ(Templates(Subject("gitcode", "octo/repo", vague)), std::vector<std::string>{"needs-info"});
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", marked)), std::set<std::string>{"ym-triaged"});

  // The reporter answers: what they say counts as text of the issue.
  Forge("comments",
        {{"forge", "gitcode"},
         {"repository", "octo/repo"},
         {"number", vague},
         {"body", "用 fully_shard 包装模型，卡在 fully_shard 的 unshard：\n```python\nfully_shard(model)\n```"}});
  Drain();
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", vague)),
            (std::set<std::string>{"kind/bug", "area/fsdp", "needs-info", "ym-triaged"}));
  EXPECT_EQ(Templates(Subject("gitcode", "octo/repo", vague)), std::vector<std::string>{"needs-info"}) << "once";

  // A sweep finds what was opened while the daemon was away; here every open issue is the queue.
  KillDaemon();
  const int64_t missed = Open("gitcode", "octo/repo", "如何使用 fully_shard？", "想了解 mp_policy 的含义。", {});
  StartDaemon();
  const Answer sweep = Yard({"sweep", "gitcode:octo/repo", "--json"}, true);
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_EQ(sweep.document()["found"], 1) << sweep.out;
  EXPECT_EQ(Labels(Subject("gitcode", "octo/repo", missed)),
            (std::set<std::string>{"kind/question", "area/fsdp", "ym-triaged"}));
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_F(PipeTest, LabelsThatARepositoryLacksAreNamedAndNeverMade) {
  Start(SourcePath("rules/packs").string(), "hyper-parallel");
  const std::string name = "gitcode:octo/repo";
  const Answer unknown = Yard({"rules", "validate", "--repository", name});
  EXPECT_EQ(unknown.code, 1) << "the forge has no such repository yet: " << unknown.err;
  EXPECT_NE(unknown.err.find(name), std::string::npos) << unknown.err;

  std::vector<std::string> labels;
  const json list = json::parse(std::ifstream(SourcePath("rules/packs/hyper-parallel/labels.json")));
  for (const json& label : list["labels"]) labels.push_back(label["name"]);
  const auto declare = [&](const std::vector<std::string>& names) {
    Forge("labels", {{"forge", "gitcode"}, {"repository", "octo/repo"}, {"declare", names}});
  };
  std::vector<std::string> some = labels;
  ASSERT_EQ(std::erase(some, "needs-triage"), 1U);
  std::replace(some.begin(), some.end(), std::string("kind/bug"), std::string("Kind/Bug"));
  declare(some);
  const Answer lacking = Yard({"rules", "validate", "hyper-parallel", "--repository", name, "--json"});
  EXPECT_EQ(lacking.code, 1) << lacking.err;
  const json answer = lacking.document();
  EXPECT_EQ(answer["valid"], true);
  const json& findings = answer["packs"][0]["labels"]["findings"];
  ASSERT_EQ(findings.size(), 2U) << answer;
  EXPECT_EQ(findings[0]["label"], "kind/bug");
  EXPECT_EQ(findings[0]["kind"], "spelling");
  EXPECT_EQ(findings[0]["repository_label"], "Kind/Bug");
  EXPECT_EQ(findings[1]["label"], "needs-triage");
  EXPECT_EQ(findings[1]["kind"], "missing");
  EXPECT_EQ(findings[1]["written"], true);
  EXPECT_NE(Yard({"rules", "validate", "--repository", name}).out.find("\"needs-triage\" is not in the repository"),
            std::string::npos);

  // This forge takes no names of more than 20 characters.
  const json longer = Yard({"rules", "validate", "pytorch-distributed", "--repository", name, "--json"}).document();
  size_t too_long = 0;
  for (const json& finding : longer["packs"][0]["labels"]["findings"]) too_long += finding["kind"] == "length" ? 1 : 0;
  EXPECT_GT(too_long, 5U);

  declare(labels);
  const Answer fits = Yard({"rules", "validate", "--repository", name, "--json"});
  EXPECT_EQ(fits.code, 0) << fits.out << fits.err;
  EXPECT_EQ(fits.document()["packs"][0]["pack"], "hyper-parallel");
  EXPECT_EQ(fits.document()["packs"][0]["labels"]["findings"], json::array());

  // Only operators may ask about repositories that the configuration does not name.
  EXPECT_EQ(Yard({"rules", "validate", "hyper-parallel", "--repository", "gitcode:octo/other"}).code, 4);
  EXPECT_EQ(Yard({"rules", "validate", "hyper-parallel", "--repository", "gitcode:octo/other"}, true).code, 1);
  const Answer forge = Yard({"rules", "validate", "hyper-parallel", "--repository", "gitlab:octo/repo"});
  EXPECT_EQ(forge.code, 4);
  EXPECT_NE(forge.err.find("gitlab"), std::string::npos) << forge.err;
  // Nothing was made.
  EXPECT_EQ(Forge("state")["gitcode"]["octo/repo"]["labels"], json(labels));

  // A forge that is away is not a daemon that is away.
  forge_->Signal(SIGKILL);
  forge_->Wait(std::chrono::seconds(10));
  const Answer away = Yard({"rules", "validate", "--repository", name});
  EXPECT_EQ(away.code, 4);
  EXPECT_NE(away.err.find("can't do it now"), std::string::npos) << away.err;
}

TEST_F(PipeTest, PeopleAskForDecisionsReplaysAndSweeps) {
  Start(SourcePath("tests/support/packs").string(), "lantern");
  // The daemon was away when it was opened.
  KillDaemon();
  const int64_t number = Open("github", "octo/repo", "Can't read a WebP file", "DecodeError for every webp.", {"new"});
  const std::string name = "github:octo/repo#" + std::to_string(number);
  StartDaemon();

  const Answer looked = Yard({"triage", "issue", name, "--json"});
  EXPECT_EQ(looked.code, 0) << looked.err;
  EXPECT_EQ(looked.document()["mode"], "dry-run");
  EXPECT_EQ(looked.document()["applied"], json({"area: decode", "sorted-by-bot"}));
  EXPECT_EQ(Labels(Subject("github", "octo/repo", number)), std::set<std::string>{"new"});
  EXPECT_EQ(Yard({"triage", "issue", "github:octo/repo#999"}).code, 1);
  EXPECT_EQ(Yard({"triage", "issue", name, "--apply"}).code, 3) << "an anonymous caller may not write";

  const Answer sweep = Yard({"sweep", "github:octo/repo", "--json"}, true);
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_EQ(sweep.document()["done"], 1) << sweep.out;
  EXPECT_EQ(Labels(Subject("github", "octo/repo", number)),
            (std::set<std::string>{"new", "area: decode", "sorted-by-bot"}));
  EXPECT_EQ(Yard({"sweep", "github:octo/repo"}).code, 3);

  // Asked for again: there is nothing left to add.
  const Answer applied = Yard({"triage", "issue", name, "--apply", "--json"}, true);
  EXPECT_EQ(applied.code, 0) << applied.err;
  EXPECT_EQ(applied.document()["effects"], json::array());

  const json list = Yard({"deliveries", "list", "--state", "done", "--limit", "1", "--json"}).document();
  const std::string row = std::to_string(list["deliveries"][0]["id"].get<int64_t>());
  EXPECT_EQ(Yard({"deliveries", "replay", row}).code, 3);
  EXPECT_EQ(Yard({"deliveries", "replay", row}, true).code, 0);
  Drain();
  EXPECT_EQ(Yard({"deadletters", "list", "--json"}).document()["deliveries"], json::array());
  EXPECT_EQ(Yard({"deadletters", "requeue", row}, true).code, 1) << "it is none";
  EXPECT_EQ(Forge("unexpected"), json::array());
}

// Labels and templates are exactly those that `yard triage eval` names, and nothing is done twice, however often the
// daemon dies and whatever the forge does.
TEST_F(PipeTest, KillsUnderFaultsLoseNothingAndDoNothingTwice) {
  const int kills = static_cast<int>(testing::Rounds("YARD_KILLS", 6));
  const int issues = std::max(16, 2 * kills);
  const std::string pack = "pytorch-distributed";
  const std::string packs = SourcePath("rules/packs").string();
  const std::string seed = std::to_string(std::random_device()() % 1'000'000);
  RecordProperty("seed", seed);
  SCOPED_TRACE("seed " + seed);
  std::string faults =
      "error_before=5,error_after=5,reset_before=4,reset_after=4,slow=2,late=5,webhook_duplicate=10,webhook_reorder=10";
  // A refusal that does not say when to come back costs a minute of silence: only the longer runs afford that.
  if (kills >= 20) faults += ",limited=1";
  Start(packs, pack, faults, seed);
  std::mt19937 random(static_cast<unsigned>(std::stoul(seed)));

  std::vector<json> samples;
  std::ifstream lines(SourcePath("deploy/quickstart/issues.jsonl"));
  for (std::string line; std::getline(lines, line);) samples.push_back(json::parse(line));
  ASSERT_FALSE(samples.empty());

  // Load and deaths at the same time.
  std::map<int64_t, json> opened;
  std::ofstream eval(Path("eval.jsonl"));
  int killed = 0;
  for (int i = 0; i < issues; ++i) {
    json issue = samples[static_cast<size_t>(i) % samples.size()];
    issue["body"] = issue["body"].get<std::string>() + "\n\n" + std::to_string(i) + "\n";
    const int64_t number = Open("github", "octo/repo", issue["title"], issue["body"], {"oncall: distributed"});
    ASSERT_GT(number, 0);
    opened[number] = issue;
    eval << json{{"number", number},
                 {"title", issue["title"]},
                 {"body", issue["body"]},
                 {"labels_before", {"oncall: distributed"}}}
                .dump()
         << "\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
    if (killed < kills && random() % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
      KillDaemon();
      StartDaemon();
      ++killed;
    }
  }
  eval.close();
  for (; killed < kills; ++killed) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 600));
    KillDaemon();
    StartDaemon();
  }
  DrainWithMissed();

  Process evaluation({Program("yard"), "--local", "--packs", packs, "triage", "eval", "--pack", pack, "--issues",
                      Path("eval.jsonl"), "--predictions", Path("predictions.jsonl")});
  ASSERT_EQ(evaluation.Wait(std::chrono::seconds(60)), 0) << evaluation.Stderr();
  std::ifstream predictions(Path("predictions.jsonl"));
  const json state = Forge("state");
  std::map<int64_t, json> subjects;
  for (const json& subject : state["github"]["octo/repo"]["subjects"]) subjects[subject["number"]] = subject;
  size_t compared = 0;
  for (std::string line; std::getline(predictions, line);) {
    const json expected = json::parse(line);
    const json& subject = subjects[expected["number"]];
    SCOPED_TRACE("issue " + expected["number"].dump());
    std::set<std::string> labels = {"oncall: distributed"};
    for (const json& label : expected["applied"]) labels.insert(label.get<std::string>());
    EXPECT_EQ(Labels(subject), labels);
    std::vector<std::string> templates;
    if (!expected["comment"].is_null()) templates.push_back(expected["comment"]["template"]);
    EXPECT_EQ(Templates(subject), templates);
    ++compared;
  }
  EXPECT_EQ(compared, opened.size());
  EXPECT_EQ(Forge("unexpected"), json::array()) << "calls outside of the contract's list";
  EXPECT_EQ(Yard({"deadletters", "list", "--json"}).document()["deliveries"], json::array());
  daemon_->Signal(SIGTERM);
  EXPECT_EQ(daemon_->Wait(std::chrono::seconds(30)), 0);
}

}  // namespace
}  // namespace yardmaster
