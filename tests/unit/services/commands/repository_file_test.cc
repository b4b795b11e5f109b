#include "services/commands/repository_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "services/core/limits.h"
#include "services/packs/registry/pack_registry.h"
#include "tests/support/source_path.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const PackSet& Packs() {
  static const std::shared_ptr<const PackSet> kPacks = [] {
    Problems problems;
    auto packs = LoadPackSet(yardmaster::testing::SourcePath("rules/packs"), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    return packs;
  }();
  return *kPacks;
}

RepositoryScope Scope() { return {{"hyper-parallel", "pypto"}, &Packs()}; }

std::vector<std::string> ProblemsOf(std::string_view text, const RepositoryScope& scope = Scope()) {
  std::vector<std::string> out;
  for (const Problem& problem : ValidateRepositoryFile(".gitcode/yardmaster.json", text, scope)) {
    out.push_back(problem.ToString());
  }
  return out;
}

RepositoryFile Parsed(std::string_view text, const RepositoryScope& scope = Scope()) {
  Problems problems;
  auto file = ParseRepositoryFile("f", text, scope, problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return file.value_or(RepositoryFile());
}

constexpr char kFull[] = R"({
  "$schema": "https://example.org/repository.schema.json",
  "packs": ["pypto", "hyper-parallel"],
  "mode": "dry-run",
  "profile": {"pypto": "strict"},
  "severities": {"OL01": "minor", "OL07": "off"},
  "exemptions": [{"rules": ["OL07"], "paths": ["models/**/*.py"], "reason": "generated", "until": "2028-02-29"}],
  "commands": {"triage": {"enabled": false}, "gen-commit-msg": {"who": ["anyone"]}, "squash": {"who": ["author", "team:core"]}},
  "bots": {"commands": ["/Verify", "ci-*"], "logins": ["@Some-Bot"]}
})";

TEST(RepositoryFile, EverythingIsRead) {
  const RepositoryFile file = Parsed(kFull);
  EXPECT_THAT(*file.packs, ElementsAre("pypto", "hyper-parallel"));
  EXPECT_TRUE(file.dry_run);
  EXPECT_EQ(file.review.profiles.at("pypto"), "strict");
  EXPECT_EQ(file.review.severities.at("OL01"), rules::Severity::kMinor);
  EXPECT_EQ(file.review.severities.at("OL07"), std::nullopt);
  ASSERT_THAT(file.review.exemptions, SizeIs(1));
  EXPECT_EQ(file.review.exemptions[0].until, "2028-02-29");
  EXPECT_THAT(file.review.exemptions[0].paths, ElementsAre("models/**/*.py"));
  EXPECT_EQ(file.commands.commands.at("triage").enabled, false);
  EXPECT_THAT(file.commands.commands.at("gen_commit_msg").who->at(0), rules::CommandRight{});
  EXPECT_EQ(file.commands.commands.at("squash").who->at(1).team, "core");
  EXPECT_THAT(file.commands.bot_commands, ElementsAre("verify", "ci-*"));
  EXPECT_THAT(file.commands.bot_logins, ElementsAre("some-bot"));
}

TEST(RepositoryFile, WhatIsPublishedOfReviewsIsNarrowedAndNeverWidened) {
  const ReviewConfig daemon{.publish = {.check = true, .comment = true}, .max_inline = 10};
  RepositoryScope scope = Scope();
  scope.review = &daemon;
  const RepositoryFile file = Parsed(R"({"review": {"publish": ["comment"], "max_inline": 3}})", scope);
  const ReviewConfig narrowed = Narrowed(daemon, file.publishing);
  EXPECT_EQ(narrowed.publish, (ReviewOutputs{false, true, false}));
  EXPECT_EQ(narrowed.max_inline, 3u);
  EXPECT_THAT(ProblemsOf(R"({"review": {"publish": ["inline"]}})", scope),
              ElementsAre(HasSubstr("the service does not publish \"inline\"")));
  EXPECT_THAT(ProblemsOf(R"({"review": {"max_inline": 11}})", scope), ElementsAre(HasSubstr("at most 10 comments")));
  EXPECT_THAT(ProblemsOf(R"({"review": {"events": true}})", scope), SizeIs(1));
  // What an organisation's file may name, since it speaks for many, does not widen either.
  EXPECT_EQ(Narrowed(daemon, Parsed(R"({"review": {"publish": ["inline"], "max_inline": 50}})").publishing).max_inline,
            10u);
}

TEST(RepositoryFile, ARepositorySaysWhatIsPublishedBeforeItsOrganisation) {
  const RepositoryFile own = Parsed(R"({"review": {"publish": []}})");
  const RepositoryFile shared = Parsed(R"({"review": {"publish": ["check"], "max_inline": 2}})");
  const ReviewConfig narrowed = Narrowed({}, MergeRepositoryFiles(&own, &shared).publishing);
  EXPECT_EQ(narrowed.publish, ReviewOutputs());
  EXPECT_EQ(narrowed.max_inline, 2u);
}

