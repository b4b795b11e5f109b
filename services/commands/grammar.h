// From the text of a comment to the commands in it: which lines are commands, which command of the table each one is,
// and what it was given. Pure: no rights, no effects, no forge.
//
//   /squash 160 -m "fix: layout cache"      a slash and a form of the table, at the beginning of a line
//   @bot /squash 160      @bot squash 160   the same behind a mention of the bot
//   @bot 帮我把 160 压一下                   free text behind a mention: a request for the interpreter
//   /sqaush 160                             misspelt: unknown, with a suggestion
//   /lgtm      /usr/lib is full             another bot's command, or no command at all: skipped
//
// One command a line. Positional values, --flag, --name value, --name=value, name=value, name:value, -m "…"; quotes,
// blanks, digits and punctuation of every width (line_tokens.h). Nothing in code, quotes or HTML comments
// (command_lines.h). A command with problems must not be executed: the answer names them.
#ifndef YARDMASTER_SERVICES_COMMANDS_GRAMMAR_H_
#define YARDMASTER_SERVICES_COMMANDS_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_model.h"
#include "rules/engine/commands/command_table.h"

namespace yardmaster::commands {

enum class ProblemKind : uint8_t {
  kUnknownCommand,  // close to a known one, or said to the bot
  kUnknownOption,
  kMissingValue,   // an option that takes a value stands without one
  kTooManyValues,  // a word that no parameter takes
  kNotANumber,
  kNotAPull,       // no pull request (or issue, where one may be given)
  kBadValue,       // not one of the values that there are, or nothing that a name may be
  kContradiction,  // the same thing twice, differently
  kOpenQuote,      // a quote that is never closed
  kTooLong,        // line or number of words
  kUnreadable,     // not UTF-8
};

struct CommandProblem {
  ProblemKind kind = ProblemKind::kUnknownCommand;
  std::string word;          // what was written, readable (services/core/readable.h); not defanged
  rules::LocalText message;  // one sentence; quotes `word`, so answers defang it
};

struct ParsedCommand {
  enum class Kind : uint8_t {
    kCommand,  // one of the table; not to be executed if there are problems
    kUnknown,  // meant for us, but not in the table
    kRequest,  // free text behind a mention of the bot: for the interpreter
  };
  Kind kind = Kind::kCommand;
  size_t index = 0;      // place among the commands of the text
  size_t begin = 0;      // [begin, end) of the text in bytes: from the slash or the mention to the end of the line; a
  size_t end = 0;        // request may take further lines
  bool mention = false;  // the bot was addressed
  // As typed, without quotes, the slash and the mention. Valid UTF-8.
  std::vector<std::string> words;
  // The word behind the slash, in lower case; empty where there is no slash.
  std::string name;
  const rules::CommandModel* command = nullptr;  // kCommand; lives as long as the table
  const rules::CommandForm* form = nullptr;      // kCommand: the way it was written
  rules::Slots slots;
  // Forge that the URL of a pull request names ("gitcode.com"); empty without URL. The command is for that forge only.
  std::string host;
  // Required parameters without a value. The thread may give them: no problem by itself.
  std::vector<const rules::CommandParameter*> missing;
  std::vector<CommandProblem> problems;
  std::string usage;       // of the command, where there are problems or something is missing
  std::string suggestion;  // kUnknown: the form that was probably meant, "/squash"; may be empty
  std::string request;     // kRequest: what was written, without the mention; may be empty
  // 16 hex characters that name what is asked for within its text; stored, so it must stay as it is. Equal as long as
  // the words are, whatever happens to blanks, widths of characters, quotes, the mention, and the lines around; one
  // that stands n times in a text has n different ones. So an edit that leaves a command as it is finds it done, and
  // one that changes a word or writes it once more has asked for something new. It does not depend on the table, so
  // that a changed pack does not make old comments new.
  std::string fingerprint;

  std::string_view id() const { return command == nullptr ? std::string_view() : std::string_view(command->id); }
};

// A line that belongs to another bot.
struct SkippedLine {
  size_t begin = 0;
  size_t end = 0;
  std::string word;  // "/lgtm", "@dependabot"
};

struct ParsedText {
  std::vector<ParsedCommand> commands;     // in the order of the text, at most kMaxCommandsInText
  std::vector<SkippedLine> skipped_lines;  // at most kMaxCommandsInText
  bool too_many = false;                   // more than kMaxCommandsInText; the later ones are left out
  bool too_deep = false;                   // lists nested so deep that nothing was read
  // Lines from this byte on that look like commands were not read: the text is too long. npos: none.
  size_t unread = std::string::npos;
};

// Whether a word (lower case) is on a list of other bots' commands; "x*" on it: begins so. Case of the list is ignored.
bool IsOnList(std::string_view word, const std::vector<std::string>& list);

struct GrammarOptions {
  std::vector<std::string> own_logins;  // without "@", case ignored; "[bot]" behind a name may be left out in mentions
  // The repository's list of other bots' commands, besides those of the table: first words without the slash; "x*":
  // begins so. What is on a list is skipped even where the table has a command of that name.
  std::vector<std::string> bot_commands;
};

// Immutable; safe to use from many threads at once.
class CommandGrammar {
 public:
  CommandGrammar(std::shared_ptr<const rules::CommandTable> table, const GrammarOptions& options);

  // A comment or an opening post as received. Any bytes; linear in them.
  ParsedText Parse(std::string_view text) const;

  // One line of chat or of a command line, where there is no Markdown: up to the first line break. nullopt if it is
  // none of ours.
  std::optional<ParsedCommand> ParseLine(std::string_view line) const;

  const rules::CommandTable& table() const { return *table_; }

 private:
  std::shared_ptr<const rules::CommandTable> table_;
  std::vector<std::string> logins_;  // lower case
  std::vector<std::string> bots_;    // lower case
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_GRAMMAR_H_
