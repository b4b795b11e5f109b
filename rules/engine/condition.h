// Conditions of a pack with their names resolved to indices, and the facts that they are asked about.
#ifndef YARDMASTER_RULES_ENGINE_CONDITION_H_
#define YARDMASTER_RULES_ENGINE_CONDITION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/engine/decision.h"
#include "rules/engine/pack/pack_model.h"

namespace yardmaster::rules {

// Bit of signals that matched without a place: derived ones.
inline constexpr ZoneMask kDerivedBit = 1U << 15;

// What is known about one issue while it is decided; vectors are indexed as in the pack. Later phases fill later
// members.
struct Facts {
  std::vector<ZoneMask> signal_zones;   // 0: the signal did not match
  std::vector<double> base_scores;      // by label, before suppression
  std::vector<double> scores;           // by label, final
  std::vector<ZoneMask> label_zones;    // zones of the label's evidence
  std::vector<Confidence> confidence;   // by label
  std::vector<bool> chosen;             // by label
  std::vector<bool> step_taken;         // by step
  std::vector<uint32_t> labels_before;  // labels of the pack that were on the issue
  size_t body_bytes = 0;                // of the body without boilerplate and HTML comments
  bool scores_are_final =
      false;  // conditions on labels look at `scores` and `confidence`; before that at `base_scores`
};

// Names of a pack's parts → indices. Labels and topics share one index space.
struct NameTable {
  std::unordered_map<std::string, uint32_t> signals;
  std::unordered_map<std::string, uint32_t> labels;
  std::unordered_map<std::string, uint32_t> classifiers;
  std::unordered_map<std::string, uint32_t> steps;
};

// Which conditions make sense at a place of a pack.
enum class ConditionPlace {
  kSignal,      // signals, labels_before, body size
  kSuppressor,  // and base scores and evidence zones of labels
  kClassifier,  // and final scores
  kStep,        // and outcomes and earlier steps
};

class CompiledCondition {
 public:
  // Resolves names. `medium_of` gives, by label, the threshold that "MEDIUM" means before classifiers have spoken
  // (suppressors); `high_of` the same for HIGH. `step_limit`: steps with an index below it may be asked for.
  static CompiledCondition Compile(const Condition& condition, ConditionPlace place, const NameTable& names,
                                   const std::vector<double>& medium_of, const std::vector<double>& high_of,
                                   uint32_t step_limit, Problems& problems);

  bool Holds(const Facts& facts) const;

  // Why the condition does not hold, for people: "not met: …" of the first part that fails. Only to be asked when it
  // does not hold.
  std::string_view WhyNot(const Facts& facts) const;

 private:
  Condition::Kind kind_ = Condition::Kind::kAlways;
  std::vector<CompiledCondition> children_;
  std::vector<uint32_t> indices_;
  ZoneMask zones_ = kAllZones | kDerivedBit;
  Confidence at_least_ = Confidence::kMedium;
  std::vector<double>
      min_scores_;  // beside indices_, for labels; used when scores are not final or min_score was given
  bool by_score_ = false;
  uint64_t bytes_ = 0;
  std::string text_;  // the condition in words: `sub-oncall is "…"`
  std::string not_met_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CONDITION_H_
