// What a message in natural language asks for: a command with its slots, nothing, or a question back. Words, rules and
// limits are the packs' phrases/*.json; the stages are these:
//
//   text      full-width characters, case, variants folded; code and quotations masked        phrase_text.h
//   finds     patterns that take slots out of the text: references, branches, people, messages
//   words     each word becomes a concept, misspelt ones too                                   lexicon.h
//   clauses   sentences and their parts, with what joins them                                  clauses.h
//   rules     options taken out of the clauses; the command that each of them speaks of        rule_hits.h
//   mood      whether the clause asks for it, forbids it, tells of it, or asks about it        mood.h, clause_mood.h
//   decision  the first command asked for, the others behind it, or a question back            decision.h
//
// Doubt about a command that writes is always a question back.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_SET_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_SET_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Longer messages are read up to here; what follows is told in `why`, and nothing that writes is chosen then.
inline constexpr size_t kMaxPhraseBytes = 16 * 1024;
// A message with more clauses than this is no request.
inline constexpr size_t kMaxPhraseClauses = 64;

// What the thread already says.
struct PhraseContext {
  std::optional<int64_t> pr;  // the pull request that the message stands at
  std::string repo;           // "owner/repo" of the thread
};

// A command with what the message gives it.
struct PhraseCommand {
  std::string command;
  nlohmann::ordered_json slots = nlohmann::ordered_json::object();
  // One of `then`: the message speaks of a condition, such as that what stands before it goes well.
  bool conditional = false;
  friend bool operator==(const PhraseCommand&, const PhraseCommand&) = default;
};

struct Interpretation {
  std::string command;  // a command, "ask" or "none"
  nlohmann::ordered_json slots = nlohmann::ordered_json::object();
  std::vector<PhraseCommand> then;     // the further commands, in order
  double confidence = 0;               // 0 to 1
  std::string why;                     // the rules that led here
  std::vector<PhraseCommand> choices;  // what may have been meant, for "ask"
};

// A command as the phrases see it.
struct PhraseCommandInfo {
  std::string id;
  bool write = false;
  std::vector<std::string> slots;    // that it takes
  std::vector<std::string> needs;    // without which it asks back
  std::string ref;                   // slot for a branch without a name of its own; empty for none
  std::string bare;                  // slot for a branch that only stands there; empty for none
  std::string with_reference;        // what its command line means with a pull request behind it; empty for itself
  std::string designated;            // what it means where another clause only says for which pull request
  bool asks_with_reference = false;  // the message speaks of a pull request, but not for this: asks back
};

// An example that must hold.
struct PhraseCase {
  std::string text;
  PhraseContext context;
  std::string command;
  std::optional<nlohmann::ordered_json> slots;  // all of them; unset: not compared
  std::vector<std::string> then;
  std::string pack, file;
  uint32_t line = 0;
};

// The nearest pack of the chain of `pack` that has phrases of its own; empty if none has.
std::string PackWithPhrases(const PackFiles& files, std::string_view pack);

// The phrases of a pack and of what it extends, compiled. Immutable; safe to use from many threads at once.
class PhraseSet {
 public:
  // Adds every problem with file, pointer and line; nullptr if there was any. A pack without phrases gives an empty
  // set, which takes every message for "none".
  static std::shared_ptr<const PhraseSet> Load(const PackFiles& files, std::string_view pack, Problems& problems);
  ~PhraseSet();
  PhraseSet(const PhraseSet&) = delete;
  PhraseSet& operator=(const PhraseSet&) = delete;

  bool empty() const;
  const std::string& pack() const;

  // Pure; throws nothing.
  Interpretation Interpret(std::string_view message, const PhraseContext& context) const;

  const std::vector<PhraseCommandInfo>& commands() const;
  const std::vector<PhraseCase>& cases() const;
  // Ids of the rules, in order.
  std::vector<std::string> RuleIds() const;
  // Ids of the rules and options that a message made use of.
  std::vector<std::string> UsedRules(std::string_view message) const;
  // How the stages see a message, for those who write rules: a line for each clause.
  std::string Explain(std::string_view message) const;

  struct Impl;
  explicit PhraseSet(std::unique_ptr<const Impl> impl);

 private:
  std::unique_ptr<const Impl> impl_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_SET_H_
