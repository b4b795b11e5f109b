// What a command is: its words, its parameters, who may give it, and what the bot says about it. Loaded from
// commands.json of the packs; no command, word or right of a project appears in C++.
#ifndef YARDMASTER_RULES_ENGINE_COMMANDS_COMMAND_MODEL_H_
#define YARDMASTER_RULES_ENGINE_COMMANDS_COMMAND_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "services/core/pack_origin.h"

namespace yardmaster::rules {

// Value of a slot: a flag, a number (pull requests, counts), one text, or a list of words (reviewers, labels).
using SlotValue = std::variant<bool, int64_t, std::string, std::vector<std::string>>;
// What a command was given, by the name of the slot. The same slots come from slash commands and from phrases.
using Slots = std::map<std::string, SlotValue, std::less<>>;

// The same text in the two languages that the bot answers in.
struct LocalText {
  std::string en;
  std::string zh;

  const std::string& In(bool chinese) const { return chinese && !zh.empty() ? zh : en; }
};

enum class CommandParameterType : uint8_t {
  kPull,    // N, #N, !N, owner/repo#N or the URL of a pull request; names a repository → also the slot "repo"
  kIssue,   // the same, also of an issue
  kFlag,    // no value; gives the slots in `sets`
  kWord,    // one word
  kWords,   // words with commas between them; given again, they are added
  kText,    // one quoted text; positional: to the end of the line, quotes or not
  kNumber,  // digits
  kLabels,  // names of labels with commas between them; positional: to the end of the line; names may hold blanks
  kPath,    // one file or glob; positional: only a word with a folder, a wildcard or an ending
};

struct CommandParameter {
  std::string name;                  // without dashes: "to" for --to N and to=N
  std::vector<std::string> aliases;  // further names, without dashes; one character: "m" for -m
  std::string slot;                  // slot that it fills; the name where nothing else is said
  CommandParameterType type = CommandParameterType::kWord;
  bool positional = false;  // may stand without its name, in the order of the parameters
  bool named = true;        // may be given as --name value and name=value
  bool bare = false;        // a flag that may stand without dashes: "/code-review 160 detailed"
  bool required = false;    // missing, and not given by the thread: ask back
  // Closed list of values; empty: any. In lower case; written in any case.
  std::vector<std::string> values;
  // Short forms of values: "c" → "changed".
  std::vector<std::pair<std::string, std::string>> value_aliases;
  // What holds when it is not given, as help says it; empty: nothing. Not put into the slots.
  std::string default_value;
  // Flags: the slots that it gives, e.g. {"rebase", false}. Never empty for flags.
  std::vector<std::pair<std::string, SlotValue>> sets;
  LocalText summary;
};

// Whether its value is an issue or a pull request.
inline bool IsReference(const CommandParameter& parameter) {
  return parameter.type == CommandParameterType::kPull || parameter.type == CommandParameterType::kIssue;
}

// One way to write a command: "/squash", "/autogit squash", "/retest_compile_{target}".
struct CommandForm {
  std::string text;                // as in the pack, with the slash
  std::vector<std::string> words;  // without the slash, lower case; the last one may hold {slot} places
  bool pattern = false;            // holds {slot} places
  // Holds only where this parameter is given: "/autogit pr --to N" is another command than "/autogit pr".
  std::string needs;
  // Slots that this way of writing gives, e.g. "/retest_ut" → {"suite", "ut"}.
  std::vector<std::pair<std::string, SlotValue>> sets;
};

enum class CommandAccess : uint8_t {
  kRead,   // changes nothing but the bot's own answer
  kWrite,  // changes a repository, a pull request or an issue; never chosen by doubt or by a bare link
};

// Where a command may come from; bits.
enum CommandPlace : uint8_t {
  kFromIssue = 1,  // a comment on an issue, or its opening post
  kFromPull = 2,   // the same of a pull request
  kFromChat = 4,
  kFromCli = 8,
};

enum class CommandState : uint8_t {
  kWorks,       // does what it says
  kNotYet,      // parsed, checked for permission, recorded, and answered with `reason`
  kNotOffered,  // will not be done by the bot; `reason` says what people get instead
};

// One kind of people.
struct CommandRight {
  enum class Kind : uint8_t {
    kAnyone,
    kAuthor,        // opened the issue or the pull request
    kCollaborator,  // may triage or write
    kMaintainer,    // maintains or administers the repository
    kTeam,          // member of `team`
  };
  Kind kind = Kind::kAnyone;
  std::string team;  // kTeam: "org/team", or "team" for the organisation of the repository

