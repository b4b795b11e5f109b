#include "services/commands/line_tokens.h"

#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "services/core/characters.h"
#include "services/core/limits.h"

namespace yardmaster::commands {
namespace {

struct QuoteKind {
  uint32_t open;
  uint32_t close;
  uint32_t other_close;  // where `close` does not come: some keyboards make both marks the same, or change the width
  bool nests;            // the opening mark inside opens another pair
  bool strong;           // never closed: an error, and not an ordinary character
};

constexpr std::array<QuoteKind, 10> kQuotes = {{
    {'"', '"', 0xFF02, false, true},
    {0xFF02, 0xFF02, '"', false, true},
    {'\'', '\'', 0xFF07, false, false},
    {0xFF07, 0xFF07, '\'', false, false},
    {'`', '`', '`', false, false},
    {0x201C, 0x201D, 0x201C, true, true},   // “…”
    {0x201D, 0x201D, 0x201C, false, true},  // ”…”
    {0x2018, 0x2019, 0x2018, true, false},  // ‘…’
    {0x300C, 0x300D, 0x300D, true, true},   // 「…」
    {0x300E, 0x300F, 0x300F, true, true},   // 『…』
}};

const QuoteKind* QuoteOpenedBy(uint32_t code) {
  if (code != '"' && code != '\'' && code != '`' && code < 0x2018) return nullptr;
  for (const QuoteKind& kind : kQuotes) {
    if (kind.open == code) return &kind;
  }
  return nullptr;
}

bool IsComma(uint32_t code) { return code == ',' || code == 0xFF0C || code == 0x3001; }

// How many dashes a character at the beginning of a word stands for.
size_t Dashes(uint32_t code) {
  switch (code) {
    case 0x2010:  // hyphen
    case 0x2011:  // hyphen that does not break
    case 0x2212:  // minus
    case 0xFF0D:  // wide hyphen
      return 1;
    case 0x2013:  // –
    case 0x2014:  // —
    case 0x2015:  // ―
      return 2;
    default:
      return 0;
  }
}

// What ends a sentence and no name. A question mark is not among it: a question is no command.
bool EndsSentence(uint32_t code) {
  switch (code) {
    case '.':
    case '!':
    case ';':
    case '~':
    case 0x2026:  // …
    case 0x3002:  // 。
    case 0xFF0E:
    case 0xFF01:
    case 0xFF1B:
    case 0xFF5E:
      return true;
    default:
      return false;
  }
}

class Splitter {
 public:
  Splitter(std::string_view line, size_t pos) : line_(line), pos_(pos) {}

  LineTokens Run() {
    bool comma = false;
    for (;;) {
      pos_ = SkipBlanks(line_, pos_);
      if (pos_ >= line_.size()) break;
      const Character c = CharacterAt(line_, pos_);
      if (IsComma(c.code)) {
        comma = true;
        pos_ += c.length;
        continue;
      }
      if (out_.words.size() == kMaxCommandWords) {
        out_.too_many = true;
        break;
      }
      LineToken& word = out_.words.emplace_back();
      word.after_comma = comma;
      comma = false;
      ReadWord(word);
    }
    if (!out_.words.empty()) CutSentenceEnd();
    return std::move(out_);
  }

 private:
  void ReadWord(LineToken& word) {
    word.begin = pos_;
    ReadDashes(word);
    bool may_quote = word.plain.empty();
    while (pos_ < line_.size()) {
      const Character c = CharacterAt(line_, pos_);
      if (IsBlank(c.code) || IsComma(c.code)) break;
      if (may_quote && ReadQuote(word, c)) {
        may_quote = false;
        continue;
      }
      const char ascii = AsciiOf(c.code);
      if (ascii != 0) {
        word.plain += ascii;
      } else {
        word.plain.append(line_.substr(pos_, c.length));
      }
      word.text.append(line_.substr(pos_, c.length));
      pos_ += c.length;
      may_quote = false;
      if ((ascii == '=' || ascii == ':') && word.separator == 0 && !word.quoted) {
        word.separator = ascii;
        word.text_value = word.text.size();
        word.plain_value = word.plain.size();
        may_quote = true;
      } else if (word.plain.size() == 2 && word.plain[0] == '-' && absl::ascii_isalpha(word.plain[1])) {
        may_quote = true;
      }
    }
    word.end = pos_;
  }

