// What handlers of commands share: reading slots, saying things in the person's language, and the steps of plans.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLER_TOOLS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLER_TOOLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

std::string Say(const CommandRun& run, std::string_view en, std::string_view zh);

// A slot's words; none where it is not given.
std::vector<std::string> SlotNames(const ParsedCommand& command, std::string_view slot);
// The first of them; empty where it is not given.
std::string OneSlot(const ParsedCommand& command, std::string_view slot);
bool HasFlag(const ParsedCommand& command, std::string_view slot);

// Of the plan's first step with this id; empty if there is none.
std::string WhyOfStep(const v1::Plan& plan, std::string_view id);
// What the steps of that id say, in order.
std::vector<std::string> WhysOfSteps(const v1::Plan& plan, std::string_view id);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_HANDLER_TOOLS_H_
