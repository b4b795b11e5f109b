// Any bytes as a comment → commands: no crash, everything points into the text and is readable, and a command written
// anew from its slots is read as the same command.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "services/commands/command_text.h"
#include "services/commands/grammar.h"
#include "services/core/characters.h"
#include "services/core/limits.h"
#include "services/core/readable.h"
#include "tests/fuzz/check.h"

namespace {

using yardmaster::Broken;
using yardmaster::IsValidUtf8;
using yardmaster::commands::CommandGrammar;
using yardmaster::commands::ParsedCommand;
using yardmaster::commands::ParsedText;
using yardmaster::rules::CommandModel;
using yardmaster::rules::CommandParameter;
using yardmaster::rules::CommandParameterType;
using yardmaster::rules::SlotValue;

CommandParameter Parameter(std::string name, CommandParameterType type, bool positional = false) {
  CommandParameter parameter;
  parameter.slot = name;
  parameter.name = std::move(name);
  parameter.type = type;
  parameter.positional = positional;
  if (type == CommandParameterType::kFlag) parameter.sets = {{parameter.slot, true}};
  return parameter;
}

CommandModel Command(const std::string& id, const std::string& words, std::vector<CommandParameter> parameters) {
  CommandModel command;
  command.id = id;
  command.usage = "/" + words;
  command.parameters = std::move(parameters);
  yardmaster::rules::CommandForm form;
  form.text = "/" + words;
  const size_t blank = words.find(' ');
  form.words = {words.substr(0, blank)};
  if (blank != std::string::npos) form.words.push_back(words.substr(blank + 1));
  command.forms = {form};
  return command;
}

// Short names, so that few bytes make a command: parameters of every type, alone and beside others.
const CommandGrammar& Grammar() {
  static const auto* const kGrammar = [] {
    using Type = CommandParameterType;
    yardmaster::rules::CommandsModel model;
    CommandParameter message = Parameter("message", Type::kText);
    message.aliases = {"m"};
    CommandParameter choice = Parameter("u", Type::kWord);
    choice.values = {"skip", "full"};
    choice.value_aliases = {{"f", "full"}};
    CommandParameter bare = Parameter("d", Type::kFlag);
    bare.bare = true;
    CommandParameter negative = Parameter("no-r", Type::kFlag);
    negative.sets = {{"r", false}};
    CommandParameter both = Parameter("no-t", Type::kFlag);
    both.sets = {{"u", std::string("skip")}, {"w", std::string("x")}};
    model.commands = {
        Command("s", "s", {Parameter("p", Type::kPull, true), message, bare}),
        Command("b", "b", {Parameter("p", Type::kPull, true), Parameter("to", Type::kWord, true)}),
        Command("l", "l", {Parameter("labels", Type::kLabels, true)}),
        Command("h", "h", {Parameter("text", Type::kText, true), bare}),
        Command("i", "i", {Parameter("issue", Type::kIssue, true), Parameter("n", Type::kNumber, true)}),
        Command("w", "a w", {Parameter("list", Type::kWords, true), choice, Parameter("w", Type::kWord), both}),
        Command("r", "a r", {Parameter("r", Type::kFlag), negative, Parameter("list", Type::kWords), choice}),
        Command("retest", "retest", {}),
    };
    model.people_labels = {"a b", "c", "a"};
    model.bot_commands = {"x", "y*"};
    model.bot_logins = {"z"};
    return new CommandGrammar(std::make_shared<const yardmaster::rules::CommandTable>(std::move(model)),
                              {{"o", "q[bot]"}, {"v"}});
  }();
  return *kGrammar;
}

void CheckValue(const SlotValue& value) {
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr) {
    if (text->empty() || !IsValidUtf8(*text)) Broken("a slot that is empty or no UTF-8");
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value); list != nullptr) {
    if (list->empty()) Broken("an empty list");
    for (const std::string& item : *list) CheckValue(item);
  }
}

void CheckCommand(const ParsedCommand& command) {
  for (const std::string& word : command.words) {
    if (!IsValidUtf8(word)) Broken("a word is no UTF-8");
  }
  if (!IsValidUtf8(command.request)) Broken("a request is no UTF-8");
  for (const auto& problem : command.problems) {
    if (problem.message.en.empty() || problem.message.zh.empty()) Broken("a problem without a sentence");
    if (!IsValidUtf8(problem.message.en + problem.message.zh + problem.word)) Broken("a problem is no UTF-8");
  }
  for (const auto& [slot, value] : command.slots) CheckValue(value);
  const bool known = command.kind == ParsedCommand::Kind::kCommand;
  if (known != (command.command != nullptr)) Broken("a command without its model, or the other way round");
  if (!known && !command.slots.empty()) Broken("slots of nothing");
  if (command.kind == ParsedCommand::Kind::kUnknown && command.problems.empty()) Broken("unknown without a problem");
  if (!known || !command.problems.empty()) return;

  // Written anew and read again.
  const std::string text = yardmaster::commands::CommandText(*command.command, command.slots, command.host);
  if (text.empty()) Broken("a command that can't be written");
  if (text.size() > yardmaster::kMaxCommandLineBytes) return;
  const auto again = Grammar().ParseLine(text);
  if (!again.has_value()) Broken("not read again: " + text);
  for (const auto& problem : again->problems) {
    if (problem.kind != yardmaster::commands::ProblemKind::kTooLong) Broken(problem.message.en + " " + text);
    return;
  }
  if (again->command != command.command || again->slots != command.slots || again->host != command.host)
    Broken("read differently: " + text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ParsedText parsed = Grammar().Parse(text);
  size_t at = 0;
  std::set<std::string> fingerprints;
  for (size_t i = 0; i < parsed.commands.size(); ++i) {
    const ParsedCommand& command = parsed.commands[i];
    if (command.index != i || command.begin < at || command.begin >= command.end || command.end > size)
      Broken("a command outside of its place");
    at = command.end;
    const char mark = yardmaster::AsciiOf(yardmaster::CharacterAt(text, command.begin).code);
    if (mark != '/' && mark != '@') Broken("a command without slash or mention");
    if (command.fingerprint.size() != 16 || !fingerprints.insert(command.fingerprint).second)
      Broken("a fingerprint that names two commands");
    CheckCommand(command);
  }
  if (const auto line = Grammar().ParseLine(text); line.has_value()) CheckCommand(*line);
  return 0;
}
