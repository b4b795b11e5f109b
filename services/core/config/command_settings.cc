#include "services/core/config/command_settings.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/limits.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

bool IsIdCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// "gen-commit-msg" is "gen_commit_msg".
std::string CommandId(std::string id) {
  absl::c_replace(id, '-', '_');
  return id;
}

std::optional<std::vector<rules::CommandRight>> ReadRights(ObjectReader& reader, std::string_view key) {
  if (!reader.Has(key)) return std::nullopt;
  std::vector<rules::CommandRight> out;
  const std::vector<JsonPlace> names = reader.Strings(key);
  out.reserve(names.size());
  for (const JsonPlace& name : names) {
    rules::CommandRight right;
    if (rules::ParseRight(name.value->get_ref<const std::string&>(), right)) {
      out.push_back(std::move(right));
    } else {
      reader.context().Problem(name.pointer,
                               "expected \"anyone\", \"author\", \"collaborator\", \"maintainer\", \"team:NAME\" or "
                               "\"team:ORGANISATION/NAME\"");
    }
  }
  if (names.empty()) reader.Problem(key, "expected at least one; \"enabled\": false switches a command off");
  if (names.size() > kMaxCommandRights) reader.Problem(key, absl::StrCat("expected at most ", kMaxCommandRights));
  return out;
}

// Words of other bots; `star`: the last character may be "*".
std::vector<std::string> ReadWords(ObjectReader& reader, std::string_view key, bool star) {
  std::vector<std::string> out;
  const std::vector<JsonPlace> words = reader.Strings(key);
  out.reserve(std::min(words.size(), kMaxBotWords));
  if (words.size() > kMaxBotWords) reader.Problem(key, absl::StrCat("expected at most ", kMaxBotWords));
  for (const JsonPlace& place : words) {
    std::string word = place.value->get<std::string>();
    // Both ways of writing are natural; the names of our own lists go without.
    if (word.front() == (star ? '/' : '@')) word.erase(0, 1);
    const std::string_view plain =
        star && word.ends_with('*') ? std::string_view(word).substr(0, word.size() - 1) : word;
    const bool fine = !plain.empty() && plain.size() <= kMaxNameBytes && absl::c_all_of(plain, [&](char c) {
      return IsIdCharacter(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || (!star && (c == '[' || c == ']'));
    });
    if (!fine) {
      reader.context().Problem(place.pointer,
                               star ? "expected the first word of a command, for example \"lgtm\" or \"ci-*\""
                                    : "expected a login, for example \"some-bot\"");
      continue;
    }
    absl::AsciiStrToLower(&word);
    if (out.size() < kMaxBotWords) out.push_back(std::move(word));
  }
  return out;
}

std::optional<ConfirmCommands> ReadConfirm(ObjectReader& reader, const std::string& pointer,
                                           const nlohmann::json& value) {
  if (value == "sentences") return ConfirmCommands::kSentences;
  if (value == "always") return ConfirmCommands::kAlways;
  if (value == "never") return ConfirmCommands::kNever;
  reader.context().Problem(pointer, "expected \"sentences\", \"always\" or \"never\"");
  return std::nullopt;
}

void AppendNew(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& word : from) {
    if (!absl::c_linear_search(to, word)) to.push_back(word);
  }
}

}  // namespace

CommandSettings ReadCommandSettings(ObjectReader& reader, bool bounds) {
  CommandSettings settings;
  if (const std::optional<JsonPlace> commands = reader.Object("commands")) {
    for (const auto& [key, value] : commands->value->items()) {
      const std::string pointer = PointerJoin(commands->pointer, key);
      if (bounds && key == "confirm") {
        settings.confirm = ReadConfirm(reader, pointer, value);
        continue;
      }
      const std::string id = CommandId(key);
      if (id.empty() || id.size() > kMaxNameBytes || !absl::c_all_of(id, IsIdCharacter)) {
        reader.context().Problem(pointer, "expected the id of a command, got " + Quoted(key));
        continue;
      }
      ObjectReader one(reader.context(), {&value, pointer}, "what holds for a command");
      CommandSetting setting;
      setting.enabled = one.Bool("enabled");
      setting.who = ReadRights(one, "who");
      if (bounds) setting.at_most = ReadRights(one, "at_most");
      one.Finish();
      if (!settings.commands.emplace(id, std::move(setting)).second) {
        reader.context().Problem(pointer, "the command " + Quoted(id) + " is named twice");
      }
    }
    if (settings.commands.size() > kMaxCommandsOfPack) {
      reader.Problem("commands", absl::StrCat("expected at most ", kMaxCommandsOfPack));
    }
  }
  // "robots" is the old name of "bots", accepted for one more release.
  for (const std::string_view key : {"bots", "robots"}) {
    std::optional<JsonPlace> bots = reader.Object(key);
    if (!bots.has_value()) continue;
    ObjectReader one(reader.context(), *std::move(bots), "other bots");
    AppendNew(settings.bot_commands, ReadWords(one, "commands", /*star=*/true));
    AppendNew(settings.bot_logins, ReadWords(one, "logins", /*star=*/false));
    one.Finish();
  }
  return settings;
}

CommandSettings MergeCommandSettings(const CommandSettings& narrow, const CommandSettings& wide) {
  CommandSettings out = wide;
  for (const auto& [id, setting] : narrow.commands) {
    CommandSetting& to = out.commands[id];
    if (setting.enabled) to.enabled = setting.enabled;
    if (setting.who) to.who = setting.who;
    if (setting.at_most) to.at_most = setting.at_most;
  }
  if (narrow.confirm) out.confirm = narrow.confirm;
  AppendNew(out.bot_commands, narrow.bot_commands);
  AppendNew(out.bot_logins, narrow.bot_logins);
  return out;
}

}  // namespace yardmaster
