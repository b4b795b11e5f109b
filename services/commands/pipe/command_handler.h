// What a command does once it is allowed: the interface of its handler.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_HANDLER_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_HANDLER_H_

#include <functional>
#include <map>
#include <string>
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
  bool preview = false;                   // says what would be done, and does nothing
  // Of a command that was confirmed: CommandResult.stands_on of what was shown.
  std::string stands_on = {};
};

// The outcome.
struct CommandResult {
  bool done = true;     // false: `text` is the reason why not
  std::string text;     // Markdown of our own, echoes defanged
  std::string outcome;  // for lists
  // Of a preview: what is confirmed, and no other state of the pull request; empty: any.
  std::string stands_on = {};
  bool goes_on = false;  // what it began is told where it was asked for, in chat
};

using CommandHandler = std::function<absl::StatusOr<CommandResult>(const CommandRun& run)>;
// By the id of the command. A command may have no handler yet.
using CommandHandlers = std::map<std::string, CommandHandler, std::less<>>;

// The name with which effects know the command: another one when other words stand in its place.
std::string EffectName(const PlanInput& input);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_COMMAND_HANDLER_H_
