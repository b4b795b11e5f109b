// Text for terminals: how many columns it takes, and nothing in it that a terminal would obey.
#ifndef YARDMASTER_CLIENTS_CLI_TERMINAL_H_
#define YARDMASTER_CLIENTS_CLI_TERMINAL_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::cli {

// Columns that UTF-8 text takes: 2 for CJK and other wide characters, 0 for combining ones, 1 for the rest. Control
// characters and invalid bytes count as the one character that Printable writes for them.
int DisplayWidth(std::string_view text);

// `text` without anything that moves the cursor or changes how the rest is shown: control characters become their
// pictures ("␛"), line ends and tabs a space, invalid bytes and characters that reverse the reading direction U+FFFD.
// Issue texts come from strangers.
std::string Printable(std::string_view text);

// The same line by line: line ends stay.
std::string PrintableLines(std::string_view text);

// The longest prefix of at most `columns` columns; what is longer ends in "…".
std::string CutToWidth(std::string_view text, int columns);

// `text` with blanks behind (or before) it up to `columns`; longer text stays as it is.
std::string PadRight(std::string_view text, int columns);
std::string PadLeft(std::string_view text, int columns);

// Words of `text` in lines of at most `columns` columns. A longer word has a line of its own. Line ends of the text
// stay.
std::vector<std::string> WrapToWidth(std::string_view text, int columns);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TERMINAL_H_
