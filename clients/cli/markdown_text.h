// The Markdown that our own help is written in, for terminals.
#ifndef YARDMASTER_CLIENTS_CLI_MARKDOWN_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace yardmaster::cli {

// Paragraphs and lists ("- ", which wraps below its text), strong text and code spans; everything else stays as it is.
// Lines take at most `columns` (0: as long as they are). Marks are taken off with and without `color`.
std::string MarkdownText(std::string_view markdown, int columns, bool color);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_MARKDOWN_TEXT_H_
