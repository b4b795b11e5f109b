#include "services/commands/permission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace yardmaster::commands {
namespace {

using rules::CommandRight;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<CommandRight> Rights(const std::vector<std::string>& names) {
  std::vector<CommandRight> out;
  for (const std::string& name : names) {
    CommandRight right;
    EXPECT_TRUE(rules::ParseRight(name, right)) << name;
    out.push_back(right);
  }
  return out;
}

std::vector<std::string> Names(const std::vector<CommandRight>& rights) {
  std::vector<std::string> out;
  for (const CommandRight& right : rights) out.push_back(rules::RightName(right));
  return out;
}

rules::CommandModel Squash(const std::vector<std::string>& who = {"author"}) {
  rules::CommandModel command;
  command.id = "squash";
  command.access = rules::CommandAccess::kWrite;
  command.who = Rights(who);
  command.places = rules::kFromPull | rules::kFromChat;
  return command;
}

CommandSettings Setting(std::optional<bool> enabled, const std::vector<std::string>& who = {},
                        const std::vector<std::string>& at_most = {}) {
  CommandSettings settings;
  CommandSetting& setting = settings.commands["squash"];
  setting.enabled = enabled;
  if (!who.empty()) setting.who = Rights(who);
  if (!at_most.empty()) setting.at_most = Rights(at_most);
  return settings;
}

PermissionDecision Ask(const rules::CommandModel& command, const Person& person, const SettingLayers& layers = {},
                       rules::CommandPlace place = rules::kFromPull, const std::string& author = "alice") {
  return Decide({&command, place, author}, person, layers);
}

TEST(Decide, TheAuthorIsKnownWhateverTheCaseOfTheLogin) {
  EXPECT_TRUE(Ask(Squash(), {"Alice", "none", {}}).allowed());
  EXPECT_EQ(Ask(Squash(), {"bob", "admin", {}}).kind, PermissionDecision::Kind::kNotEntitled);
  // Nobody knows who wrote it: then nobody is the author, not even somebody without a name.
  EXPECT_FALSE(Ask(Squash(), {"", "none", {}}, {}, rules::kFromPull, "").allowed());
  EXPECT_FALSE(Ask(Squash(), {"alice", "none", {}}, {}, rules::kFromPull, "").allowed());
}

TEST(Decide, ForgeWordsAreRights) {
  const rules::CommandModel collaborator = Squash({"collaborator"});
  const rules::CommandModel maintainer = Squash({"maintainer"});
  for (const char* word : {"triage", "write", "maintain", "admin"}) {
    EXPECT_TRUE(Ask(collaborator, {"bob", word, {}}).allowed()) << word;
  }
  for (const char* word : {"", "none", "read", "Admin", "owner"}) {
    EXPECT_FALSE(Ask(collaborator, {"bob", word, {}}).allowed()) << word;
  }
  EXPECT_TRUE(Ask(maintainer, {"bob", "maintain", {}}).allowed());
  EXPECT_FALSE(Ask(maintainer, {"bob", "write", {}}).allowed());
}

TEST(Decide, MembersOfATeamAreAskedForOnlyWhereNothingElseHolds) {
  const rules::CommandModel command = Squash({"author", "team:core"});
  std::vector<std::string> asked;
  const auto member = [&](const std::string& team) {
    asked.push_back(team);
    return true;
  };
  EXPECT_TRUE(Ask(command, {"alice", "none", member}).allowed());
  EXPECT_THAT(asked, IsEmpty());
  EXPECT_TRUE(Ask(command, {"bob", "none", member}).allowed());
  EXPECT_THAT(asked, ElementsAre("core"));
  EXPECT_FALSE(Ask(command, {"bob", "none", {}}).allowed());
}

TEST(Decide, ACommandIsRefusedWhereItCantBeGiven) {
  EXPECT_EQ(Ask(Squash(), {"alice", "admin", {}}, {}, rules::kFromIssue).kind, PermissionDecision::Kind::kWrongPlace);
}

TEST(Decide, ARefusalSaysWhoMayAndWhoSaysSo) {
  const CommandSettings repository = Setting({}, {"maintainer", "team:core"});
  const PermissionDecision decision = Ask(Squash(), {"alice", "write", {}}, {&repository});
  EXPECT_EQ(decision.kind, PermissionDecision::Kind::kNotEntitled);
  EXPECT_EQ(decision.source, SettingSource::kRepository);
  EXPECT_THAT(Names(decision.who), ElementsAre("maintainer", "team:core"));
  EXPECT_EQ(Ask(Squash(), {"bob", "write", {}}).source, SettingSource::kPack);
}

TEST(RightsOf, TheRepositoryComesBeforeTheOrganisationBeforeTheDaemonBeforeThePack) {
  const CommandSettings repository = Setting({}, {"maintainer"});
  const CommandSettings organisation = Setting({}, {"collaborator"});
  const CommandSettings daemon = Setting({}, {"anyone"});
  EXPECT_THAT(Names(RightsOf(Squash(), {}).who), ElementsAre("author"));
  EXPECT_THAT(Names(RightsOf(Squash(), {nullptr, nullptr, &daemon}).who), ElementsAre("anyone"));
  EXPECT_THAT(Names(RightsOf(Squash(), {nullptr, &organisation, &daemon}).who), ElementsAre("collaborator"));
  EXPECT_THAT(Names(RightsOf(Squash(), {&repository, &organisation, &daemon}).who), ElementsAre("maintainer"));
  // Of another command nobody says anything.
  rules::CommandModel other = Squash();
  other.id = "update";
  EXPECT_THAT(Names(RightsOf(other, {&repository, &organisation, &daemon}).who), ElementsAre("author"));
}

TEST(RightsOf, ARepositorySwitchesOnWhatTheOrganisationSwitchedOffButNotWhatTheDaemonDid) {
  const CommandSettings on = Setting(true);
  const CommandSettings off = Setting(false);
  EXPECT_TRUE(RightsOf(Squash(), {&on, &off, nullptr}).enabled);
  EXPECT_FALSE(RightsOf(Squash(), {nullptr, &off, nullptr}).enabled);
  EXPECT_FALSE(RightsOf(Squash(), {&off, nullptr, &on}).enabled);
  const CommandRights rights = RightsOf(Squash(), {&on, &on, &off});
  EXPECT_FALSE(rights.enabled);
  EXPECT_EQ(rights.enabled_source, SettingSource::kDaemon);
  EXPECT_EQ(Ask(Squash(), {"alice", "admin", {}}, {&on, &on, &off}).kind, PermissionDecision::Kind::kDisabled);
}

TEST(Decide, FilesLetNobodyInBeyondTheDaemonsBound) {
  const CommandSettings daemon = Setting({}, {}, {"collaborator"});
  const CommandSettings repository = Setting({}, {"anyone"});
  const SettingLayers layers = {&repository, nullptr, &daemon};
  EXPECT_TRUE(Ask(Squash(), {"bob", "write", {}}, layers).allowed());
  const PermissionDecision decision = Ask(Squash(), {"bob", "read", {}}, layers);
  EXPECT_EQ(decision.kind, PermissionDecision::Kind::kNotEntitled);
  EXPECT_EQ(decision.source, SettingSource::kDaemon);
  EXPECT_THAT(Names(decision.who), ElementsAre("collaborator"));
  // A bound in a file is not one: only the daemon's counts.
  const CommandSettings file_bound = Setting({}, {"anyone"}, {"maintainer"});
  EXPECT_TRUE(Ask(Squash(), {"bob", "none", {}}, {&file_bound}).allowed());
}

TEST(Decide, NothingIsWrittenWhileAFileIsBroken) {
  SettingLayers layers;
  layers.repository_broken = true;
  const PermissionDecision decision = Ask(Squash(), {"alice", "admin", {}}, layers);
  EXPECT_EQ(decision.kind, PermissionDecision::Kind::kBrokenFile);
  EXPECT_EQ(decision.source, SettingSource::kRepository);
  rules::CommandModel reads = Squash();
  reads.access = rules::CommandAccess::kRead;
  EXPECT_TRUE(Ask(reads, {"alice", "none", {}}, layers).allowed());
  layers.repository_broken = false;
  layers.organisation_broken = true;
  EXPECT_EQ(Ask(Squash(), {"alice", "admin", {}}, layers).source, SettingSource::kOrganisation);
}

TEST(QuestionsOf, NothingIsAskedWhereTheAnswerIsKnown) {
  const auto questions = [](const rules::CommandModel& command, const char* login, const SettingLayers& layers = {},
                            rules::CommandPlace place = rules::kFromPull) {
    return QuestionsOf({&command, place, "alice"}, login, layers);
  };
  EXPECT_FALSE(questions(Squash({"author", "collaborator"}), "alice").permission);
  EXPECT_FALSE(questions(Squash({"anyone"}), "bob").permission);
  EXPECT_FALSE(questions(Squash({"collaborator"}), "bob", {}, rules::kFromIssue).permission);
  const CommandSettings off = Setting(false);
  EXPECT_FALSE(questions(Squash({"collaborator"}), "bob", {&off}).permission);

  const PermissionQuestions asked = questions(Squash({"author", "maintainer", "team:a", "team:b/c", "team:a"}), "bob");
  EXPECT_TRUE(asked.permission);
  EXPECT_THAT(asked.teams, ElementsAre("a", "b/c"));
  // The bound has to be known, too.
  const CommandSettings bound = Setting({}, {}, {"collaborator"});
  EXPECT_TRUE(questions(Squash({"anyone"}), "bob", {nullptr, nullptr, &bound}).permission);
}

}  // namespace
}  // namespace yardmaster::commands