TEST(RepositoryFile, TheOldNameOfBotsIsAccepted) {
  const RepositoryFile file = Parsed(R"({"robots": {"commands": ["/Verify"], "logins": ["@Some-Bot"]}})");
  EXPECT_THAT(file.commands.bot_commands, ElementsAre("verify"));
  EXPECT_THAT(file.commands.bot_logins, ElementsAre("some-bot"));
}

TEST(RepositoryFile, AnEmptyObjectSaysNothing) {
  const RepositoryFile file = Parsed("{}");
  EXPECT_FALSE(file.packs);
  EXPECT_FALSE(file.dry_run);
  EXPECT_FALSE(file.has_exemptions);
  EXPECT_THAT(PacksOf(file, {"a", "b"}), ElementsAre("a", "b"));
}

TEST(RepositoryFile, MistakesAreNamedWithLineAndPointerAllAtOnce) {
  const auto problems = ProblemsOf(
      "{\n"
      "  \"packs\": [\"pyto\"],\n"
      "  \"severities\": {\"OL1\": \"minor\"},\n"
      "  \"commands\": {\n"
      "    \"sqash\": {\"enabled\": false},\n"
      "    \"label\": {\"who\": [\"anyone\"]}\n"
      "  }\n"
      "}\n");
  ASSERT_THAT(problems, SizeIs(4));
  EXPECT_THAT(problems[0], HasSubstr(".gitcode/yardmaster.json:2:13: /packs/0: the service does not allow this "
                                     "repository the pack \"pyto\"; did you mean \"pypto\"?"));
  EXPECT_THAT(problems[1], HasSubstr(":3:"));
  EXPECT_THAT(problems[1], HasSubstr("/severities/OL1: no pack of this repository has a rule \"OL1\"; did you mean"));
  EXPECT_THAT(problems[2], HasSubstr(":5:"));
  EXPECT_THAT(problems[2], HasSubstr("/commands/sqash: there is no command \"sqash\"; did you mean \"squash\"?"));
  EXPECT_THAT(problems[3], HasSubstr(":6:"));
  EXPECT_THAT(problems[3],
              HasSubstr("/commands/label/who: \"label\" writes or runs code: it can't be open to \"anyone\""));
}

TEST(RepositoryFile, UnknownKeysAndBadValuesAreRefused) {
  EXPECT_THAT(ProblemsOf("{\n\"pack\": [\"pypto\"]}"), ElementsAre(HasSubstr(":2:9: /pack: unknown key \"pack\"")));
  EXPECT_THAT(ProblemsOf(R"({"mode": "apply"})"), ElementsAre(HasSubstr("/mode: expected \"dry-run\", got \"apply\"")));
  EXPECT_THAT(ProblemsOf(R"({"severities": {"OL01": "huge"}})"), ElementsAre(HasSubstr("expected one of \"block\"")));
  EXPECT_THAT(ProblemsOf(R"({"commands": {"squash": {"at_most": ["author"]}}})"),
              ElementsAre(HasSubstr("/commands/squash/at_most: unknown key")));
  EXPECT_THAT(ProblemsOf(R"({"commands": {"squash": {"who": ["boss"]}}})"), ElementsAre(HasSubstr("/who/0: expected")));
  EXPECT_THAT(ProblemsOf(R"({"commands": {"squash": {"who": []}}})"), ElementsAre(HasSubstr("at least 1 entry")));
  EXPECT_THAT(ProblemsOf(R"({"exemptions": [{"reason": "r"}]})"), ElementsAre(HasSubstr("/exemptions/0")));
  EXPECT_THAT(ProblemsOf(R"({"exemptions": [{"paths": ["a"]}]})"), ElementsAre(HasSubstr("missing key \"reason\"")));
  EXPECT_THAT(ProblemsOf(R"({"profile": "strikt"})"), ElementsAre(HasSubstr("has a profile \"strikt\"")));
  EXPECT_THAT(ProblemsOf(R"({"packs": ["pypto", "pypto"]})"), ElementsAre(HasSubstr("is named twice")));
  EXPECT_THAT(ProblemsOf(R"({"bots": {"commands": ["two words"]}})"),
              ElementsAre(HasSubstr("expected the first word")));
  EXPECT_THAT(ProblemsOf(R"({"commands": {"gen_commit_msg": {}, "gen-commit-msg": {}}})"),
              ElementsAre(HasSubstr("is named twice")));
}

