// The examples of the commands that all packs share are read as what they say they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "services/commands/grammar.h"
#include "services/commands/help.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::commands {
namespace {

using yardmaster::testing::ShippedCommands;

TEST(TableExamples, EverySlashExampleIsReadWithoutProblems) {
  const std::shared_ptr<const rules::CommandTable> table = ShippedCommands();
  const CommandGrammar grammar(table, {{"yardmaster"}, {}});
  for (const rules::CommandModel& command : table->commands()) {
    for (const rules::CommandExample& example : command.examples) {
      if (example.phrase) continue;
      const ParsedText parsed = grammar.Parse(example.text);
      ASSERT_EQ(parsed.commands.size(), 1u) << example.text;
      EXPECT_EQ(parsed.commands[0].id(), example.id) << example.text;
      for (const CommandProblem& problem : parsed.commands[0].problems) {
        ADD_FAILURE() << example.text << ": " << problem.message.en;
      }
    }
  }
}

TEST(TableExamples, EveryFormIsReadAsItsCommandAlsoBehindAMention) {
  const std::shared_ptr<const rules::CommandTable> table = ShippedCommands();
  const CommandGrammar grammar(table, {{"yardmaster"}, {}});
  for (const rules::CommandModel& command : table->commands()) {
    for (const rules::CommandForm& form : command.forms) {
      if (form.pattern || !form.needs.empty()) continue;
      for (const std::string& text : {form.text, "@yardmaster " + form.text}) {
        const ParsedText parsed = grammar.Parse(text);
        ASSERT_EQ(parsed.commands.size(), 1u) << text;
        EXPECT_EQ(parsed.commands[0].id(), command.id) << text;
        EXPECT_TRUE(parsed.commands[0].problems.empty()) << text;
      }
    }
  }
}

TEST(TableExamples, WhatStandsInAnswersIsNoCommand) {
  const std::shared_ptr<const rules::CommandTable> table = ShippedCommands();
  const CommandGrammar grammar(table, {{"yardmaster"}, {}});
  // The bot's own help would be a comment full of commands.
  for (const bool chinese : {false, true}) {
    HelpOptions options;
    options.chinese = chinese;
    EXPECT_TRUE(grammar.Parse(HelpList(*table, options)).commands.empty());
    for (const rules::CommandModel& command : table->commands()) {
      EXPECT_TRUE(grammar.Parse(HelpOne(*table, command, options)).commands.empty()) << command.id;
    }
  }
}

}  // namespace
}  // namespace yardmaster::commands
