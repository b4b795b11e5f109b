// The words of one command line: blanks and commas between them, quotes of every script around them.
#ifndef YARDMASTER_SERVICES_COMMANDS_LINE_TOKENS_H_
#define YARDMASTER_SERVICES_COMMANDS_LINE_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::commands {

struct LineToken {
  size_t begin = 0;  // [begin, end) of the line, quotes included, commas not
  size_t end = 0;
  std::string text;           // as typed, without quotes and the escapes inside of them
  std::string plain;          // the same, wide forms of ASCII outside of quotes in ASCII
  bool quoted = false;        // begins with a quote: never an option, never a command
  bool value_quoted = false;  // key="…": the value was quoted
  bool after_comma = false;   // a comma stands between it and the word before
  // name=value and name:value: where the value begins, and what stands before it ('=', ':'); npos and 0 without.
  size_t text_value = std::string::npos;
  size_t plain_value = std::string::npos;
  char separator = 0;
};

struct LineTokens {
  std::vector<LineToken> words;
  bool open_quote = false;  // a quote is never closed: where its text ends is unknown
  bool too_many = false;    // more than kMaxCommandWords; the rest is left out
};

// Splits `line`, well-formed UTF-8 without line ends, from byte `pos` on.
//
// Quotes open at the beginning of a word, of a value (title="…") and right after a one-letter option (-m"…"): "…", '…',
// “…”, ‘…’, 「…」, 『…』, `…` and the wide forms. Inside of "…" a backslash keeps the next quote or backslash. A single
// quote or backtick that is never closed is an ordinary character. Commas are those of ASCII, "，" and "、". Dashes
// that telephones and Chinese keyboards make of "--" (—, ——, –) count as "--" at the beginning of a word. Punctuation
// that ends a sentence (。！；. and so on, but no question mark) is left out behind the last word.
LineTokens SplitWords(std::string_view line, size_t pos);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_LINE_TOKENS_H_
