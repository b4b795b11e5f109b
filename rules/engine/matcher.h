// Finds which signals match where: one scan of each zone for all patterns at once, then one search for each signal that
// the scan found.
#ifndef YARDMASTER_RULES_ENGINE_MATCHER_H_
#define YARDMASTER_RULES_ENGINE_MATCHER_H_

#include <re2/re2.h>
#include <re2/set.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/decision.h"
#include "rules/engine/pack/pack_model.h"

namespace yardmaster::rules {

// A signal matched in a zone. One for each signal and zone: the first place that no negation precedes.
struct SignalHit {
  uint32_t signal = 0;  // index in the pack
  Zone zone = Zone::kProse;
  TextSource source = TextSource::kBody;
  uint32_t comment_index = 0;
  size_t begin = 0;
  size_t end = 0;
};

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
  // Memory that the automaton of the set may take, in bytes. A set that needs more fails, which is an error and never
  // "no match".
  static constexpr int64_t kSetMemory = 24 << 20;
  // The same for a single signal.
  static constexpr int64_t kPatternMemory = 4 << 20;

  // Compiles. Returns nullptr and adds a problem for each pattern that RE2 refuses or that matches the empty text.
  static std::unique_ptr<Matcher> Create(const std::vector<SignalModel>& signals,
                                         const std::vector<std::string>& negations, Problems& problems);

  // Appends hits in the order of texts and zones; later texts (comments) only add zones that earlier ones did not have.
  // Returns false, with `error` set, if a set failed.
  bool Match(const std::vector<ZonedText>& texts, std::vector<SignalHit>& hits, std::string& error) const;

 private:
  Matcher() = default;
  bool Negated(std::string_view text, size_t begin, size_t match) const;

  std::vector<std::unique_ptr<RE2>> patterns_;  // by signal; null for derived ones
  std::vector<bool> negatable_;                 // by signal
  std::vector<ZoneMask> zones_;                 // by signal: where it looks
  ZoneMask searched_zones_ = 0;                 // zones that any signal looks at
  std::unique_ptr<RE2::Set> set_;
  std::vector<uint32_t> signals_;  // index in the set → signal
  std::unique_ptr<RE2> negation_;  // null: no negations
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_MATCHER_H_
