#include "clients/cli/terminal.h"

#include <algorithm>
#include <iterator>

#include "clients/cli/width_table.h"
#include "services/core/utf8.h"

namespace yardmaster::cli {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

template <size_t kSize>
bool Contains(const CharRange (&ranges)[kSize], char32_t c) {
  const CharRange* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                            [](char32_t value, const CharRange& range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

int CharWidth(const Utf8Char& c) {
  if (!c.valid || c.code_point < 0x300) return 1;
  if (Contains(kZeroWidth, c.code_point)) return 0;
  return Contains(kDoubleWidth, c.code_point) ? 2 : 1;
}

// Embeddings, overrides and isolates of the bidirectional algorithm: they can make text read as something else.
bool ChangesDirection(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x061C;
}

// The picture of a C0 control character: U+2400 and the ones after it.
void AppendPicture(char32_t c, std::string& out) {
  const auto picture = static_cast<char>(0x80 + (c == 0x7F ? 0x21 : c));
  out.append("\xE2\x90");
  out.push_back(picture);
}

}  // namespace

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Char c = DecodeUtf8(text, pos);
    width += CharWidth(c);
    pos += c.bytes;
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Char c = DecodeUtf8(text, pos);
    if (!c.valid || ChangesDirection(c.code_point) || (c.code_point >= 0x80 && c.code_point < 0xA0)) {
      out.append(kReplacement);
    } else if (c.code_point == '\r' && pos + 1 < text.size() && text[pos + 1] == '\n') {
      // One line end, one space.
    } else if (c.code_point == '\n' || c.code_point == '\r' || c.code_point == '\t') {
      out.push_back(' ');
    } else if (c.code_point < 0x20 || c.code_point == 0x7F) {
      AppendPicture(c.code_point, out);
    } else {
      out.append(text, pos, c.bytes);
    }
    pos += c.bytes;
  }
  return out;
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += Printable(text.substr(begin, end - begin));
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string CutToWidth(std::string_view text, int columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns <= 0) return {};
  int width = 0;
  size_t pos = 0;
  while (pos < text.size()) {
    const Utf8Char c = DecodeUtf8(text, pos);
    if (width + CharWidth(c) > columns - 1) break;
    width += CharWidth(c);
    pos += c.bytes;
  }
  return std::string(text.substr(0, pos)).append(kEllipsis);
}

std::string PadRight(std::string_view text, int columns) {
  std::string out(text);
  out.append(static_cast<size_t>(std::max(0, columns - DisplayWidth(text))), ' ');
  return out;
}

std::string PadLeft(std::string_view text, int columns) {
  std::string out(static_cast<size_t>(std::max(0, columns - DisplayWidth(text))), ' ');
  return out.append(text);
}

std::vector<std::string> WrapToWidth(std::string_view text, int columns) {
  std::vector<std::string> lines;
  while (true) {
    const size_t line_end = text.find('\n');
    std::string_view rest = text.substr(0, line_end);
    std::string line;
    int width = 0;
    while (true) {
      const size_t begin = rest.find_first_not_of(' ');
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(word.size());
      const int word_width = DisplayWidth(word);
      if (!line.empty() && width + 1 + word_width > columns) {
        lines.push_back(std::move(line));
        line.clear();
        width = 0;
      }
      if (!line.empty()) {
        line.push_back(' ');
        ++width;
      }
      line.append(word);
      width += word_width;
    }
    lines.push_back(std::move(line));
    if (line_end == std::string_view::npos) return lines;
    text.remove_prefix(line_end + 1);
  }
}

}  // namespace yardmaster::cli
