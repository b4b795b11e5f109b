// What /help, `yard help commands` and the docs page say: made from the table, so that it can't be out of date.
#ifndef YARDMASTER_SERVICES_COMMANDS_HELP_H_
#define YARDMASTER_SERVICES_COMMANDS_HELP_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rules/engine/commands/command_table.h"
#include "services/commands/permission.h"

namespace yardmaster::commands {

struct HelpOptions {
  bool chinese = false;
  // What the repository's configuration changes: commands that are switched off are left out, rights are those that
  // hold.
  SettingLayers layers;
  // Commands that may come from there only; 0: all.
  uint8_t places = 0;
};

// The command that somebody asks about: an id, a form with or without its slash ("squash", "/autogit squash",
// "gen-commit-msg"), in any case. nullptr if there is none.
const rules::CommandModel* FindForHelp(const rules::CommandTable& table, std::string_view asked);

// All commands as Markdown, by group: usage, what it does, who may. Hidden ones are left out.
std::string HelpList(const rules::CommandTable& table, const HelpOptions& options);

// One command as Markdown: usage, other forms, parameters, examples, who may, from where, and whether it works here.
std::string HelpOne(const rules::CommandTable& table, const rules::CommandModel& command, const HelpOptions& options);

// HelpOne of what is asked about; HelpList with a sentence before it where nothing is asked or nothing is known by that
// name. `asked` is what people wrote; it is made harmless.
std::string HelpAnswer(const rules::CommandTable& table, std::string_view asked, const HelpOptions& options);

// Everything about one command, for scripts. Keys: id, group, usage, forms, parameters, examples, access, who, where,
// state, reason, title, help; texts are {"en", "zh"}.
nlohmann::ordered_json CommandJson(const rules::CommandModel& command);

// deploy/commands.md: both languages. Kept in the repository; a test compares.
std::string DocsPage(const rules::CommandTable& table);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_HELP_H_
