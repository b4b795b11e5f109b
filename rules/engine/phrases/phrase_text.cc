#include "rules/engine/phrases/phrase_text.h"

#include <algorithm>
#include <array>

#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

// Characters that are the same for a reader: full-width forms, spaces, dashes and single quotation marks.
char32_t Plain(char32_t c) {
  if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFEE0;
  if (c == 0x3000 || c == 0xA0 || c == 0x202F || (c >= 0x2000 && c <= 0x200A)) return ' ';
  if (c == 0x2010 || c == 0x2011 || c == 0x2012 || c == 0x2212) return '-';
  if (c == 0x2019 || c == 0x02BC) return '\'';
  if (c == 0xFF61) return 0x3002;
  if (c == 0xFF64) return 0x3001;
  return c;
}

// Characters without a width: they hide in what is copied from chats.
bool Invisible(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || c == 0x2060 || c == 0xFEFF ||
         (c >= 0xFE00 && c <= 0xFE0F);
}

bool WordByte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u >= 0x80;
}

bool AsciiWordByte(char c) { return WordByte(c) && static_cast<unsigned char>(c) < 0x80; }

class Masker {
 public:
  explicit Masker(std::string& text) : text_(text) {}

  // Lines: fences and quotes.
  void Blocks() {
    size_t fence = std::string::npos;
    char fence_mark = 0;
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      size_t first = begin;
      while (first < end && text_[first] == ' ') ++first;
      const bool mark = first + 2 < end && (text_[first] == '`' || text_[first] == '~') &&
                        text_[first + 1] == text_[first] && text_[first + 2] == text_[first];
      if (fence != std::string::npos) {
        if (mark && text_[first] == fence_mark) {
          Fill(fence, end, kBlockMask);
          fence = std::string::npos;
        }
      } else if (mark && text_.find(std::string(3, text_[first]), first + 3) >= end) {
        fence = begin;
        fence_mark = text_[first];
      } else if (first < end && text_[first] == '>') {
        Fill(begin, end, kBlockMask);
      }
      begin = end + 1;
    }
    if (fence != std::string::npos) Fill(fence, text_.size(), kBlockMask);
  }

  void HtmlComments() {
    for (size_t at = text_.find("<!--"); at != std::string::npos; at = text_.find("<!--", at)) {
      const size_t close = text_.find("-->", at + 4);
      const size_t end = close == std::string::npos ? text_.size() : close + 3;
      Fill(at, end, kBlockMask);
      at = end;
    }
  }

  void InlineCode() {
    for (size_t at = text_.find('`'); at != std::string::npos; at = text_.find('`', at)) {
      size_t run = at;
      while (run < text_.size() && text_[run] == '`') ++run;
      const std::string mark(run - at, '`');
      // Code ends with as many ticks as it begins with.
      size_t close = text_.find(mark, run);
      while (close != std::string::npos && close + mark.size() < text_.size() && text_[close + mark.size()] == '`') {
        while (close < text_.size() && text_[close] == '`') ++close;
        close = text_.find(mark, close);
      }
      if (close == std::string::npos) {
        at = run;
        continue;
      }
      Fill(at, close + mark.size(), kCodeMask);
      at = close + mark.size();
    }
  }

  // Quotation marks of both languages; one without its partner is a character like others.
  void Quotes() {
    struct Pair {
      std::string_view open, close;
    };
    static constexpr std::array<Pair, 8> kPairs = {
        {{"“", "”"}, {"‘", "'"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"«", "»"}, {"\"", "\""}, {"'", "'"}}};
    for (size_t at = 0; at < text_.size(); ++at) {
      for (const Pair& pair : kPairs) {
        if (text_.compare(at, pair.open.size(), pair.open) != 0) continue;
        const size_t close = FindClose(at, pair.open, pair.close);
        if (close == std::string::npos) break;
        Fill(at, close + pair.close.size(), kQuoteMask);
        at = close + pair.close.size() - 1;
        break;
      }
    }
  }

 private:
  void Fill(size_t begin, size_t end, char mask) {
    for (size_t i = begin; i < end; ++i) {
      if (text_[i] != '\n' || mask == kBlockMask) text_[i] = mask;
    }
  }

  size_t FindClose(size_t at, std::string_view open, std::string_view close) const {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    const bool single = close == "'";
    // An apostrophe stands behind a letter.
    if (single && open == "'" && at > 0 && AsciiWordByte(text_[at - 1])) return std::string::npos;
    for (size_t i = at + open.size(); i < end; ++i) {
      if (text_.compare(i, close.size(), close) != 0) continue;
      if (single && i + 1 < end && AsciiWordByte(text_[i + 1])) continue;
      if (i == at + open.size()) return std::string::npos;  // nothing between them
      return i;
    }
    return std::string::npos;
  }

  std::string& text_;
};

}  // namespace

char32_t NextCodePoint(std::string_view text, size_t& pos) {
  const Utf8Char c = DecodeUtf8(text, pos);
  pos += c.bytes;
  return c.valid ? c.code_point : 0xFFFD;
}

PhraseText NormalisePhrase(std::string_view message, const CharacterFold& fold) {
  PhraseText phrase;
  phrase.text.reserve(message.size());
  phrase.origin.reserve(message.size() + 1);
  for (size_t pos = 0; pos < message.size();) {
    const auto begin = static_cast<uint32_t>(pos);
    char32_t c = Plain(NextCodePoint(message, pos));
    if (Invisible(c)) continue;
    if (c == '\r' || c == 0x2028 || c == 0x2029) c = '\n';
    if ((c < 0x20 && c != '\n') || c == 0x7F || c == 0xFFFD) c = ' ';
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    if (const auto it = fold.find(c); it != fold.end()) c = it->second;
    AppendUtf8(c, phrase.text);
    phrase.origin.resize(phrase.text.size(), begin);
  }
  phrase.origin.push_back(static_cast<uint32_t>(message.size()));
  return phrase;
}

void MaskQuotations(PhraseText& phrase) {
  Masker masker(phrase.text);
  masker.Blocks();
  masker.HtmlComments();
  masker.InlineCode();
  masker.Quotes();
}

}  // namespace yardmaster::rules
