// Reads commands.json of one pack, and checks the commands of a pack when everything is merged.
#ifndef YARDMASTER_RULES_ENGINE_PACK_COMMAND_READER_H_
#define YARDMASTER_RULES_ENGINE_PACK_COMMAND_READER_H_

#include <span>
#include <string_view>

#include "rules/engine/commands/command_model.h"
#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// A text that the bot answers with, and the {places} that are filled in it.
struct AnswerText {
  std::string_view id;
  std::span<const std::string_view> places;
};
// All of them: a pack with commands has each, and none that is not here.
std::span<const AnswerText> AnswerTexts();

// Reads a document that is valid under commands.schema.json. True if it has "people_labels", which replaces an
// inherited list.
bool ReadCommands(const JsonDocument& document, std::string_view pack, CommandsModel& commands, Problems& problems);

// What concerns all commands of a pack: words that two commands share, unknown groups, answers that are missing.
void CheckCommands(const CommandsModel& commands, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PACK_COMMAND_READER_H_
