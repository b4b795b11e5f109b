// Finds which signals match where. One pass over each zone finds all literals: words, what patterns that match a few
// texts only are spelled out to, what other patterns can't do without, and what their matches begin with. Only patterns
// that have all that they need are searched for, one by one, and where it is known only in the places where they may
// begin.
#ifndef YARDMASTER_RULES_ENGINE_MATCHER_H_
#define YARDMASTER_RULES_ENGINE_MATCHER_H_

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/decision.h"
#include "rules/engine/pack/pack_model.h"
#include "rules/engine/signal_forms.h"
#include "rules/engine/text/literal_scanner.h"

namespace yardmaster::rules {

// A signal matched in a zone. One for each signal and zone: the first place that no negation precedes, of its words and
// phrases if there is one, else of its patterns.
struct SignalHit {
  uint32_t signal = 0;  // index in the pack
  Zone zone = Zone::kProse;
  TextSource source = TextSource::kBody;
  uint32_t comment_index = 0;
  size_t begin = 0;
  size_t end = 0;
};

// Zones in which people write sentences: only there can a negation precede a match.
inline bool HasSentences(Zone zone) { return zone == Zone::kTitle || zone == Zone::kProse || zone == Zone::kHeading; }

// The texts of one issue with their zones.
struct ZonedText {
  TextSource source = TextSource::kBody;
  uint32_t comment_index = 0;
  std::string_view text;
  std::vector<ZoneSpan> zones;
};

// Immutable after construction; safe to use from many threads at once.
class Matcher {
 public:
  // Memory that a pattern and its automaton may take, in bytes. One that is built while texts are searched and gets
  // larger is thrown away and built anew, which costs time and loses nothing.
  static constexpr int64_t kPatternMemory = 4 << 20;

  // Compiles. Returns nullptr and adds a problem for each pattern that RE2 refuses or that matches the empty text.
  static std::unique_ptr<Matcher> Create(const std::vector<SignalModel>& signals,
                                         const std::vector<std::string>& negations, Problems& problems);

  // Appends hits in the order of texts and zones; later texts (comments) only add zones that earlier ones did not have.
  void Match(const std::vector<ZonedText>& texts, std::vector<SignalHit>& hits) const;

 private:
  // What a literal is for: a match of a signal, or something that a pattern needs.
  struct Form {
    uint32_t signal = 0;
    uint32_t index = 0;    // of the pattern that needs it, in patterns_; else its order among the signal's forms
    uint32_t rest = 0;     // in rests_: what must follow
    char then = '\0';      // FirstByteOf() the rest
    uint8_t group = 0;     // bit of the pattern's group; 0: no pattern needs it, it is a match itself
    uint8_t groups = 0;    // bits of all groups of the pattern: a zone must have a literal of each
    bool is_name = false;  // a plain word, which a path or a build command that holds it does not name
    bool spelled = false;  // a match of a pattern
    bool begins = false;   // where `index`, a pattern, may match
    bool goes_on = false;  // the word bytes that follow belong to the match
  };
  struct Pattern {
    uint32_t signal = 0;
    uint32_t order = 0;  // among the signal's forms: the first wins of those that match at the same place
    std::unique_ptr<re2::FilteredRE2> compiled;
    bool has_beginnings = false;  // it is tried where literals stand with which its matches begin, and nowhere else
  };
  struct Place;
  struct Beginning;
  class Forms;
  class ZoneSearch;

  Matcher() = default;
  bool Negated(std::string_view text, size_t begin, size_t match) const;
  // What `pattern` is spelled out to, and the alternatives of it that only RE2 can look for. `order`: of the next form.
  // False: RE2 refuses one.
  bool AddAlternatives(uint32_t signal, uint32_t& order, const std::string& pattern, Forms& forms);
  // `needed`: groups of literals of each of which a text must have one; without any, they are found out. `beginnings`:
  // with one of them each match begins; none: not known. False: RE2 refuses the pattern.
  bool AddPattern(uint32_t signal, uint32_t order, const std::string& pattern,
                  std::span<std::vector<SignalLiteral>> needed, std::vector<Literal> beginnings, Forms& forms);

  std::vector<Pattern> patterns_;     // those of a signal stand together
  std::vector<bool> negatable_;       // by signal
  std::vector<ZoneMask> zones_;       // by signal: where it looks
  ZoneMask searched_zones_ = 0;       // zones that any signal looks at
  std::vector<uint32_t> unfiltered_;  // patterns that need no literal
  std::vector<Form> forms_;           // those of a literal stand together
  std::vector<uint32_t> first_form_;  // by literal, as the scanner numbers them; one more for the end
  std::vector<bool> only_needed_;     // by literal: a second place in a zone says nothing more
  std::vector<PhraseRest> rests_;     // the first is empty
  std::unique_ptr<const LiteralScanner> scanner_;
  std::unique_ptr<RE2> negation_;  // null: no negations
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_MATCHER_H_
