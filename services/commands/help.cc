#include "services/commands/help.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/characters.h"
#include "services/core/defang.h"

namespace yardmaster::commands {
namespace {

using nlohmann::ordered_json;
using rules::CommandExample;
using rules::CommandModel;
using rules::CommandParameter;
using rules::CommandParameterType;
using rules::CommandTable;
using rules::LocalText;

// The few words of ours around the table's texts.
struct Words {
  LocalText none{"There is no command {x}. These are the commands:", "没有 {x} 这个命令。可以用的命令："};
  LocalText intro{"One command on each line, at its beginning. `/help COMMAND` explains one.",
                  "每行一个命令，写在行首。`/help 命令` 查看详细说明。"};
  LocalText command{"command", "命令"};
  LocalText does{"what it does", "作用"};
  LocalText who{"who may", "谁可以用"};
  LocalText where{"where", "在哪里用"};
  LocalText usage{"Usage", "用法"};
  LocalText also{"Also", "也可以写"};
  LocalText parameters{"Parameters", "参数"};
  LocalText examples{"Examples", "例子"};
  LocalText may{"Who may", "谁可以用"};
  LocalText from{"Where", "在哪里用"};
  LocalText not_yet{"Not available here yet", "在这里还不能用"};
  LocalText not_offered{"Not offered", "不提供"};
  LocalText by_default{"default", "默认"};
  LocalText off{"switched off here", "已停用"};
};

// The table's own texts need no defanging: only what ends a code span would be wrong.
std::string Code(std::string_view text) {
  const std::string_view fence = text.find('`') == std::string_view::npos ? "`" : "``";
  return std::string(fence) + std::string(text) + std::string(fence);
}

std::string Replaced(std::string text, std::string_view place, std::string_view value) {
  if (const size_t at = text.find(place); at != std::string::npos) text.replace(at, place.size(), value);
  return text;
}

const std::string* AnswerOf(const CommandTable& table, const std::string& id, bool chinese) {
  const auto it = table.model().answers.find(id);
  return it == table.model().answers.end() ? nullptr : &it->second.In(chinese);
}

std::string WhoText(const CommandTable& table, const std::vector<rules::CommandRight>& who, bool chinese) {
  std::string out;
  for (const rules::CommandRight& right : who) {
    if (!out.empty()) out += chinese ? "、" : ", ";
    const bool team = right.kind == rules::CommandRight::Kind::kTeam;
    const std::string* text = AnswerOf(table, team ? "who_team" : "who_" + rules::RightName(right), chinese);
    out += text == nullptr ? rules::RightName(right) : *text;
    if (team) out += (chinese ? "" : " ") + Code(right.team);
  }
  return out;
}

std::string PlacesText(const CommandTable& table, uint8_t places, bool chinese) {
  std::string out;
  for (const std::string& name : rules::PlaceNames(places)) {
    if (!out.empty()) out += chinese ? "、" : ", ";
    const std::string* text = AnswerOf(table, "place_" + name, chinese);
    out += text == nullptr ? name : *text;
  }
  return out;
}

// "--to PR, to=PR": how a parameter is written.
std::string ParameterForms(const CommandParameter& parameter) {
  std::string out;
  const auto add = [&](const std::string& form) { out += (out.empty() ? "" : ", ") + Code(form); };
  std::string value;
  if (!parameter.values.empty()) {
    for (const std::string& one : parameter.values) value += (value.empty() ? "" : "|") + one;
  } else {
    value = absl::AsciiStrToUpper(parameter.name);
  }
  const bool flag = parameter.type == CommandParameterType::kFlag;
  if (parameter.positional) add(value);
  if (parameter.bare) add(parameter.name);
  if (parameter.named) {
    std::vector<std::string> names = parameter.aliases;
    names.insert(names.begin(), parameter.name);
    for (const std::string& name : names) {
      add((name.size() == 1 ? "-" : "--") + name + (flag ? "" : " " + value));
    }
  }
  return out;
}

// What /help shows: hidden commands, and those that can't come from there or are switched off, are left out.
bool Listed(const CommandModel& command, const HelpOptions& options) {
  if (command.hidden) return false;
  if (options.places != 0 && (command.places & options.places) == 0) return false;
  return RightsOf(command, options.layers).enabled;
}

void AppendOne(const CommandTable& table, const CommandModel& command, const HelpOptions& options, bool chinese,
               std::string& out) {
  const Words words;
  const std::string_view colon = chinese ? "：" : ": ";
  out += command.title.In(chinese) + (chinese ? "。" : ".");
  if (!command.help.en.empty()) out += (chinese ? "" : " ") + command.help.In(chinese);
  out += "\n\n";
  const CommandRights rights = RightsOf(command, options.layers);
  if (command.state != rules::CommandState::kWorks) {
    const bool not_yet = command.state == rules::CommandState::kNotYet;
    out += "**" + (not_yet ? words.not_yet : words.not_offered).In(chinese) + "**" + std::string(colon) +
           command.reason.In(chinese) + (chinese ? "。" : ".") + "\n\n";
  }
  out += "- " + words.usage.In(chinese) + std::string(colon) + Code(command.usage) + "\n";
  if (command.forms.size() > 1) {
    out += "- " + words.also.In(chinese) + std::string(colon);
    for (size_t i = 1; i < command.forms.size(); ++i) {
      if (i > 1) out += chinese ? "、" : ", ";
      out += Code(command.forms[i].text);
    }
    out += "\n";
  }
  out += "- " + words.may.In(chinese) + std::string(colon) + WhoText(table, rights.who, chinese) +
         (rights.enabled ? "" : " (" + words.off.In(chinese) + ")") + "\n";
  out += "- " + words.from.In(chinese) + std::string(colon) + PlacesText(table, command.places, chinese) + "\n";

  if (!command.parameters.empty()) {
    out += "\n" + words.parameters.In(chinese) + (chinese ? "：" : ":") + "\n\n";
    for (const CommandParameter& parameter : command.parameters) {
      out += "- " + ParameterForms(parameter) + std::string(colon) + parameter.summary.In(chinese);
      if (!parameter.default_value.empty()) {
        out += " (" + words.by_default.In(chinese) + " " + Code(parameter.default_value) + ")";
      }
      out += "\n";
    }
  }
  out += "\n" + words.examples.In(chinese) + (chinese ? "：" : ":") + "\n\n";
  for (const CommandExample& example : command.examples) {
    out += "- " + Code(example.text);
    if (!example.comment.en.empty()) out += " " + example.comment.In(chinese);
    out += "\n";
  }
}

}  // namespace

const CommandModel* FindForHelp(const CommandTable& table, std::string_view asked) {
  constexpr size_t kMaxAsked = 200;
  if (asked.size() > kMaxAsked) return nullptr;
  const std::string plain = Lower(Plain(asked));
  std::vector<std::string_view> words;
  for (size_t pos = 0; pos < plain.size();) {
    const size_t end = std::min(plain.find_first_of(" \t\r\n", pos), plain.size());
    if (end > pos) words.push_back(std::string_view(plain).substr(pos, end - pos));
    pos = end + 1;
  }
  if (words.empty()) return nullptr;
  if (words.front().starts_with('/')) words.front().remove_prefix(1);
  // What people write comes before ids: "/pr" is the form of a command, and "pr" its id, too.
  const std::vector<rules::CommandMatch> matches = table.FindWords(words);
  for (const rules::CommandMatch& match : matches) {
    if (match.form->needs.empty()) return match.command;
  }
  std::string id;
  for (const std::string_view word : words) id += (id.empty() ? "" : "_") + std::string(word);
  return table.Find(id);
}

std::string HelpList(const CommandTable& table, const HelpOptions& options) {
  const Words words;
  const bool chinese = options.chinese;
  std::string out = words.intro.In(chinese) + "\n";
  for (const rules::CommandGroup& group : table.model().groups) {
    std::string rows;
    for (const CommandModel& command : table.commands()) {
      if (command.group != group.id || !Listed(command, options)) continue;
      std::string does = command.title.In(chinese);
      if (command.state == rules::CommandState::kNotYet) does += " *(" + words.not_yet.In(chinese) + ")*";
      rows += "| " + TableCell(Code(command.usage)) + " | " + TableCell(does) + " | " +
              TableCell(WhoText(table, RightsOf(command, options.layers).who, chinese)) + " |\n";
    }
    if (rows.empty()) continue;
    out += "\n**" + group.title.In(chinese) + "**\n\n| " + words.command.In(chinese) + " | " + words.does.In(chinese) +
           " | " + words.who.In(chinese) + " |\n|---|---|---|\n" + rows;
  }
  return out;
}

std::string HelpOne(const CommandTable& table, const CommandModel& command, const HelpOptions& options) {
  std::string out = "**" + Code(command.forms.front().text) + "** ";
  AppendOne(table, command, options, options.chinese, out);
  return out;
}

std::string HelpAnswer(const CommandTable& table, std::string_view asked, const HelpOptions& options) {
  const bool nothing = absl::c_all_of(asked, [](char c) { return c == ' ' || c == '\n'; });
  if (nothing) return HelpList(table, options);
  if (const CommandModel* command = FindForHelp(table, asked)) return HelpOne(table, *command, options);
  const Words words;
  const std::string echo = EchoCode(asked);
  if (echo.empty()) return HelpList(table, options);
  return Replaced(words.none.In(options.chinese), "{x}", echo) + "\n\n" + HelpList(table, options);
}

ordered_json CommandJson(const CommandModel& command) {
  const auto text = [](const LocalText& one) -> ordered_json {
    if (one.en.empty()) return nullptr;
    return {{"en", one.en}, {"zh", one.zh}};
  };
  ordered_json forms = ordered_json::array();
  for (const rules::CommandForm& form : command.forms) forms.push_back(form.text);
  ordered_json parameters = ordered_json::array();
  for (const CommandParameter& parameter : command.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"aliases", parameter.aliases},
                          {"slot", parameter.slot},
                          {"type", rules::TypeName(parameter.type)},
                          {"positional", parameter.positional},
                          {"required", parameter.required},
                          {"values", parameter.values},
                          {"default", parameter.default_value},
                          {"title", text(parameter.summary)}});
  }
  ordered_json examples = ordered_json::array();
  for (const CommandExample& example : command.examples) {
    examples.push_back({{"text", example.text}, {"phrase", example.phrase}, {"comment", text(example.comment)}});
  }
  ordered_json who = ordered_json::array();
  for (const rules::CommandRight& right : command.who) who.push_back(rules::RightName(right));
  return {{"id", command.id},
          {"group", command.group},
          {"title", text(command.title)},
          {"help", text(command.help)},
          {"usage", command.usage},
          {"forms", std::move(forms)},
          {"parameters", std::move(parameters)},
          {"examples", std::move(examples)},
          {"access", rules::AccessName(command.access)},
          {"who", std::move(who)},
          {"where", rules::PlaceNames(command.places)},
          {"state", rules::StateName(command.state)},
          {"reason", text(command.reason)}};
}

