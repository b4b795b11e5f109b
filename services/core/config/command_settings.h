// What a configuration says about commands: which are switched off, who may give them, and which words belong to other
// bots. The daemon's config, an organisation's file and a repository's file say it in the same words.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_COMMAND_SETTINGS_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_COMMAND_SETTINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/commands/command_model.h"
#include "services/core/json_reader.h"

namespace yardmaster {

// Unset members leave what a wider configuration, or the pack, says.
struct CommandSetting {
  std::optional<bool> enabled;
  std::optional<std::vector<rules::CommandRight>> who;  // any of them
  // The daemon's config only: no others may, whatever files of repositories say.
  std::optional<std::vector<rules::CommandRight>> at_most;
};

// Which commands that rewrite something wait for a person's confirmation.
enum class ConfirmCommands : uint8_t {
  kSentences,  // those that a sentence asks for
  kAlways,
  kNever,
};

struct CommandSettings {
  std::map<std::string, CommandSetting, std::less<>> commands;  // by id, with "_"
  std::vector<std::string> bot_commands;                        // as in CommandsModel
  std::vector<std::string> bot_logins;
  std::optional<ConfirmCommands> confirm;  // the daemon's config only; unset: kSentences
};

// Reads the members "commands" and "bots" of an object:
//   "commands": {"squash": {"enabled": true, "who": ["author", "team:core"], "at_most": ["collaborator"]},
//                "confirm": "sentences"},
//   "bots": {"commands": ["lgtm", "ci-*"], "logins": ["some-bot"]}
// `bounds`: whether "at_most" and "confirm" are allowed. Ids are checked in form only: which there are is for the pack
// to say.
CommandSettings ReadCommandSettings(ObjectReader& reader, bool bounds);

// What `narrow` sets, else what `wide` does; bots of both.
CommandSettings MergeCommandSettings(const CommandSettings& narrow, const CommandSettings& wide);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_COMMAND_SETTINGS_H_
