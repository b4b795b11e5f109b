// A message made comparable: full-width characters, case and variants of characters folded, and what holds no requests
// (code, quotes) masked. Every byte of it is mapped to the byte of the message that it came from.
#ifndef YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_TEXT_H_
#define YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yardmaster::rules {

// What masked text is replaced with, byte for byte. Other control characters never occur in a PhraseText.
inline constexpr char kQuoteMask = '\x01';  // between quotation marks, marks included
inline constexpr char kCodeMask = '\x02';   // inline code, back-ticks included
inline constexpr char kBlockMask = '\x03';  // code blocks, quoted lines, HTML comments
inline bool IsMask(char c) { return c == kQuoteMask || c == kCodeMask || c == kBlockMask; }

// A byte of an ASCII word in folded text.
inline bool IsFoldedWordByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

struct PhraseText {
  std::string text;              // folded, lower case, masked
  std::vector<uint32_t> origin;  // of each byte of `text`, and of its end: the byte of the message
};

// Variants of characters: code point → the one that the words are written with.
using CharacterFold = std::unordered_map<char32_t, char32_t>;

// Never fails; bytes that are no UTF-8 become spaces.
PhraseText NormalisePhrase(std::string_view message, const CharacterFold& fold);

// Masks code, quoted lines, HTML comments and quotations in `phrase.text`.
void MaskQuotations(PhraseText& phrase);

// One code point at `pos`, which moves behind it; U+FFFD and one byte for what is no UTF-8.
char32_t NextCodePoint(std::string_view text, size_t& pos);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PHRASES_PHRASE_TEXT_H_
