#include "rules/engine/pack/command_reader.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "rules/engine/pack/pack_reader.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

void from_json(const nlohmann::json& value, LocalText& text);

namespace {

using nlohmann::json;

// --- The bot's answers ---

constexpr std::string_view kOutcome[] = {"person", "command", "outcome"};
constexpr std::string_view kOnForge[] = {"person", "command", "outcome", "code", "subject"};
constexpr std::string_view kCommand[] = {"person", "command"};
constexpr std::string_view kReason[] = {"person", "command", "reason"};
constexpr std::string_view kAllowed[] = {"person", "command", "who", "source"};
constexpr std::string_view kPlaces[] = {"person", "command", "places"};
constexpr std::string_view kSource[] = {"person", "command", "source"};
constexpr std::string_view kUsage[] = {"person", "command", "reason", "usage", "help"};
constexpr std::string_view kHelp[] = {"person", "command", "help"};
constexpr std::string_view kSuggestion[] = {"person", "command", "suggestion", "help"};
constexpr std::string_view kLabels[] = {"labels"};
constexpr AnswerText kAnswers[] = {
    {"working", kCommand},           // posted at once where a forge has no reactions
    {"done", kOutcome},              // the outcome of a command that works
    {"confirm", kOutcome},           // the outcome of one that waits for a yes
    {"confirm_on_forge", kOnForge},  // of one whose yes has to be written on the forge
    {"failed", kReason},             // it was allowed and did not work out
    {"refused", kAllowed},           // the person may not give it
    {"refused_disabled", kSource},   // the repository has switched it off
    {"refused_file", kSource},       // a write, and a file that can't be read
    {"refused_place", kPlaces},      // it may not be given here
    {"usage", kUsage},               // something is missing or wrong behind the command
    {"unknown", kSuggestion},        // a misspelt command
    {"unknown_plain", kHelp},        // one that is like no other
    {"not_yet", kReason},            // CommandState::kNotYet
    {"not_offered", kReason},        // CommandState::kNotOffered
    {"ask", kUsage},                 // it could mean several things
    {"refused_labels", kLabels},     // labels that the pack does not let people set
    {"who_anyone", {}},              // how rights are named
    {"who_author", {}},
    {"who_collaborator", {}},
    {"who_maintainer", {}},
    {"who_team", {}},
    {"who_nobody", {}},
    {"place_issue", {}},
    {"place_pull", {}},
    {"place_chat", {}},
    {"place_cli", {}},
    {"source_pack", {}},
    {"source_daemon", {}},
    {"source_organisation", {}},
    {"source_repository", {}},
};

// --- Reading ---

// Boolean, whole number or text: the schema lets nothing else through.
SlotValue ReadSlotValue(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<int64_t>();
  return value.get<std::string>();
}

std::vector<std::pair<std::string, SlotValue>> ReadSets(const json& object) {
  std::vector<std::pair<std::string, SlotValue>> out;
  const auto sets = object.find("sets");
  if (sets == object.end()) return out;
  out.reserve(sets->size());
  for (const auto& [slot, value] : sets->items()) out.emplace_back(slot, ReadSlotValue(value));
  return out;
}

uint8_t PlacesOf(const json& names) {
  uint8_t out = 0;
  for (const json& name : names) {
    for (const CommandPlace place : {kFromIssue, kFromPull, kFromChat, kFromCli}) {
      if (PlaceNames(place).front() == name.get_ref<const std::string&>()) out |= place;
    }
  }
  return out;
}

class CommandsReader : public PackDocumentReader {
 public:
  CommandsReader(const JsonDocument& document, std::string_view pack, CommandsModel& commands, Problems& problems)
      : PackDocumentReader(document, pack, problems), commands_(commands) {}

  bool Read() {
    ForEach("groups", [this](const JsonPlace& at) {
      commands_.groups.push_back({at.value->at("id").get<std::string>(), at.value->at("title").get<LocalText>()});
    });
    ForEach("commands", [this](const JsonPlace& at) { ReadCommand(at); });
    if (const auto answers = value().find("answers"); answers != value().end()) ReadAnswers(*answers);
    // "robot_…" are the old names, accepted for one more release.
    for (const char* key : {"bot_commands", "robot_commands"}) AddNames(key, commands_.bot_commands);
    for (const char* key : {"bot_logins", "robot_logins"}) AddNames(key, commands_.bot_logins);
    if (!value().contains("people_labels")) return false;
    Take(value(), "people_labels", commands_.people_labels);
    commands_.people_labels_origin = At("/people_labels");
    return true;
  }

 private:
  void AddNames(const char* key, std::vector<std::string>& out) {
    std::vector<std::string> names;
    Take(value(), key, names);
    absl::c_move(names, std::back_inserter(out));
  }