  // Dashes of other kinds, where a letter follows.
  void ReadDashes(LineToken& word) {
    size_t dashes = 0;
    size_t pos = pos_;
    bool other = false;
    while (pos < line_.size()) {
      const Character c = CharacterAt(line_, pos);
      const size_t more = c.code == '-' ? 1 : Dashes(c.code);
      if (more == 0) break;
      other = other || c.code != '-';
      dashes += more;
      pos += c.length;
    }
    if (!other || pos >= line_.size()) return;
    if (!absl::ascii_isalpha(AsciiOf(CharacterAt(line_, pos).code))) return;
    word.plain.assign(dashes == 1 ? 1 : 2, '-');
    word.text.assign(line_.substr(pos_, pos - pos_));
    pos_ = pos;
  }

  // Takes a quoted text that begins with `c`. False if this is none.
  bool ReadQuote(LineToken& word, const Character& c) {
    const QuoteKind* kind = QuoteOpenedBy(c.code);
    if (kind == nullptr) return false;
    const size_t begin = pos_ + c.length;
    size_t close = FindClose(*kind, kind->close, begin, kind->nests);
    if (close == std::string_view::npos && kind->other_close != kind->close)
      close = FindClose(*kind, kind->other_close, begin, false);
    if (close == std::string_view::npos) {
      if (!kind->strong) return false;
      out_.open_quote = true;
      close = line_.size();
    }
    if (word.separator == 0) {
      word.quoted = word.plain.empty();
      if (!word.plain.empty()) {
        // -m"…"
        word.text_value = word.text.size();
        word.plain_value = word.plain.size();
        word.separator = '=';
        word.value_quoted = true;
      }
    } else {
      word.value_quoted = true;
    }
    const std::string inside = Unescaped(kind->open == '"', line_.substr(begin, close - begin));
    word.text += inside;
    word.plain += inside;
    pos_ = close < line_.size() ? close + CharacterAt(line_, close).length : close;
    SkipSentenceEnd();
    return true;
  }

  size_t FindClose(const QuoteKind& kind, uint32_t close, size_t pos, bool nests) const {
    size_t depth = 1;
    while (pos < line_.size()) {
      const Character c = CharacterAt(line_, pos);
      if (c.code == '\\' && kind.open == '"' && pos + 1 < line_.size() &&
          (line_[pos + 1] == '"' || line_[pos + 1] == '\\')) {
        pos += 2;
        continue;
      }
      if (nests && c.code == kind.open) ++depth;
      if (c.code == close && --depth == 0) return pos;
      pos += c.length;
    }
    return std::string_view::npos;
  }

  static std::string Unescaped(bool escapes, std::string_view text) {
    if (!escapes || text.find('\\') == std::string_view::npos) return std::string(text);
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
      out += text[i];
    }
    return out;
  }

  // Behind a closing quote nothing of a sentence belongs to the value, wherever in the line it is.
  void SkipSentenceEnd() {
    size_t pos = pos_;
    while (pos < line_.size()) {
      const Character c = CharacterAt(line_, pos);
      if (!EndsSentence(c.code)) break;
      pos += c.length;
    }
    if (pos == line_.size() || IsBlank(CharacterAt(line_, pos).code)) pos_ = pos;
  }

  // "/retest。", "/retest 。": the last word loses its full stop. Quoted ones keep theirs.
  void CutSentenceEnd() {
    LineToken& word = out_.words.back();
    if (word.quoted || word.value_quoted) return;
    const size_t first = word.separator == 0 ? 0 : word.text_value;
    size_t keep = first;  // bytes of text up to the last character that ends no sentence
    for (size_t pos = first; pos < word.text.size();) {
      const Character c = CharacterAt(word.text, pos);
      pos += c.length;
      if (!EndsSentence(c.code)) keep = pos;
    }
    if (keep == word.text.size()) return;
    if (keep == 0) {
      if (out_.words.size() > 1) out_.words.pop_back();
      return;
    }
    word.end -= word.text.size() - keep;
    word.text.resize(keep);
    size_t keep_plain = word.separator == 0 ? 0 : word.plain_value;
    for (size_t pos = keep_plain; pos < word.plain.size();) {
      const Character c = CharacterAt(word.plain, pos);
      pos += c.length;
      if (!EndsSentence(c.code)) keep_plain = pos;
    }
    word.plain.resize(keep_plain);
  }

  std::string_view line_;
  size_t pos_;
  LineTokens out_;
};

}  // namespace

LineTokens SplitWords(std::string_view line, size_t pos) { return Splitter(line, pos).Run(); }

}  // namespace yardmaster::commands
