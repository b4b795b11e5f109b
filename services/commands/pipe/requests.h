// What a text asks for, one by one: commands with a slash, and what a sentence to the bot means, which may be several
// commands. Pure.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_REQUESTS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_REQUESTS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/grammar.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::commands {

// Something that must be done before something else of the same sentence.
struct Dependency {
  std::string fingerprint;
  std::string written;
};

struct Request {
  // kRequest: as the sentence means it, with a command of the table unless it has to be asked back.
  ParsedCommand command;
  // What it is known by. Each command of a sentence has one of its own.
  std::string fingerprint;
  // As it is said again: what stands in the text; of a sentence with several commands the line that means the same.
  std::string written;
  // The same as a line with a slash.
  std::string line;
  bool chinese = false;
  // A command that writes needs all that its sentence asks for before it, one that reads only what writes.
  std::vector<Dependency> before;
  bool conditional = false;          // the sentence says "if"
  std::vector<std::string> choices;  // kRequest without a command: what may be meant, each as a line
  // What of the text was not read though it may ask for something; with its last request, or, where nothing else was
  // found, with one of its own.
  rules::LocalText unread;

  bool IsNote() const { return command.kind == ParsedCommand::Kind::kUnknown && command.words.empty(); }
};

class RequestReader {
 public:
  // `phrases` may be null: sentences are not understood then. `subject` outlives this object.
  RequestReader(std::shared_ptr<const rules::CommandTable> table, const GrammarOptions& options,
                std::shared_ptr<const rules::PhraseSet> phrases, const v1::Subject& subject);

  // In the order of the text, at most kMaxCommandsInText. Text that merely addresses or mentions the bot asks for
  // nothing.
  std::vector<Request> Read(std::string_view text) const;

 private:
  rules::PhraseContext Context() const;
  // The same written with a slash: "/squash 160".
  std::string AsLine(const rules::PhraseCommand& command) const;
  void AddSentence(const ParsedCommand& sentence, std::vector<Request>& requests) const;
  // Empty if everything was read that may be a command.
  rules::LocalText Unread(const ParsedText& parsed, std::string_view text) const;

  const CommandGrammar grammar_;
  const std::shared_ptr<const rules::PhraseSet> phrases_;
  const v1::Subject& subject_;
};

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_REQUESTS_H_
