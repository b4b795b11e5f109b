// Patterns over the concepts of a clause: "see .. @ref ... red $". Matched on the numbers of concepts themselves, not
// on their names as text: an automaton over text throws its states away where every message is a new one.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_CONCEPT_PATTERN_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_CONCEPT_PATTERN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace yardmaster::rules {

// More concepts than this are refused when packs are loaded.
inline constexpr size_t kMaxConcepts = 512;

class ConceptBits {
 public:
  void Add(uint16_t number) { bits_[number >> 6] |= uint64_t{1} << (number & 63); }
  bool Has(uint16_t number) const { return (bits_[number >> 6] >> (number & 63) & 1) != 0; }
  // True if one is in both.
  bool Meets(const ConceptBits& other) const {
    uint64_t both = 0;
    for (size_t i = 0; i < bits_.size(); ++i) both |= bits_[i] & other.bits_[i];
    return both != 0;
  }

 private:
  std::array<uint64_t, kMaxConcepts / 64> bits_{};
};

class ConceptPattern {
 public:
  enum class Repeat : uint8_t {
    kOnce,
    kOptional,  // rather once than not
    kStar,      // as often as possible
    kPlus,
    kGap,  // any concepts, as few as possible, `most` at most
  };
  struct Item {
    Repeat repeat = Repeat::kOnce;
    uint8_t most = 0;
    std::vector<uint16_t> concepts;  // any of them
  };

  // Where a pattern matched: tokens [begin, end).
  struct Found {
    size_t begin = 0, end = 0;
  };

  void Add(Item item);
  void AnchorBegin() { at_begin_ = true; }
  void AnchorEnd() { at_end_ = true; }

  // False if one of the concepts that every match has is not among `bits`.
  bool Possible(const ConceptBits& bits) const;
  // The first match; of those that begin there the one that the repeats prefer.
  bool Match(const std::vector<uint16_t>& concepts, Found& found) const;

 private:
  static bool Holds(const Item& item, uint16_t number);
  bool MatchFrom(const std::vector<uint16_t>& concepts, size_t item, size_t at, size_t& end) const;

  std::vector<Item> items_;
  // What every match has: single concepts, the first few of them right here, and one of each group.
  std::array<uint16_t, 3> alone_{};
  uint8_t alone_count_ = 0;
  std::vector<ConceptBits> needs_;
  bool at_begin_ = false, at_end_ = false;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_CONCEPT_PATTERN_H_
