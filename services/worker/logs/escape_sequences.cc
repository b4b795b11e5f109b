#include "services/worker/logs/escape_sequences.h"

namespace yardmaster::worker {
namespace {

constexpr char kEscape = '\x1b';

}  // namespace

size_t EscapeSequenceBytes(std::string_view text, size_t pos) {
  if (pos + 1 >= text.size()) return 1;
  const char kind = text[pos + 1];
  size_t end = pos + 2;
  if (kind == '[') {
    // Parameters, then one letter.
    while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3F) ++end;
    return (end < text.size() && text[end] >= 0x40 && text[end] <= 0x7E ? end + 1 : end) - pos;
  }
  if (kind == ']' || kind == 'P' || kind == '^' || kind == '_') {
    // Up to BEL or ESC \, but never over the end of the line.
    while (end < text.size() && text[end] != '\n') {
      if (text[end] == '\a') return end + 1 - pos;
      if (text[end] == kEscape && end + 1 < text.size() && text[end + 1] == '\\') return end + 2 - pos;
      ++end;
    }
    return 2;
  }
  return kind >= 0x20 && kind <= 0x7E ? 2 : 1;
}

std::string_view WithoutEscapes(std::string_view text, std::string& buffer) {
  size_t at = text.find(kEscape);
  if (at == std::string_view::npos) return text;
  buffer.clear();
  size_t begin = 0;
  for (; at != std::string_view::npos; at = text.find(kEscape, begin)) {
    buffer.append(text.substr(begin, at - begin));
    begin = at + EscapeSequenceBytes(text, at);
  }
  buffer.append(text.substr(begin));
  return buffer;
}

}  // namespace yardmaster::worker
