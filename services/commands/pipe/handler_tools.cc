#include "services/commands/pipe/handler_tools.h"

#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace yardmaster::commands {

std::string Say(const CommandRun& run, std::string_view en, std::string_view zh) {
  return std::string(run.asked.chinese ? zh : en);
}

std::vector<std::string> SlotNames(const ParsedCommand& command, std::string_view slot) {
  const auto it = command.slots.find(slot);
  if (it == command.slots.end()) return {};
  if (const auto* list = std::get_if<std::vector<std::string>>(&it->second)) return *list;
  if (const auto* one = std::get_if<std::string>(&it->second)) return {*one};
  return {};
}

std::string OneSlot(const ParsedCommand& command, std::string_view slot) {
  const std::vector<std::string> names = SlotNames(command, slot);
  return names.empty() ? std::string() : names.front();
}

bool HasFlag(const ParsedCommand& command, std::string_view slot) {
  const auto it = command.slots.find(slot);
  const bool* flag = it == command.slots.end() ? nullptr : std::get_if<bool>(&it->second);
  return flag != nullptr && *flag;
}

std::string EffectName(const PlanInput& input) {
  return absl::StrCat(input.command->name, "-", input.command->revision);
}

std::string WhyOfStep(const v1::Plan& plan, std::string_view id) {
  const auto& steps = plan.explanation().steps();
  const auto step = absl::c_find_if(steps, [id](const v1::StepOutcome& one) { return one.id() == id; });
  return step == steps.end() ? std::string() : step->why();
}

std::vector<std::string> WhysOfSteps(const v1::Plan& plan, std::string_view id) {
  std::vector<std::string> out;
  for (const v1::StepOutcome& step : plan.explanation().steps()) {
    if (step.id() == id) out.push_back(step.why());
  }
  return out;
}

}  // namespace yardmaster::commands