std::string DocsPage(const CommandTable& table) {
  std::string out =
      "# Commands\n\n"
      "Generated from `rules/packs/common/commands.json` by `yard help commands --markdown`; change that file, not "
      "this one.\n\n"
      "Write a command at the beginning of a line of a comment or of the opening post, one on each line, outside of "
      "code, quotes and HTML comments: `/squash 160 -m \"fix: layout cache\"`, `/squash pr=160`, `@bot squash 160`. "
      "Every command gets one answer, which is updated in place. Who may give a command is set by the first of these: "
      "the repository's file on the base branch, the organisation's file, the service's configuration, this table.\n";
  const auto row = [&](const CommandModel& command) {
    out += "| [" + TableCell(Code(command.forms.front().text)) + "](#" + command.id + ") | " +
           TableCell(command.title.en) + " | " + TableCell(command.title.zh) + " | " +
           std::string(rules::AccessName(command.access)) + " | " + TableCell(WhoText(table, command.who, false)) +
           " | ";
    out += command.state == rules::CommandState::kWorks    ? "works"
           : command.state == rules::CommandState::kNotYet ? "not yet"
                                                           : "not offered";
    out += " |\n";
  };
  for (const rules::CommandGroup& group : table.model().groups) {
    out += "\n## " + group.title.en + " · " + group.title.zh +
           "\n\n| command | what it does | 作用 | access | who may | state |\n|---|---|---|---|---|---|\n";
    for (const CommandModel& command : table.commands()) {
      if (command.group == group.id && !command.hidden) row(command);
    }
  }
  out += "\n";
  for (const CommandModel& command : table.commands()) {
    if (command.hidden) continue;
    out += "## " + command.id + "\n\n";
    AppendOne(table, command, {}, false, out);
    out += "\n" + command.title.zh + "。" + command.help.zh + "\n";
    if (!command.reason.zh.empty()) {
      const Words words;
      out += "\n";
      out += (command.state == rules::CommandState::kNotYet ? words.not_yet : words.not_offered).zh + "：" +
             command.reason.zh + "。\n";
    }
    if (!command.parameters.empty()) out += "\n";
    for (const CommandParameter& parameter : command.parameters) {
      out += "- " + Code(parameter.name) + "：" + parameter.summary.zh + "\n";
    }
    out += "\n";
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace yardmaster::commands
