#include "services/core/store/search_terms.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/utf8.h"

namespace yardmaster::store {
namespace {

constexpr size_t kMinCharacters = 2;
constexpr size_t kMaxCharacters = 40;
// Hexadecimal runs from here on are addresses and hashes.
constexpr size_t kMinHash = 7;

bool Between(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

// Scripts that are written without blanks.
bool IsPaired(char32_t c) {
  return Between(c, 0x4e00, 0x9fff) || Between(c, 0x3400, 0x4dbf) || Between(c, 0xf900, 0xfaff) ||
         Between(c, 0x20000, 0x2fa1f) || Between(c, 0x3041, 0x3096) || Between(c, 0x30a1, 0x30fa) || c == 0x30fc ||
         Between(c, 0xac00, 0xd7a3) || c == 0x3005;
}

// Letters of alphabets with blanks between words; a coarse cut is enough.
bool IsLetter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  if (c == 0xd7 || c == 0xf7) return false;
  return c == 0xb5 || Between(c, 0xc0, 0x24f) || Between(c, 0x250, 0x2af) || Between(c, 0x300, 0x36f) ||
         Between(c, 0x370, 0x52f) || Between(c, 0x531, 0x587) || Between(c, 0x5d0, 0x5ea) || Between(c, 0x620, 0x669) ||
         Between(c, 0x671, 0x6d3) || Between(c, 0x900, 0xdff) || Between(c, 0xe01, 0xe5b) || Between(c, 0x1e00, 0x1fff);
}

// Full-width forms as their narrow ones, capitals as small letters, for the alphabets where that is an offset.
char32_t Folded(char32_t c) {
  if (Between(c, 0xff01, 0xff5e)) c -= 0xfee0;
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (Between(c, 0xc0, 0xde) && c != 0xd7) return c + 32;
  if (Between(c, 0x391, 0x3a9)) return c + 32;
  if (Between(c, 0x410, 0x42f)) return c + 32;
  if (Between(c, 0x400, 0x40f)) return c + 80;
  return c;
}

class Collector {
 public:
  explicit Collector(size_t max_words) : max_words_(max_words) {}

  bool full() const { return words_.size() >= max_words_; }
  void Add(std::string word) {
    if (full() || word.empty()) return;
    if (seen_.insert(word).second) words_.push_back(std::move(word));
  }
  std::vector<std::string> Take() { return std::move(words_); }

 private:
  const size_t max_words_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> words_;
};

// One run between separators, without underscores in it.
void AddPlain(Collector& words, const std::u32string& run) {
  if (run.size() < kMinCharacters || run.size() > kMaxCharacters) return;
  const auto is_digit = [](char32_t c) { return c >= '0' && c <= '9'; };
  const auto is_hex = [&](char32_t c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  if (absl::c_all_of(run, is_digit)) return;
  if (run[0] == '0' && run[1] == 'x') return;
  if (run.size() >= kMinHash && absl::c_all_of(run, is_hex) && absl::c_any_of(run, is_digit)) {
    return;
  }
  std::string word;
  for (char32_t c : run) AppendUtf8(c, word);
  words.Add(std::move(word));
}

void AddRun(Collector& words, std::u32string run) {
  const auto is_underscore = [](char32_t c) { return c == '_'; };
  while (!run.empty() && run.back() == '_') run.pop_back();
  run.erase(0, std::min(run.find_first_not_of(U'_'), run.size()));
  if (absl::c_none_of(run, is_underscore)) return AddPlain(words, run);
  if (run.size() <= kMaxCharacters) {
    std::string whole;
    for (char32_t c : run) AppendUtf8(c, whole);
    words.Add(std::move(whole));
  }
  size_t begin = 0;
  while (begin <= run.size()) {
    const size_t end = std::min(run.find(U'_', begin), run.size());
    AddPlain(words, run.substr(begin, end - begin));
    begin = end + 1;
  }
}

void AddPairs(Collector& words, const std::u32string& run) {
  for (size_t i = 0; i + 1 < run.size(); ++i) {
    std::string pair;
    AppendUtf8(run[i], pair);
    AppendUtf8(run[i + 1], pair);
    words.Add(std::move(pair));
  }
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view text, size_t max_words) {
  Collector words(max_words);
  std::u32string letters;
  std::u32string paired;
  for (size_t pos = 0; pos < text.size() && !words.full();) {
    const Utf8Char decoded = DecodeUtf8(text, pos);
    pos += decoded.bytes;
    const char32_t c = decoded.valid ? Folded(decoded.code_point) : 0;
    const bool letter = IsLetter(c);
    const bool pair = !letter && IsPaired(c);
    if (!letter && !letters.empty()) AddRun(words, std::exchange(letters, {}));
    if (!pair && !paired.empty()) AddPairs(words, std::exchange(paired, {}));
    // What is too long is no word; keeping one character more than that is enough to know.
    if (letter && letters.size() <= 4 * kMaxCharacters) letters += c;
    if (pair) paired += c;
  }
  AddRun(words, std::move(letters));
  AddPairs(words, paired);
  return words.Take();
}

}  // namespace yardmaster::store
