// The slash words that the phrases of `common` know against the table of commands: both say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "rules/engine/phrases/phrase_set.h"
#include "tests/support/shipped_packs.h"
#include "tests/support/shipped_phrases.h"
#include "tests/support/source_path.h"

namespace yardmaster::rules {
namespace {

const PhraseSet& Phrases() { return *yardmaster::testing::ShippedPhrases(); }

const CommandTable& Table() { return *yardmaster::testing::ShippedCommands(); }

const PhraseCommandInfo* InPhrases(std::string_view id) {
  for (const PhraseCommandInfo& info : Phrases().commands()) {
    if (info.id == id) return &info;
  }
  return nullptr;
}

// "/autogit squash" → {"autogit", "squash"}
std::vector<std::string> Words(const std::string& form) {
  std::istringstream in(form.substr(1));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

TEST(SlashWords, EveryWordOfThePhrasesIsAFormOfTheSameCommand) {
  const nlohmann::json slash =
      nlohmann::json::parse(yardmaster::testing::SourceText("rules/packs/common/phrases/rules.json")).at("slash");
  ASSERT_GT(slash.size(), 20u);
  for (const auto& [form, command] : slash.items()) {
    const std::vector<std::string> words = Words(form);
    const std::vector<std::string_view> views(words.begin(), words.end());
    const std::vector<CommandMatch> matches = Table().FindWords(views);
    const auto whole = std::find_if(matches.begin(), matches.end(), [&](const CommandMatch& match) {
      return match.words == words.size() && match.form->needs.empty();
    });
    EXPECT_NE(whole, matches.end()) << form;
    if (whole == matches.end()) continue;
    EXPECT_EQ(whole->command->id, command.get<std::string>()) << form;
  }
}

TEST(SlashWords, EveryFormOfACommandThatPhrasesKnowIsAWordOfThePhrases) {
  size_t forms = 0;
  for (const CommandModel& command : Table().commands()) {
    if (InPhrases(command.id) == nullptr) continue;
    for (const CommandForm& form : command.forms) {
      // What gives a slot itself, or needs a parameter, is for the grammar of command lines alone.
      if (form.pattern || !form.needs.empty() || !form.sets.empty()) continue;
      const Interpretation result = Phrases().Interpret(form.text, {});
      const bool lacks_its_number = result.command == "ask" && !result.choices.empty();
      EXPECT_EQ(lacks_its_number ? result.choices.front().command : result.command, command.id) << form.text;
      ++forms;
    }
  }
  EXPECT_GT(forms, 20u);
}

TEST(SlashWords, PhrasesAndTheTableAgreeOnWhatWrites) {
  for (const PhraseCommandInfo& info : Phrases().commands()) {
    const CommandModel* command = Table().Find(info.id);
    ASSERT_NE(command, nullptr) << info.id;
    EXPECT_EQ(info.write, command->access == CommandAccess::kWrite) << info.id;
  }
}

}  // namespace
}  // namespace yardmaster::rules