  void ReadCommand(const JsonPlace& at) {
    const json& value = *at.value;
    CommandModel command;
    command.origin = At(at.pointer);
    command.written = value.dump();
    Take(value, "id", command.id);
    Take(value, "group", command.group);
    Take(value, "title", command.title);
    Take(value, "help", command.help);
    Take(value, "usage", command.usage);
    ForEach(at, "parameters", [&](const JsonPlace& parameter) { ReadParameter(parameter, command); });
    ForEach(at, "forms", [&](const JsonPlace& form) { ReadForm(form, command); });
    for (const json& item : value.at("examples")) {
      CommandExample& example = command.examples.emplace_back();
      example.id = command.id;
      Take(item, "text", example.text);
      Take(item, "id", example.id);
      Take(item, "comment", example.comment);
      Take(item, "phrase", example.phrase);
    }
    command.access = value.at("access") == "read" ? CommandAccess::kRead : CommandAccess::kWrite;
    ForEach(at, "who", [&](const JsonPlace& who) {
      const std::string& name = who.value->get_ref<const std::string&>();
      if (CommandRight right; ParseRight(name, right)) {
        command.who.push_back(std::move(right));
      } else {
        Add(who.pointer, "expected anyone, author, collaborator, maintainer or team:NAME, got " + Quoted(name));
      }
    });
    command.places = PlacesOf(value.at("where"));
    command.state = StateFromName(value.at("state").get_ref<const std::string&>());
    Take(value, "reason", command.reason);
    if ((command.state == CommandState::kWorks) != command.reason.en.empty()) {
      Add(at.pointer + (command.state == CommandState::kWorks ? "/reason" : ""),
          command.state == CommandState::kWorks ? "a command that works has no reason"
                                                : "missing key \"reason\"; expected why it can't be had here");
    }
    Take(value, "hidden", command.hidden);
    Take(value, "needs_pull", command.needs_pull);
    Take(value, "rewrites", command.rewrites);
    Take(value, "publishes", command.publishes);
    Take(value, "names_target", command.names_target);
    Take(value, "trusted_only", command.trusted_only);
    const bool open = absl::c_any_of(
        command.who, [](const CommandRight& right) { return right.kind == CommandRight::Kind::kAnyone; });
    if (open && !command.MayBeOpen()) {
      Add(at.pointer + "/who", "a command that writes, or is for trusted people only, is not open to anyone");
    }
    commands_.commands.push_back(std::move(command));
  }

  void ReadParameter(const JsonPlace& at, CommandModel& command) {
    const json& value = *at.value;
    const std::string& pointer = at.pointer;
    CommandParameter parameter;
    Take(value, "name", parameter.name);
    Take(value, "aliases", parameter.aliases);
    parameter.slot = parameter.name;
    absl::c_replace(parameter.slot, '-', '_');
    Take(value, "slot", parameter.slot);
    parameter.type = TypeFromName(value.at("type").get_ref<const std::string&>());
    Take(value, "positional", parameter.positional);
    Take(value, "named", parameter.named);
    Take(value, "bare", parameter.bare);
    Take(value, "required", parameter.required);
    Take(value, "values", parameter.values);
    if (const auto aliases = value.find("value_aliases"); aliases != value.end()) {
      for (const auto& [from, to] : aliases->items()) {
        parameter.value_aliases.emplace_back(from, to.get<std::string>());
        if (!absl::c_linear_search(parameter.values, to)) {
          Add(PointerJoin(PointerJoin(pointer, "value_aliases"), from), "expected one of \"values\"");
        }
      }
    }
    Take(value, "default", parameter.default_value);
    Take(value, "title", parameter.summary);
    parameter.sets = ReadSets(value);
    const bool flag = parameter.type == CommandParameterType::kFlag;
    if (flag && parameter.sets.empty()) parameter.sets.emplace_back(parameter.slot, true);
    if (!flag && (parameter.bare || !parameter.sets.empty())) {
      Add(pointer, "only a flag has \"bare\" or \"sets\"");
    }
    if (!parameter.positional && !parameter.named) Add(pointer, "expected \"positional\" or \"named\"");
    if (flag && parameter.positional) Add(pointer, "a flag is not positional; expected \"bare\"");
    const bool to_the_end =
        parameter.type == CommandParameterType::kText || parameter.type == CommandParameterType::kLabels;
    if (parameter.positional && last_positional_of_ == commands_.commands.size() + 1) {
      Add(pointer, "a positional parameter before this one takes the rest of the line");
    }
    if (parameter.positional && to_the_end) last_positional_of_ = commands_.commands.size() + 1;

    std::vector<std::string> names = parameter.aliases;
    names.push_back(parameter.name);
    for (const std::string& name : names) {
      if (command.Parameter(name) == nullptr) continue;
      Add(pointer, "the name " + Quoted(name) + " is there already in this command");
    }
    command.parameters.push_back(std::move(parameter));
  }

