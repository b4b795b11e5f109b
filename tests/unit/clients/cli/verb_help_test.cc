#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HelpCommands, ListsTheCommandsOfAPack) {
  const Result all = RunWithShippedPacks({"help", "commands"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("/gen-commit-msg "));
  EXPECT_THAT(all.out, HasSubstr("not_yet"));
  EXPECT_THAT(RunWithShippedPacks({"help", "commands", "--zh"}).out, HasSubstr("压成一个"));
}

TEST(HelpCommands, ExplainsOne) {
  const Result one = RunWithShippedPacks({"help", "commands", "autogit", "squash"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("Usage: /squash [PR] [-m MESSAGE]"));
  EXPECT_THAT(one.out, Not(HasSubstr("/backport")));
  const Result page = RunWithShippedPacks({"help", "commands", "squash", "--markdown"});
  EXPECT_THAT(page.out, HasSubstr("Usage: `/squash [PR] [-m MESSAGE]`"));
}

TEST(HelpCommands, AnUnknownOneIsANegativeAnswerWithASuggestion) {
  const Result unknown = RunWithShippedPacks({"help", "commands", "sqaush"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.out, "");
  EXPECT_THAT(unknown.err, HasSubstr("did you mean /squash?"));
}

TEST(HelpCommands, JsonIsOneDocument) {
  const auto all = nlohmann::json::parse(RunWithShippedPacks({"help", "commands", "--json"}).out);
  EXPECT_EQ(all["pack"], "common");
  EXPECT_GE(all["commands"].size(), 23u);
  const auto one = nlohmann::json::parse(RunWithShippedPacks({"help", "commands", "gen-commit-msg", "--json"}).out);
  EXPECT_EQ(one["id"], "gen_commit_msg");
}

TEST(RulesShow, KnowsCommands) {
  const Result show = RunWithShippedPacks({"rules", "show", "gen-commit-msg"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_THAT(show.out, HasSubstr("command gen_commit_msg"));
  EXPECT_THAT(show.out, HasSubstr("common/commands.json:"));
  EXPECT_THAT(show.out, HasSubstr("examples: /gen-commit-msg --scope fsdp"));
  const auto list = nlohmann::json::parse(RunWithShippedPacks({"rules", "list", "--json"}).out);
  // A pack that extends none has only its own.
  for (const auto& pack : list["packs"]) {
    const bool has_commands = pack["name"] == "common" || !pack["extends"].get_ref<const std::string&>().empty();
    EXPECT_EQ(pack["commands"].get<int>() >= 23, has_commands) << pack["name"];
  }
}

TEST(ConfigCheck, ARepositoryFileIsHeldAgainstThePacks) {
  testing::TempDir dir;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(dir.path() / name) << text;
    return (dir.path() / name).string();
  };
  const std::string good = write("good.json", R"({"packs": ["pypto"], "severities": {"OL01": "minor"}})");
  EXPECT_EQ(RunWithShippedPacks({"config", "check", "--repository-file", good}).code, 0);
  const Result refused =
      RunWithShippedPacks({"config", "check", "--repository-file", good, "--pack", "hyper-parallel"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the service does not allow this repository the pack \"pypto\""));

  const std::string bad = write("bad.json", "{\n\"commands\": {\"sqash\": {}}}");
  const Result problems = RunWithShippedPacks({"config", "check", "--repository-file", bad, "--json"});
  EXPECT_EQ(problems.code, 2);
  const auto json = nlohmann::json::parse(problems.out);
  EXPECT_EQ(json["valid"], false);
  EXPECT_EQ(json["problems"][0]["line"], 2);
  EXPECT_EQ(json["problems"][0]["pointer"], "/commands/sqash");

  EXPECT_EQ(RunWithShippedPacks({"config", "check"}).code, 2);
  EXPECT_EQ(RunWithShippedPacks({"config", "check", good, "--repository-file", good}).code, 2);
  EXPECT_EQ(RunWithShippedPacks({"config", "check", "--repository-file", (dir.path() / "none").string()}).code, 2);
}

}  // namespace
}  // namespace yardmaster::cli
