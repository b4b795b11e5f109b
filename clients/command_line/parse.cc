// The one file that includes CLI11, which takes longer to compile than all else here.
#include "clients/command_line/parse.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/readable.h"

namespace yardmaster::command_line {
namespace {

// Gives CLI11 one option. nullptr for those that take no value.
struct OptionAdder {
  CLI::App& app;
  const Command& command;
  const Option& option;

  CLI::Option* operator()(const PrintHelp& /*help*/) const {
    app.set_help_flag(option.name, option.summary);
    return nullptr;
  }
  CLI::Option* operator()(const PrintVersion& /*version*/) const {
    app.set_version_flag(option.name, command.version(), option.summary);
    return nullptr;
  }
  CLI::Option* operator()(bool* flag) const {
    app.add_flag(option.name, *flag, option.summary);
    return nullptr;
  }
  CLI::Option* operator()(std::optional<HostPort>* address) const {
    const auto read = [address](const std::string& text) { *address = ParseHostPort(text); };
    const auto check = [](const std::string& text) {
      return ParseHostPort(text).has_value() ? "" : "expected HOST:PORT, found \"" + text + "\"";
    };
    return app.add_option_function<std::string>(option.name, read, option.summary)->check(check, "HOST:PORT");
  }
  template <typename Variable>
  CLI::Option* operator()(Variable* variable) const {
    CLI::Option* added = app.add_option(option.name, *variable, option.summary);
    if (!option.range.has_value()) return added;
    using Number = std::conditional_t<std::is_same_v<Variable, uint64_t>, uint64_t, int64_t>;
    const auto [least, most] = *option.range;
    return added->check(CLI::Range(static_cast<Number>(least), static_cast<Number>(most)));
  }
};

void AddOption(const Command& command, const Option& option, CLI::App& app) {
  CLI::Option* added = std::visit(OptionAdder{app, command, option}, option.target);
  if (added == nullptr) return;
  if (option.value_name.has_value()) added->type_name(*option.value_name);
  if (!option.choices.empty()) added->check(CLI::IsMember(option.choices));
  if (option.not_negative) added->check(CLI::NonNegativeNumber);
  if (option.most_values.has_value()) added->expected(0, *option.most_values);
  if (option.shows_default) added->capture_default_str();
  added->required(option.required);
}

// Gives CLI11 all that `command` says of itself.
void Describe(const Command& command, CLI::App& app) {
  app.footer(command.footer);
  for (const Option& option : command.options()) AddOption(command, option, app);
  if (!command.verbs().empty()) app.require_subcommand(command.verb_optional ? 0 : 1, 1);
  for (const auto& verb : command.verbs()) Describe(*verb, *app.add_subcommand(verb->name(), verb->summary()));
}

// The last command that was named, with the words that lead to it.
const Command& NamedCommand(const Command& program, const CLI::App& app, std::string& path) {
  const Command* command = &program;
  path = program.name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command =
        absl::c_find_if(command->verbs(), [&](const auto& verb) { return verb->name() == at->get_name(); })->get();
    absl::StrAppend(&path, " ", command->name());
  }
  return *command;
}

// What is wrong with the command line. CLI11 says no more of an unknown verb than that one is missing.
std::string ErrorText(const CLI::App& app, const CLI::ParseError& error, const Command& named,
                      const std::string& path) {
  if (named.verbs().empty()) return error.what();
  std::vector<std::string> names;
  for (const auto& verb : named.verbs()) names.push_back(verb->name());
  const std::string expected = absl::StrCat("; expected one of: ", absl::StrJoin(names, ", "));
  const std::vector<std::string> rest = app.remaining(true);
  const auto word = absl::c_find_if(rest, [](const std::string& text) { return !text.starts_with('-'); });
  if (word == rest.end()) return rest.empty() ? "a verb is missing" + expected : error.what();
  const std::string nearest(NearestName(*word, {names.begin(), names.end()}));
  return absl::StrCat("'", path, "' has no verb ", Quoted(*word),
                      nearest.empty() ? expected : absl::StrCat("; did you mean '", nearest, "'?"));
}

}  // namespace

Parsed Parse(const Command& program, const std::vector<std::string>& arguments) {
  CLI::App app(program.summary(), program.name());
  app.fallthrough();
  app.get_formatter()->column_width(program.summary_column);
  if (program.last_value_wins) app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  Describe(program, app);
  Parsed parsed;
  try {
    // CLI11 takes the words from the back.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
    parsed.command = &NamedCommand(program, app, parsed.path);
  } catch (const CLI::Success& asked) {
    std::ostringstream text;
    app.exit(asked, text, text);
    parsed.answer = text.str();
  } catch (const CLI::ParseError& error) {
    parsed.error = ErrorText(app, error, NamedCommand(program, app, parsed.path), parsed.path);
  }
  return parsed;
}

}  // namespace yardmaster::command_line
