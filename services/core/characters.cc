#include "services/core/characters.h"

#include "absl/strings/ascii.h"
#include "services/core/absl_view.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

bool IsBetween(uint32_t code, uint32_t first, uint32_t last) { return first <= code && code <= last; }

}  // namespace

Character CharacterAt(std::string_view text, size_t pos) {
  const Utf8Char c = DecodeUtf8(text, pos);
  if (!c.valid) return {kReplacement, 1};
  return {static_cast<uint32_t>(c.code_point), static_cast<uint32_t>(c.bytes)};
}

char AsciiOf(uint32_t code) {
  if (code < 0x80) return static_cast<char>(code);
  if (IsBetween(code, 0xFF01, 0xFF5E)) return static_cast<char>(code - 0xFEE0);
  switch (code) {
    case 0x3001:  // 、
      return ',';
    case 0x3002:  // 。
    case 0xFF61:  // ｡
      return '.';
    default:
      return IsBlank(code) ? ' ' : 0;
  }
}

bool IsBlank(uint32_t code) {
  switch (code) {
    case ' ':
    case '\t':
    case 0xA0:    // no-break space
    case 0x200B:  // zero width space
    case 0x202F:
    case 0x205F:
    case 0x3000:  // ideographic space
    case 0xFEFF:  // byte order mark
      return true;
    default:
      return IsBetween(code, 0x2000, 0x200A);
  }
}

bool IsInvisible(uint32_t code) {
  return code < 0x20 || IsBetween(code, 0x7F, 0x9F) || code == 0xAD || IsBetween(code, 0x200B, 0x200F) ||
         IsBetween(code, 0x2028, 0x202E) || IsBetween(code, 0x2060, 0x206F) || code == 0xFEFF ||
         IsBetween(code, 0xFFF9, 0xFFFD) || IsBetween(code, 0xE0000, 0xE0FFF);
}

std::string Plain(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Character c = CharacterAt(text, pos);
    const char ascii = AsciiOf(c.code);
    if (ascii != 0) {
      out += ascii;
    } else {
      out.append(text.substr(pos, c.length));
    }
    pos += c.length;
  }
  return out;
}

size_t SkipBlanks(std::string_view text, size_t pos) {
  while (pos < text.size()) {
    const Character c = CharacterAt(text, pos);
    if (!IsBlank(c.code)) break;
    pos += c.length;
  }
  return pos;
}

std::string Lower(std::string_view text) { return absl::AsciiStrToLower(Abs(text)); }

}  // namespace yardmaster
