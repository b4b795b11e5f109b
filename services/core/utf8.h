// Characters of texts that may hold any bytes, and texts made fit for protobuf strings and JSON, which refuse invalid
// UTF-8.
#ifndef YARDMASTER_SERVICES_CORE_UTF8_H_
#define YARDMASTER_SERVICES_CORE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace yardmaster {

// One character of a text: its code point and how many bytes it takes. An invalid byte is a character of one byte with
// valid = false.
struct Utf8Char {
  char32_t code_point = 0;
  size_t bytes = 1;
  bool valid = false;
};

// The character that starts at `pos`, which must be inside `text`. Overlong forms, surrogates and values past U+10FFFF
// are invalid.
Utf8Char DecodeUtf8(std::string_view text, size_t pos);

// A byte that is not the first of its character.
inline bool ContinuesUtf8(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The longest prefix of at most `max_bytes` bytes that does not end inside a character.
std::string_view CutUtf8(std::string_view text, size_t max_bytes);

// The longest suffix of at most `max_bytes` bytes that does not begin inside a character.
std::string_view TailUtf8(std::string_view text, size_t max_bytes);

// The first `count` characters; the bytes of invalid ones count as they do for CodePoints in readable.h.
std::string_view FirstCodePoints(std::string_view text, size_t count);

// `text` in one line: cut between characters to at most `max_bytes` bytes, with "…" behind it, and "?" for each control
// character.
std::string Shortened(std::string_view text, size_t max_bytes);

// Appends one character, which must be a code point.
void AppendUtf8(char32_t code_point, std::string& out);

// Appends `text`, each invalid byte replaced by U+FFFD.
void AppendValidUtf8(std::string_view text, std::string& out);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_UTF8_H_
