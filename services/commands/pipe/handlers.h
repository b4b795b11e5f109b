// What the commands of the table do, one function for each. To add one, write its function in handlers.cc and name it
// in the table there.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/commands/answers.h"
#include "services/commands/grammar.h"
#include "services/intake/subject_planner.h"

namespace yardmaster::commands {

// One command with everything that its work looks at.
struct CommandRun {
  const PlanInput& input;
  const ParsedCommand& command;
  const Answers& answers;
  const AnsweredCommand& asked;
  const SettingLayers& layers;
  const std::vector<std::string>& packs;  // that the repository may use
  v1::Plan& plan;                         // takes actions that come before the answer
};

// The outcome.
struct CommandResult {
  bool done = true;     // false: `text` is the reason why not
  std::string text;     // Markdown of our own, echoes defanged
  std::string outcome;  // for lists
};

// nullptr for a command without a handler.
using CommandHandler = absl::StatusOr<CommandResult> (*)(const CommandRun& run);
CommandHandler FindHandler(std::string_view command);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLERS_H_
