#include "clients/command_line/command.h"

#include "absl/algorithm/container.h"

namespace yardmaster::command_line {

Option& Option::Required() {
  required = true;
  return *this;
}

Option& Option::OneOf(std::vector<std::string> values) {
  choices = std::move(values);
  return *this;
}

Option& Option::Between(int64_t least, int64_t most) {
  range = {least, most};
  return *this;
}

Option& Option::NotNegative() {
  not_negative = true;
  return *this;
}

Option& Option::AtMost(int values) {
  most_values = values;
  return *this;
}

Option& Option::ShowsDefault() {
  shows_default = true;
  return *this;
}

Command::Command(std::string_view name, std::string_view summary) : name_(name), summary_(summary) {}

Option& Command::AddOption(std::string_view name, Target target, std::string_view summary) {
  Option& option = options_.emplace_back();
  option.name = name;
  option.target = target;
  option.summary = summary;
  return option;
}

Option& Command::Flag(std::string_view name, bool* target, std::string_view summary) {
  return AddOption(name, target, summary);
}

Option& Command::Value(std::string_view name, Target target, std::string_view value_name, std::string_view summary) {
  Option& option = AddOption(name, target, summary);
  option.value_name = value_name;
  return option;
}

Option& Command::Value(std::string_view name, Target target, std::string_view summary) {
  return AddOption(name, target, summary);
}

Option& Command::Argument(std::string_view name, Target target, std::string_view summary) {
  // Its name stands for its value already.
  return Value(name, target, "", summary);
}

Option& Command::Help(std::string_view name, std::string_view summary) { return AddOption(name, PrintHelp(), summary); }

Option& Command::Version(std::string_view name, std::string_view text, std::string_view summary) {
  version_ = text;
  return AddOption(name, PrintVersion(), summary);
}

void Command::AddVerb(std::unique_ptr<Command> verb) {
  const auto help =
      absl::c_find_if(options_, [](const Option& option) { return std::holds_alternative<PrintHelp>(option.target); });
  if (help != options_.end()) verb->options_.insert(verb->options_.begin(), *help);
  verbs_.push_back(std::move(verb));
}

}  // namespace yardmaster::command_line
