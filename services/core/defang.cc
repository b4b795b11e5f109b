#include "services/core/defang.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "services/core/characters.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

// Word joiner: no width, and no break.
constexpr std::string_view kJoiner = "\xe2\x81\xa0";

// Valid, printable, in one line, without what has no width or turns the direction of writing, cut near `max_bytes`.
std::string OneLine(std::string_view text, size_t max_bytes) {
  // Four times as much is enough for any text that is cut afterwards.
  std::string plain;
  plain.reserve(std::min(text.size(), 4 * max_bytes));
  bool blank = false;
  for (size_t pos = 0; pos < text.size() && plain.size() < 4 * max_bytes;) {
    const Character character = CharacterAt(text, pos);
    const std::string_view bytes = text.substr(pos, character.length);
    pos += character.length;
    if (IsBlank(character.code) || character.code == '\n' || character.code == '\r') {
      blank = !plain.empty();
    } else if (!IsInvisible(character.code)) {
      if (blank) plain += ' ';
      blank = false;
      plain += bytes;
    }
  }
  return Readable(plain, max_bytes);
}

// Puts the joiner where forges would see the beginning of a link or a mention.
std::string BreakLinks(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  const auto lower = [&](size_t i) {
    return i < text.size() ? absl::ascii_tolower(static_cast<unsigned char>(text[i])) : '\0';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    out += c;
    const bool sign = c == '@' || c == '#' || c == '!' || c == '&' || c == '$' || c == '~' || c == '%';
    const bool scheme = c == ':' && lower(i + 1) == '/' && lower(i + 2) == '/';
    const bool www = c == '.' && i >= 3 && lower(i - 1) == 'w' && lower(i - 2) == 'w' && lower(i - 3) == 'w';
    // "GH-12" is a number, too.
    const bool dash = c == '-' && i >= 2 && lower(i - 1) == 'h' && lower(i - 2) == 'g';
    if (sign || scheme || www || dash) out += kJoiner;
  }
  return out;
}

// Without forms of "@" and "#" that only look different.
std::string NarrowSigns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Character character = CharacterAt(text, pos);
    const char ascii = AsciiOf(character.code);
    if (character.length > 1 && (ascii == '@' || ascii == '#' || ascii == '!' || ascii == '&')) {
      out += ascii;
    } else {
      out += text.substr(pos, character.length);
    }
    pos += character.length;
  }
  return out;
}

}  // namespace

std::string EchoCode(std::string_view text, size_t max_bytes) {
  const std::string plain = BreakLinks(NarrowSigns(OneLine(text, max_bytes)));
  if (plain.empty()) return {};
  // A code span ends at a run of as many backticks as it began with.
  size_t longest = 0;
  size_t run = 0;
  for (const char c : plain) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool pad = plain.front() == '`' || plain.back() == '`';
  return fence + (pad ? " " : "") + plain + (pad ? " " : "") + fence;
}

std::string EchoBlock(std::string_view text, size_t max_bytes) {
  std::string lines;
  size_t longest = 2;
  size_t run = 0;
  for (const char c : BreakLinks(NarrowSigns(CutUtf8(text, max_bytes)))) {
    const bool control = static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t';
    if (!control) lines.push_back(c);
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (lines.empty()) return {};
  const std::string fence(longest + 1, '`');
  return fence + "\n" + lines + (lines.ends_with('\n') ? "" : "\n") + fence;
}

std::string EchoText(std::string_view text, size_t max_bytes) {
  constexpr std::string_view kMarkup = "\\`*_{}[]()<>#+-.!|~&@:/=$^\"'";
  const std::string plain = BreakLinks(NarrowSigns(OneLine(text, max_bytes)));
  std::string out;
  out.reserve(plain.size() * 2);
  for (const char c : plain) {
    // As a reference where a backslash would be shown by readers of plain text only.
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (kMarkup.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string TableCell(std::string_view markdown) {
  std::string out;
  out.reserve(markdown.size() + 8);
  for (const char c : markdown) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

bool IsChinese(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const Character character = CharacterAt(text, pos);
    const uint32_t code = character.code;
    if ((code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
        (code >= 0x20000 && code <= 0x2FFFF)) {
      return true;
    }
    pos += character.length;
  }
  return false;
}

}  // namespace yardmaster
