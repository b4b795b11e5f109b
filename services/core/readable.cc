#include "services/core/readable.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

char Lower(char c) { return absl::ascii_tolower(static_cast<unsigned char>(c)); }

// Edit distance without regard to ASCII case; a swap of neighbours counts once. Texts are short.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) && Lower(a[i - 2]) == Lower(b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string Readable(std::string_view text, size_t max_bytes) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (out.size() >= max_bytes) return out + "…";
    const Utf8Char c = DecodeUtf8(text, i);
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    const bool c1 = c.code_point >= 0x80 && c.code_point < 0xA0;
    if (!c.valid || c1 || byte < 0x20 || byte == 0x7F) {
      out += '<';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
      out += '>';
      ++i;
      continue;
    }
    out.append(text.substr(i, c.bytes));
    i += c.bytes;
  }
  return out;
}

std::string Quoted(std::string_view text, size_t max_bytes) { return "\"" + Readable(text, max_bytes) + "\""; }

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr size_t kMaxLength = 64;
  if (name.empty() || name.size() > kMaxLength) return {};
  // A third of the name may differ, at least one and at most three letters.
  const size_t allowed = std::clamp<size_t>(name.size() / 3, 1, 3);
  std::string_view best;
  size_t best_distance = allowed + 1;
  for (std::string_view candidate : known) {
    if (candidate.size() > kMaxLength) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view nearest = NearestName(name, known);
  return nearest.empty() ? "" : "; did you mean " + Quoted(nearest) + "?";
}

size_t CodePoints(std::string_view text) {
  return static_cast<size_t>(absl::c_count_if(text, [](char c) { return !ContinuesUtf8(c); }));
}

bool IsValidUtf8(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Char c = DecodeUtf8(text, pos);
    if (!c.valid) return false;
    pos += c.bytes;
  }
  return true;
}

}  // namespace yardmaster
