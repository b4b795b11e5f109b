// Who may give a command. A pure decision: what the forge knows about the person is passed in.
//
// Precedence, for each command on its own: the file on the repository's base branch, then the organisation's file, then
// the daemon's config, then the pack. The first that has "who" decides; the same for "enabled". Two things a file
// can't do: switch on what the daemon's config switches off, and let in people beyond the daemon's "at_most".
#ifndef YARDMASTER_SERVICES_COMMANDS_PERMISSION_H_
#define YARDMASTER_SERVICES_COMMANDS_PERMISSION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_model.h"
#include "services/core/config/command_settings.h"

namespace yardmaster::commands {

// Which configuration says so, from the narrowest.
enum class SettingSource : uint8_t { kRepository, kOrganisation, kDaemon, kPack };

// What configurations say; nullptr: nothing. The files are those of the base branch.
struct SettingLayers {
  const CommandSettings* repository = nullptr;
  const CommandSettings* organisation = nullptr;
  const CommandSettings* daemon = nullptr;
  // There is such a file, and it could not be read or has problems: what it might forbid is unknown, so nothing is
  // written until it is fixed.
  bool repository_broken = false;
  bool organisation_broken = false;
};

// What holds for one command.
struct CommandRights {
  bool enabled = true;
  SettingSource enabled_source = SettingSource::kPack;
  std::vector<rules::CommandRight> who;  // any of them …
  SettingSource who_source = SettingSource::kPack;
  std::vector<rules::CommandRight> at_most;  // … and any of these, unless empty
};
CommandRights RightsOf(const rules::CommandModel& command, const SettingLayers& layers);

// The person, as far as the forge had to be asked.
struct Person {
  std::string login;
  // "none", "read", "triage", "write", "maintain" or "admin"; any other word, also empty, permits nothing.
  std::string permission;
  // Whether the person is a member of a team, by CommandRight::team; not set: of none.
  std::function<bool(const std::string& team)> is_member;
};

struct PermissionRequest {
  const rules::CommandModel* command = nullptr;
  rules::CommandPlace place = rules::kFromIssue;
  // Who opened the issue or pull request that the command would work on, which need not be the one of the thread. Empty
  // if unknown: then no one is the author.
  std::string author;
};

struct PermissionDecision {
  enum class Kind : uint8_t {
    kAllowed,
    kWrongPlace,   // can't be given there at all
    kDisabled,     // switched off here; `source` says by whom
    kNotEntitled,  // this person may not; `who` may, says `source`
    kBrokenFile,   // a write, and the file of `source` can't be read
  };
  Kind kind = Kind::kNotEntitled;
  SettingSource source = SettingSource::kPack;
  std::vector<rules::CommandRight> who;  // kNotEntitled: who may
  rules::CommandRight by;                // kAllowed: the right that it is

  bool allowed() const { return kind == Kind::kAllowed; }
};

PermissionDecision Decide(const PermissionRequest& request, const Person& person, const SettingLayers& layers);

// What has to be asked of the forge before Decide: rights of authors and of anyone cost no call. Empty and false where
// the answer does not depend on it.
struct PermissionQuestions {
  bool permission = false;         // Person::permission
  std::vector<std::string> teams;  // Person::is_member, in the order of the rights; only if the rest does not suffice
};
PermissionQuestions QuestionsOf(const PermissionRequest& request, std::string_view login, const SettingLayers& layers);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PERMISSION_H_
