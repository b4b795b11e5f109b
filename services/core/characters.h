// Characters as people type them on Chinese keyboards and on telephones: wide forms of ASCII, ideographic blanks and
// punctuation, curly quotes, dashes.
#ifndef YARDMASTER_SERVICES_CORE_CHARACTERS_H_
#define YARDMASTER_SERVICES_CORE_CHARACTERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster {

struct Character {
  uint32_t code = 0;    // code point; U+FFFD for a byte that is no UTF-8
  uint32_t length = 1;  // bytes
};

// The character at `pos`, which must be inside of `text`.
Character CharacterAt(std::string_view text, size_t pos);

// The ASCII character that a wide or ideographic form stands for ("／" → '/', "、" → ',', "。" → '.'), ASCII itself, or
// 0 if there is none. Curly quotes and dashes stand for none: what they mean depends on where they are.
char AsciiOf(uint32_t code);

// Blanks of every width, and what has no width at all but is typed like a blank.
bool IsBlank(uint32_t code);

// Control characters, marks of writing direction, zero-width characters: nothing that a name may hold.
bool IsInvisible(uint32_t code);

// `text` with wide forms in ASCII; everything else stays.
std::string Plain(std::string_view text);

// First place at or behind `pos` that is no blank.
size_t SkipBlanks(std::string_view text, size_t pos);

// ASCII letters in lower case.
std::string Lower(std::string_view text);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CHARACTERS_H_