  void ReadForm(const JsonPlace& at, CommandModel& command) {
    const json& value = *at.value;
    const std::string& pointer = at.pointer;
    CommandForm form;
    form.text = value.is_string() ? value.get<std::string>() : value.at("text").get<std::string>();
    if (value.is_object()) {
      Take(value, "needs", form.needs);
      form.sets = ReadSets(value);
    }
    form.pattern = form.text.find('{') != std::string::npos;
    form.words = absl::StrSplit(Abs(form.text).substr(1), ' ', absl::SkipEmpty());
    if (!form.needs.empty() && command.Parameter(form.needs) == nullptr) {
      Add(PointerJoin(pointer, "needs"), "expected the name of a parameter, got " + Quoted(form.needs));
    }
    // Places are filled with the slots of parameters.
    for (size_t at = form.text.find('{'); at != std::string::npos; at = form.text.find('{', at + 1)) {
      const size_t end = form.text.find('}', at);
      const std::string slot = form.text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
      if (end != std::string::npos && command.ParameterOfSlot(slot) != nullptr) continue;
      Add(pointer, "expected the slot of a parameter between braces, got " + Quoted(slot));
    }
    for (const auto& [slot, unused] : form.sets) {
      if (command.ParameterOfSlot(slot) != nullptr) continue;
      Add(PointerJoin(PointerJoin(pointer, "sets"), slot), "expected the slot of a parameter");
    }
    command.forms.push_back(std::move(form));
  }

  void ReadAnswers(const json& answers) {
    for (const auto& [id, value] : answers.items()) {
      const std::string pointer = PointerJoin("/answers", id);
      const auto known = absl::c_find_if(kAnswers, [&, &name = id](const AnswerText& one) { return one.id == name; });
      if (known == std::end(kAnswers)) {
        Add(pointer, "unknown answer; see the list in rules/schema/commands.schema.json");
        continue;
      }
      auto text = value.get<LocalText>();
      CheckPlaces(text.en, known->places, PointerJoin(pointer, "en"));
      CheckPlaces(text.zh, known->places, PointerJoin(pointer, "zh"));
      commands_.answers[id] = std::move(text);
    }
  }

  void CheckPlaces(std::string_view text, std::span<const std::string_view> places, const std::string& pointer) {
    for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
      const size_t end = text.find('}', at);
      const std::string_view place =
          end == std::string_view::npos ? text.substr(at + 1) : text.substr(at + 1, end - at - 1);
      if (end != std::string_view::npos && absl::c_linear_search(places, place)) continue;
      std::string expected;
      for (const std::string_view one : places) expected += (expected.empty() ? "{" : ", {") + std::string(one) + "}";
      Add(pointer, "nothing is filled in for {" + Readable(place) + "}; expected " +
                       (expected.empty() ? "no places" : expected));
    }
  }

  CommandsModel& commands_;
  // 1 + the number of the command whose last positional parameter takes the rest of the line; 0: none.
  size_t last_positional_of_ = 0;
};

}  // namespace

void from_json(const json& value, LocalText& text) {
  text.en = value.at("en").get<std::string>();
  text.zh = value.at("zh").get<std::string>();
}

std::span<const AnswerText> AnswerTexts() { return kAnswers; }

bool ReadCommands(const JsonDocument& document, std::string_view pack, CommandsModel& commands, Problems& problems) {
  return CommandsReader(document, pack, commands, problems).Read();
}

void CheckCommands(const CommandsModel& commands, Problems& problems) {
  if (commands.commands.empty()) return;
  // The same words may stand for two commands only where an option tells which.
  std::map<std::string, const CommandModel*> forms;
  for (const CommandModel& command : commands.commands) {
    for (const CommandForm& form : command.forms) {
      const auto [it, inserted] = forms.try_emplace(absl::AsciiStrToLower(form.text) + '\0' + form.needs, &command);
      if (inserted) continue;
      problems.push_back(ProblemAt(command.origin, "the words " + Quoted(form.text) + " are those of " +
                                                       Quoted(it->second->id) + " already: " + it->second->origin.file +
                                                       ":" + std::to_string(it->second->origin.line)));
    }
    const bool known =
        absl::c_any_of(commands.groups, [&](const CommandGroup& group) { return group.id == command.group; });
    if (!known) problems.push_back(ProblemAt(command.origin, "unknown group " + Quoted(command.group)));
  }
  for (const AnswerText& answer : kAnswers) {
    if (commands.answers.count(answer.id) > 0) continue;
    const Origin& first = commands.commands.front().origin;
    problems.push_back(
        {first.file, "", 0, 0, "missing answer " + Quoted(answer.id) + "; a pack with commands has all"});
  }
}

}  // namespace yardmaster::rules
