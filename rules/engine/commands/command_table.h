// The commands of a pack, ready to be looked up: by id, and by the words that stand behind a slash.
#ifndef YARDMASTER_RULES_ENGINE_COMMANDS_COMMAND_TABLE_H_
#define YARDMASTER_RULES_ENGINE_COMMANDS_COMMAND_TABLE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_model.h"

namespace yardmaster::rules {

// A command that words stand for. The pointers live as long as the table.
struct CommandMatch {
  const CommandModel* command = nullptr;
  const CommandForm* form = nullptr;
  size_t words = 0;  // how many of the words were taken
  Slots slots;       // what the form itself gives: {"suite": "ut"} for /retest_ut
};

// Immutable; safe to use from many threads at once.
class CommandTable {
 public:
  explicit CommandTable(CommandsModel model);
  CommandTable(const CommandTable&) = delete;
  CommandTable& operator=(const CommandTable&) = delete;

  // In the order of the packs: iterate over this.
  const std::vector<CommandModel>& commands() const { return model_.commands; }
  const CommandsModel& model() const { return model_; }

  // nullptr if there is no such id. "-" and "_" are the same here.
  const CommandModel* Find(std::string_view id) const;

  // The commands that a line can mean whose words, without the slash, begin with `words` ("autogit", "squash", "160",
  // …; ASCII case ignored). The first whose form->needs is empty or given as an option is meant: the longest forms
  // come first, exact ones before patterns, those with `needs` before those without. Empty: none.
  std::vector<CommandMatch> FindWords(std::span<const std::string_view> words) const;

  // Whether some form has this first word and a second one ("autogit"): a wrong second word is then an error of a
  // known command, not another bot's.
  bool IsPrefix(std::string_view first_word) const;

  // Every form without places, as written ("/autogit squash"): what suggestions choose from.
  const std::vector<std::string>& forms() const { return form_texts_; }
  // The form most like what was written ("squahs", "autogit sqash", without the slash); empty: none is like it.
  std::string_view Nearest(std::string_view written) const;

  // Whether another bot's command begins with this word (without the slash).
  bool IsOtherBotsCommand(std::string_view first_word) const;
  bool IsOtherBotsLogin(std::string_view login) const;
  // Whether people may set and take away this label through the bot.
  bool IsPeopleLabel(std::string_view label) const;

 private:
  struct Entry {
    const CommandModel* command = nullptr;
    const CommandForm* form = nullptr;
  };
  CommandsModel model_;
  std::map<std::string, const CommandModel*, std::less<>> by_id_;
  std::map<std::string, std::vector<Entry>, std::less<>> by_first_word_;  // forms whose first word has no places
  std::vector<Entry> patterns_;                                           // forms whose first word has
  std::vector<std::string> form_texts_;                                   // with the slash
  std::vector<std::string> form_words_;                                   // the same without it, lower case
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMMANDS_COMMAND_TABLE_H_
