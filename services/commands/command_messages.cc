#include "services/commands/command_messages.h"

#include <string>

namespace yardmaster::commands {
namespace {

void Write(const rules::LocalText& text, v1::LocalText& out) {
  out.set_en(text.en);
  out.set_zh(text.zh);
}

void Write(const rules::CommandParameter& parameter, v1::CommandParameterInfo& out) {
  out.set_name(parameter.name);
  for (const std::string& alias : parameter.aliases) out.add_aliases(alias);
  out.set_slot(parameter.slot);
  out.set_type(std::string(rules::TypeName(parameter.type)));
  out.set_positional(parameter.positional);
  out.set_required(parameter.required);
  for (const std::string& value : parameter.values) out.add_values(value);
  out.set_default_value(parameter.default_value);
  Write(parameter.summary, *out.mutable_title());
}

v1::CommandInfo::State StateOf(rules::CommandState state) {
  static constexpr v1::CommandInfo::State kStates[] = {v1::CommandInfo::STATE_WORKS, v1::CommandInfo::STATE_NOT_YET,
                                                       v1::CommandInfo::STATE_NOT_OFFERED};
  return kStates[static_cast<size_t>(state)];
}

}  // namespace

void WriteCommand(const rules::CommandModel& command, v1::CommandInfo& out) {
  out.set_id(command.id);
  out.set_group(command.group);
  Write(command.title, *out.mutable_title());
  if (!command.help.en.empty()) Write(command.help, *out.mutable_help());
  out.set_usage(command.usage);
  for (const rules::CommandForm& form : command.forms) out.add_forms(form.text);
  for (const rules::CommandParameter& parameter : command.parameters) Write(parameter, *out.add_parameters());
  for (const rules::CommandExample& example : command.examples) out.add_examples(example.text);
  out.set_writes(command.access == rules::CommandAccess::kWrite);
  for (const rules::CommandRight& right : command.who) out.add_who(rules::RightName(right));
  for (const std::string& place : rules::PlaceNames(command.places)) out.add_places(place);
  out.set_state(StateOf(command.state));
  if (!command.reason.en.empty()) Write(command.reason, *out.mutable_reason());
}

}  // namespace yardmaster::commands
