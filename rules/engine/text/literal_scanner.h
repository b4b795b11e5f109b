// Finds many literals in one pass over a text. The table of a pass is small where texts are: its first rows, which
// nearly all bytes lead back to, stay in a cache that an automaton over whole patterns does not fit.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_LITERAL_SCANNER_H_
#define YARDMASTER_RULES_ENGINE_TEXT_LITERAL_SCANNER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// What `\w` of RE2 is: a letter or digit of ASCII, or "_".
bool IsWordByte(char c);

// As `\b` of RE2 before text[at].
bool IsWordBoundary(std::string_view text, size_t at);

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

  // Calls found(index of the literal, where it begins, where it ends) for each place of each literal, overlapping ones
  // too, in order of the ends of what the automaton knows.
  template <typename Found>
  void Scan(std::string_view text, Found&& found) const {
    size_t end = 0;
    for (uint32_t at = 0; NextEnding(text, end, at);) {
      const size_t state = at - first_ending_;
      for (uint32_t k = endings_begin_[state]; k < endings_begin_[state + 1]; ++k) {
        const Literal& literal = literals_[endings_[k]];
        const size_t begin = end - std::min(literal.text.size(), scanned_);
        if (Fits(literal, text, begin)) found(endings_[k], begin, begin + literal.text.size());
      }
    }
  }

 private:
  // Goes on behind text[end - 1] from a state to the next in which literals end. False: there is none.
  bool NextEnding(std::string_view text, size_t& end, uint32_t& state) const;
  bool Fits(const Literal& literal, std::string_view text, size_t begin) const;

  std::vector<Literal> literals_;
  size_t scanned_ = 0;  // so many bytes of a literal become states; the others seldom tell it from what texts hold
  std::array<uint8_t, 256> class_of_{};  // bytes that no literal has are one class
  unsigned row_bits_ = 0;                // a row has 1 << row_bits_ entries, at least one for each class
  std::vector<uint16_t> next_;           // row of a state + class of a byte → next state
  uint32_t first_ending_ = 0;            // states from here on are those in which literals end
  std::vector<uint32_t> endings_begin_;  // by such a state: where its literals begin in endings_; one more for the end
  std::vector<uint32_t> endings_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_LITERAL_SCANNER_H_