  friend bool operator==(const CommandRight&, const CommandRight&) = default;
};

// "anyone", "author", "collaborator", "maintainer", "team:X".
std::string RightName(const CommandRight& right);
// Reads such a name. False if it is none.
bool ParseRight(std::string_view name, CommandRight& right);
// "read" or "write".
std::string_view AccessName(CommandAccess access);
// "works", "not_yet", "not_offered"; the other way round of one of these.
std::string_view StateName(CommandState state);
CommandState StateFromName(std::string_view name);
// "pr", "issue", "flag", "word", "words", "text", "number", "labels", "path"; the other way round of one of these.
std::string_view TypeName(CommandParameterType type);
CommandParameterType TypeFromName(std::string_view name);
// "issue", "pull", "chat", "cli", for the bits of `places`, in this order.
std::vector<std::string> PlaceNames(uint8_t places);

struct CommandExample {
  std::string text;     // "/squash 160 -m \"fix: layout cache\""
  std::string id;       // command that it gives; its own where nothing else is said
  LocalText comment;    // what it does; may be empty
  bool phrase = false;  // a sentence for the interpreter, not a slash command
};

struct CommandModel {
  std::string id;     // "squash", "gate_retest": what decisions, the ledger and scripts name
  std::string group;  // id of a CommandGroup
  LocalText title;    // one line
  LocalText help;     // a paragraph; may be empty
  std::string usage;  // "/squash [PR] [-m MESSAGE]"
  std::vector<CommandForm> forms;
  std::vector<CommandParameter> parameters;
  std::vector<CommandExample> examples;
  CommandAccess access = CommandAccess::kWrite;
  std::vector<CommandRight> who;  // any of them; never empty
  uint8_t places = 0;             // bits of CommandPlace
  CommandState state = CommandState::kNotYet;
  LocalText reason;     // kNotYet, kNotOffered: why
  bool hidden = false;  // works, but help does not list it
  // Needs a pull request: without a number that of the thread; elsewhere it asks back.
  bool needs_pull = false;
  // Runs code of others or spends machines: like a write it is never open to anyone, whatever a configuration says.
  bool trusted_only = false;
  // Rewrites what is there: where a sentence asks for it, the same person has to confirm it.
  bool rewrites = false;
  // Publishes something although people's rights for reading suffice: in chat it is held to what writes are held to.
  bool publishes = false;
  // The pull request that it names is where its work goes to, not what it is about: that is the thread's.
  bool names_target = false;
  std::string written;  // the JSON object as it stands in the file, in one line
  Origin origin;

  const CommandParameter* Parameter(std::string_view name_or_alias) const;
  const CommandParameter* ParameterOfSlot(std::string_view slot) const;
  // Whether it does more than tell: it writes, publishes, or spends machines.
  bool Acts() const { return access == CommandAccess::kWrite || publishes || trusted_only; }
  // Whether "anyone" may be among those who may give it.
  bool MayBeOpen() const { return access == CommandAccess::kRead && !trusted_only; }
};

// A heading of help.
struct CommandGroup {
  std::string id;
  LocalText title;
};

// Everything that commands.json of a pack and of the packs that it extends says.
struct CommandsModel {
  std::vector<CommandGroup> groups;  // in the order of help
  std::vector<CommandModel> commands;
  // Texts of the bot's answers, with {places}; services/commands/answers fills them.
  std::map<std::string, LocalText, std::less<>> answers;
  // Labels that people may set and take away through the bot; exact names. Empty: none.
  std::vector<std::string> people_labels;
  Origin people_labels_origin;
  // First words of other bots' commands, without the slash, lower case; skipped silently. "x*": begins so.
  std::vector<std::string> bot_commands;
  // Logins of other bots: a line that speaks to one of them is not for us. Lower case, without "@".
  std::vector<std::string> bot_logins;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMMANDS_COMMAND_MODEL_H_
