// Finds many literals in one pass over a text. The table of a pass is small where texts are: its first rows, which
// nearly all bytes lead back to, stay in a cache that an automaton over whole patterns does not fit.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_LITERAL_SCANNER_H_
#define YARDMASTER_RULES_ENGINE_TEXT_LITERAL_SCANNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"

namespace yardmaster::rules {

// What `\w` of RE2 is: a letter or digit of ASCII, or "_".
inline bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// As `\b` of RE2 before text[at].
inline bool IsWordBoundary(std::string_view text, size_t at) {
  const bool before = at > 0 && IsWordByte(text[at - 1]);
  const bool after = at < text.size() && IsWordByte(text[at]);
  return before != after;
}

struct Literal {
  std::string text;             // not empty
  bool fold_case = false;       // ASCII letters match in either case
  bool starts_at_word = false;  // only where a word boundary is
  bool ends_at_word = false;
};

// Immutable after construction; safe to use from many threads at once. Aho and Corasick's automaton over the first
// bytes of the literals, without regard to case; the rest is compared where they are found.
class LiteralScanner {
 public:
  explicit LiteralScanner(std::vector<Literal> literals);

  struct Found {
    uint32_t literal = 0;  // its index
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  // Appends each place of each literal, overlapping ones too, in order of the ends of what the automaton knows. A text
  // has less than 4 GiB.
  void Scan(std::string_view text, std::vector<Found>& found) const;

 private:
  // A literal of which the automaton has found the first bytes. Most that begin alike differ in the next seven.
  struct Ending {
    uint64_t behind = 0;  // those of the literal, as BehindOf() has them, in the upper bytes
    uint32_t literal = 0;
    uint8_t shift = 0;    // bits that bring the bytes of a text to the place of `behind`
    uint8_t scanned = 0;  // bytes that the automaton has found
    bool starts_at_word : 1 = false;
    bool compares : 1 = false;  // there is more to compare than the automaton does
    bool ends_at_word : 1 = false;
  };

  // The states behind each byte of text[begin, begin + size) to `states`.
  void Run(std::string_view text, size_t begin, size_t size, uint16_t* states) const;
  // Appends the literals that end behind text[end - 1], where the automaton is in a state in which some do.
  void Compare(std::string_view text, size_t end, size_t state, std::vector<Found>& found) const;
  // `scanned`: so many bytes of it become states.
  Ending EndingOf(uint32_t index, size_t scanned) const;

  std::vector<Literal> literals_;
  size_t deepest_ = 0;                   // bytes of the deepest state: so many before a place tell the state there
  std::array<uint8_t, 256> class_of_{};  // bytes that no literal has are one class
  unsigned row_bits_ = 0;                // a row has 1 << row_bits_ entries, at least one for each class
  std::vector<uint16_t> next_;           // row of a state + class of a byte → next state
  uint32_t first_ending_ = 0;            // states from here on are those in which literals end
  std::vector<uint32_t> endings_begin_;  // by such a state: where its literals begin in endings_; one more for the end
  std::vector<Ending> endings_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_LITERAL_SCANNER_H_