TEST(RepositoryFile, DatesAndPathsAreHeldAgainstTheWorld) {
  const auto exemption = [](const std::string& path, const std::string& until) {
    return ProblemsOf(R"({"exemptions": [{"paths": [")" + path + R"("], "reason": "r", "until": ")" + until +
                      R"("}]})");
  };
  EXPECT_THAT(exemption("a/**", "2026-12-31"), IsEmpty());
  EXPECT_THAT(exemption("a/**", "2027-02-29"), ElementsAre(HasSubstr("there is no such day: 2027-02-29")));
  EXPECT_THAT(exemption("a/**", "2026-13-01"), SizeIs(1));
  EXPECT_THAT(exemption("a/**", "tomorrow"), SizeIs(1));
  EXPECT_THAT(exemption("/etc", "2026-12-31"), ElementsAre(HasSubstr("/exemptions/0/paths/0")));
  EXPECT_THAT(exemption("a/../b", "2026-12-31"), SizeIs(1));
  EXPECT_THAT(exemption("a..b/c", "2026-12-31"), IsEmpty());
}

TEST(RepositoryFile, HostileTextsAreRefusedBeforeTheyCostAnything) {
  EXPECT_THAT(ProblemsOf(std::string(kMaxRepositoryFileBytes + 1, ' ')), SizeIs(1));
  EXPECT_THAT(ProblemsOf(std::string(1000, '[')), SizeIs(1));
  EXPECT_THAT(ProblemsOf(""), SizeIs(1));
  EXPECT_THAT(ProblemsOf("\xff\xfe"), SizeIs(1));
  EXPECT_THAT(ProblemsOf("{\"packs\": [\"pypto\"], \"packs\": []}"), ElementsAre(HasSubstr("packs")));
  std::string many = "{\"severities\": {";
  for (size_t i = 0; i <= kMaxRepositoryRules; ++i) {
    many += (i > 0 ? ", \"YM-" : "\"YM-") + std::to_string(i) + "\": \"off\"";
  }
  EXPECT_THAT(ProblemsOf(many + "}}"), ElementsAre(HasSubstr("expected at most 500 rules")));
}

TEST(RepositoryFile, WithoutADaemonOnlyFormsAreChecked) {
  EXPECT_THAT(
      ProblemsOf(R"({"packs": ["mine"], "severities": {"X1": "off"}, "commands": {"deploy": {"enabled": false}}})",
                 RepositoryScope()),
      IsEmpty());
  // With packs but no list of allowed ones, any pack that there is will do.
  EXPECT_THAT(ProblemsOf(R"({"packs": ["pytorch-distributed"]})", {{}, &Packs()}), IsEmpty());
  EXPECT_THAT(ProblemsOf(R"({"packs": ["mine"]})", {{}, &Packs()}),
              ElementsAre(HasSubstr("there is no pack \"mine\"")));
}

TEST(MergeRepositoryFiles, TheRepositoryComesFirstKeyByKey) {
  const RepositoryFile organisation = Parsed(
      R"({"packs": ["hyper-parallel"], "mode": "dry-run", "severities": {"OL01": "info", "OL07": "off"},
          "commands": {"squash": {"enabled": false}}, "bots": {"commands": ["verify"]}})");
  const RepositoryFile repository = Parsed(
      R"({"severities": {"OL01": "major"}, "exemptions": [], "commands": {"squash": {"who": ["maintainer"]}},
          "bots": {"commands": ["verify", "deploy"]}})");
  const RepositoryFile merged = MergeRepositoryFiles(&repository, &organisation);
  EXPECT_THAT(*merged.packs, ElementsAre("hyper-parallel"));
  EXPECT_TRUE(merged.dry_run);  // narrowed by either
  EXPECT_EQ(merged.review.severities.at("OL01"), rules::Severity::kMajor);
  EXPECT_EQ(merged.review.severities.at("OL07"), std::nullopt);
  EXPECT_THAT(merged.review.exemptions, IsEmpty());
  EXPECT_EQ(merged.commands.commands.at("squash").enabled, false);
  EXPECT_TRUE(merged.commands.commands.at("squash").who);
  EXPECT_THAT(merged.commands.bot_commands, ElementsAre("verify", "deploy"));
  EXPECT_FALSE(MergeRepositoryFiles(nullptr, nullptr).packs);
}

TEST(PacksOf, OnlyAllowedPacksAreUsedWhateverTheOrganisationChose) {
  RepositoryFile file;
  file.packs = {"c", "b"};
  EXPECT_THAT(PacksOf(file, {"a", "b", "c"}), ElementsAre("c", "b"));
  EXPECT_THAT(PacksOf(file, {"a", "b"}), ElementsAre("b"));
  EXPECT_THAT(PacksOf(file, {"a"}), ElementsAre("a"));
}

TEST(RepositoryFilePath, IsThatOfTheForge) {
  EXPECT_EQ(RepositoryFilePath("github"), ".github/yardmaster.json");
  EXPECT_EQ(RepositoryFilePath("gitcode"), ".gitcode/yardmaster.json");
  EXPECT_EQ(OrganisationRepository("gitcode", "mindspore"), "mindspore/.gitcode");
}

}  // namespace
}  // namespace yardmaster::commands
