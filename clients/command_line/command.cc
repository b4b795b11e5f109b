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

Command::Command(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {}

Option& Command::AddOption(std::string name, Target target, std::string summary) {
  Option& option = options_.emplace_back();
  option.name = std::move(name);
  option.target = std::move(target);
  option.summary = std::move(summary);
  return option;
}

Option& Command::Flag(std::string name, bool* target, std::string summary) {
  return AddOption(std::move(name), target, std::move(summary));
}

Option& Command::Value(std::string name, Target target, std::string value_name, std::string summary) {
  Option& option = AddOption(std::move(name), std::move(target), std::move(summary));
  option.value_name = std::move(value_name);
  return option;
}

Option& Command::Value(std::string name, Target target, std::string summary) {
  return AddOption(std::move(name), std::move(target), std::move(summary));
}

Option& Command::Argument(std::string name, Target target, std::string summary) {
  // Its name stands for its value already.
  return Value(std::move(name), std::move(target), "", std::move(summary));
}

Option& Command::Help(std::string name, std::string summary) {
  return AddOption(std::move(name), PrintHelp(), std::move(summary));
}

Option& Command::Version(std::string name, std::string text, std::string summary) {
  return AddOption(std::move(name), PrintVersion{std::move(text)}, std::move(summary));
}

void Command::AddVerb(std::unique_ptr<Command> verb) {
  const auto help =
      absl::c_find_if(options_, [](const Option& option) { return std::holds_alternative<PrintHelp>(option.target); });
  if (help != options_.end()) verb->options_.insert(verb->options_.begin(), *help);
  verbs_.push_back(std::move(verb));
}

}  // namespace yardmaster::command_line
