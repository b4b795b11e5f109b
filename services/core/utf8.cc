#include "services/core/utf8.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"

namespace yardmaster {
Utf8Char DecodeUtf8(std::string_view text, size_t pos) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(pos);
  if (lead < 0x80) return {lead, 1, true};
  size_t length = 0;
  char32_t code_point = 0;
  char32_t smallest = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, code_point = lead & 0x1Fu, smallest = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, code_point = lead & 0x0Fu, smallest = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, code_point = lead & 0x07u, smallest = 0x10000;
  } else {
    return {lead, 1, false};
  }
  if (length > text.size() - pos) return {lead, 1, false};
  for (size_t i = 1; i < length; ++i) {
    if (!ContinuesUtf8(text[pos + i])) return {lead, 1, false};
    code_point = (code_point << 6) | (byte(pos + i) & 0x3Fu);
  }
  if (code_point < smallest || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    return {lead, 1, false};
  }
  return {code_point, length, true};
}

std::string_view CutUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  // At most three bytes back: a longer run of continuation bytes is no character anyway.
  for (int i = 0; i < 3 && end > 0 && ContinuesUtf8(text[end]); ++i) --end;
  if (ContinuesUtf8(text[end])) end = max_bytes;
  return text.substr(0, end);
}

std::string_view TailUtf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  text.remove_prefix(text.size() - max_bytes);
  // A character has at most four bytes; what is longer is no UTF-8 and may be cut anywhere.
  for (size_t begin = 0; begin < 4 && begin < text.size(); ++begin) {
    if (!ContinuesUtf8(text[begin])) return text.substr(begin);
  }
  return text;
}

std::string_view FirstCodePoints(std::string_view text, size_t count) {
  size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    for (++end; end < text.size() && ContinuesUtf8(text[end]);) ++end;
  }
  return text.substr(0, end);
}

std::string Shortened(std::string_view text, size_t max_bytes) {
  std::string out(CutUtf8(text, max_bytes));
  absl::c_replace_if(out, absl::ascii_iscntrl, '?');
  if (out.size() < text.size()) out += "…";
  return out;
}

void AppendUtf8(char32_t code_point, std::string& out) {
  const auto put = [&](uint32_t lead, int more) {
    out += static_cast<char>(lead | (code_point >> (6 * more)));
    while (more-- > 0) out += static_cast<char>(0x80 | ((code_point >> (6 * more)) & 0x3F));
  };
  if (code_point < 0x80) {
    put(0, 0);
  } else if (code_point < 0x800) {
    put(0xC0, 1);
  } else if (code_point < 0x10000) {
    put(0xE0, 2);
  } else {
    put(0xF0, 3);
  }
}

void AppendValidUtf8(std::string_view text, std::string& out) {
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Char c = DecodeUtf8(text, pos);
    if (c.valid) {
      out.append(text, pos, c.bytes);
    } else {
      out.append("\xEF\xBF\xBD");
    }
    pos += c.bytes;
  }
}

}  // namespace yardmaster
