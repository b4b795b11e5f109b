// The compiled phrases; only for the files of this folder.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_MODEL_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_MODEL_H_

#include <re2/re2.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/phrases/concept_pattern.h"
#include "rules/engine/phrases/find_filter.h"
#include "rules/engine/phrases/lexicon.h"
#include "rules/engine/phrases/phrase_set.h"
#include "rules/engine/phrases/phrase_text.h"

namespace yardmaster::rules {

// What a concept does for the mood of its clause, or for where clauses end. Packs say which concepts play which role.
enum class PhraseRole : uint8_t {
  kNegation,     // forbids what the clause speaks of
  kDone,         // it has happened
  kPerfect,      // it has happened, unless the clause asks politely
  kPlan,         // somebody is going to do it
  kLater,        // not now
  kSelf,         // the writer, as the one who does it
  kOther,        // somebody else who does it
  kWant,         // the writer wants it: a request in spite of the writer in it
  kPolite,       // marks a request
  kSoft,         // marks a request, weaker
  kTake,         // what stands between it and the verb is the object
  kMaybe,        // a question, unless there is a mark of a request
  kQuestion,     // a question about how things are
  kAuxiliary,    // a question where a clause begins with it
  kCondition,    // if, when
  kSuccess,      // if the step before went well
  kLead,         // may stand before the verb of a request
  kFinite,       // behind a verb in front: that was a noun
  kBreak,        // a clause begins behind it
  kTurn,         // a clause begins with it
  kJoin,         // a clause begins behind it, if a verb does
  kAfter,        // behind what happens first
  kBefore,       // behind what happens later
  kAfterThat,    // before what happens first
  kBeforeThat,   // before what happens later
  kCancel,       // alone: takes back what was said before
  kCorrect,      // takes back a part of what was said before
  kVerb,         // what a request may begin with
  kTopic,        // the clause speaks about it
  kAlternative,  // one or the other
  kInquiry,      // asks to be told
  kBulk,         // several subjects
  kArticle,      // what follows is a noun
  kGerund,       // "squashing …": most often a noun
  kRemind,       // "remember to …": said to whoever reads it
  kThanks,       // thanks for what follows it, where a clause begins with it; else a mark of a request
  kPerson,       // somebody who is addressed where the clause is nothing else or asks them
  kSource,       // whoever or whatever says so: what the sentence tells is not asked for
  kStep,         // "X done, then Y": a step of what is asked for, unless it is told as a report
  kDeed,         // a verb that begins what follows a step: no noun of a step
  kSo,           // begins what follows a step
  kHow,          // with a question in front of a verb: asks how it is done
  kThing,        // what a command may be about
  kTarget,       // what things are taken to
  kFailure,      // what is spoken of went wrong
  kMend,         // a verb for failures
  kGiven,        // if the step before went well, said as a condition
  kPermit,       // a question like kMaybe, but with what tells that it has come to it: "可以提 PR 了"
  kHandling,     // a verb for what is done with a thing that is named by a verb: "测试先不跑"
  kWait,         // begins what must come first, whatever causes it: "等评审完再提交"
  kNeed,         // says that something is needed, without asking for it
  kRepeated,     // it has happened again, or happens too often
  kGreeting,     // said to several people: what its sentence asks for may be asked of them
  kFinal,        // a question like kMaybe that no mark of a request but a polite one makes one: "把 #12 压一下吗"
  kCount
};

// The names of roles in packs, in the order of PhraseRole.
inline constexpr std::array<std::string_view, static_cast<size_t>(PhraseRole::kCount)> kPhraseRoleNames = {
    "negation", "done",   "perfect",     "plan",     "later",     "self",       "other",       "want",     "polite",
    "soft",     "take",   "maybe",       "question", "auxiliary", "condition",  "success",     "lead",     "finite",
    "break",    "turn",   "join",        "after",    "before",    "after_that", "before_that", "cancel",   "correct",
    "verb",     "topic",  "alternative", "inquiry",  "bulk",      "article",    "gerund",      "remind",   "thanks",
    "person",   "source", "step",        "deed",     "so",        "how",        "thing",       "target",   "failure",
    "mend",     "given",  "permit",      "handling", "wait",      "need",       "repeated",    "greeting", "final"};

// A set of roles is a number with a bit for each.
template <typename... Roles>
constexpr uint64_t RoleBits(Roles... roles) {
  return ((uint64_t{1} << static_cast<unsigned>(roles)) | ...);
}

// What a clause may be for a rule to hold.
enum PhraseForm : uint8_t { kFormRequest = 1, kFormQuestion = 2, kFormStatement = 4 };

struct PhraseRule {
  std::string id;
  std::string command;
  std::vector<ConceptPattern> patterns;
  int rank = 50;
  uint8_t forms = kFormRequest;
  std::vector<std::string> then;        // commands that its words ask for besides
  std::vector<std::string> choices;     // "ask": the commands that its words may mean
  ConceptBits without;                  // concepts that the clause must not have
  std::optional<ConceptBits> with;      // one of these must be in the clause
  std::optional<ConceptBits> anywhere;  // one of these must be in the message
  bool polite = false;                  // only where somebody asks
  bool certain = false;                 // its words can't be meant otherwise: no doubt by what stands around them
};

// Takes slots out of the text.
struct PhraseFind {
  std::string id;
  const RE2* pattern = nullptr;    // of PhraseSet::Impl::find_filter
  std::vector<uint16_t> concepts;  // what it is replaced by
  std::vector<std::pair<int, std::string>> groups;
  int span = 0;  // group that is replaced; 0: all of it
};

// Sets slots by concepts of a clause, and takes these concepts away.
struct PhraseOption {
  std::string id;
  ConceptPattern pattern;
  nlohmann::ordered_json set;
  bool keep = false;                  // the words stay: they say more than the option
  std::vector<std::string> commands;  // only in messages that speak of one of these; empty: any
};

// A command that is an option of another one.
struct PhraseAbsorb {
  std::string command, into;
  nlohmann::ordered_json set, negated;
};

struct PhraseSet::Impl {
  std::string pack;
  CharacterFold fold;
  Lexicon lexicon;
  std::vector<std::string> concepts;  // names by number
  std::unordered_map<std::string, uint16_t> concept_numbers;
  std::vector<uint64_t> roles;  // of each concept, a bit each
  std::vector<bool> silent;     // concepts that patterns don't see
  std::vector<PhraseFind> finds;
  FindFilter find_filter;
  std::vector<PhraseOption> options;
  std::vector<PhraseRule> rules;
  std::vector<PhraseAbsorb> absorbs;
  std::vector<PhraseCommandInfo> commands;
  std::map<std::string, std::string, std::less<>> slash;  // "/autogit pr" → command
  std::unordered_set<std::string> own_names;
  std::unique_ptr<RE2> other_bots;
  std::vector<PhraseCase> cases;
  bool empty = true;

  // Concepts that the tokenizer itself gives out.
  uint16_t unknown = 0, number = 0, mention = 0, quoted = 0, option = 0, reference = 0;

  const PhraseCommandInfo* Command(std::string_view id) const {
    const auto it = absl::c_find_if(commands, [&](const PhraseCommandInfo& command) { return command.id == id; });
    return it == commands.end() ? nullptr : &*it;
  }
  bool IsWrite(std::string_view id) const {
    const PhraseCommandInfo* command = Command(id);
    return command != nullptr && command->write;
  }
  // The concept plays one of these roles.
  template <typename... Roles>
  bool Has(uint16_t concept_number, Roles... any) const {
    return (roles[concept_number] & RoleBits(any...)) != 0;
  }
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_MODEL_H_
