#include "services/worker/results/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_replace.h"
#include "services/core/utf8.h"
#include "services/worker/logs/escape_sequences.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "…";

// Those that make text be shown in another order than it is stored, and the two that XML does not allow.
bool IsHarmful(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x061C ||
         (c >= 0x80 && c <= 0x9F) || c == 0xFFFE || c == 0xFFFF;
}

// The pictures of control characters are U+2400 and on; DEL has U+2421.
char32_t PictureOf(char32_t control) { return control == 0x7F ? 0x2421 : 0x2400 + control; }

std::string Format(const char* format, double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendValidUtf8(text, out);
  return out;
}

std::string PlainText(std::string_view text, size_t max_bytes) {
  std::string out;
  out.reserve(std::min(text.size(), max_bytes) + kEllipsis.size());
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Char c = DecodeUtf8(text, pos);
    if (c.valid && c.code_point == 0x1B) {
      pos += EscapeSequenceBytes(text, pos);
      continue;
    }
    const size_t before = out.size();
    if (!c.valid || IsHarmful(c.code_point)) {
      out.append(kReplacement);
    } else if (c.code_point == '\r') {
      if (pos + 1 >= text.size() || text[pos + 1] != '\n') out.push_back('\n');
    } else if ((c.code_point < 0x20 && c.code_point != '\n' && c.code_point != '\t') || c.code_point == 0x7F) {
      AppendUtf8(PictureOf(c.code_point), out);
    } else {
      out.append(text.substr(pos, c.bytes));
    }
    if (out.size() > max_bytes) {
      out.resize(before);
      return out.append(kEllipsis);
    }
    pos += c.bytes;
  }
  return out;
}

std::string EscapeMarkup(std::string_view text, size_t max_bytes) {
  return absl::StrReplaceAll(PlainText(text, max_bytes),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string DurationText(double seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 0.9995) return Format("%.0f ms", std::max(1.0, seconds * 1000));
  if (seconds < 9.95) return Format("%.1f s", seconds);
  if (seconds < 59.5) return Format("%.0f s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(std::min(seconds, 1e12)));
  const auto two = [](int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two(whole % 3600 / 60) + " min";
}

std::string CountText(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

}  // namespace yardmaster::worker
