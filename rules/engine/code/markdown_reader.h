// Markdown: lines → sections, check-boxes, tables, code blocks, links; front matter → entries; Python blocks → the
// facts of Python.
//
// Read line by line rather than by a grammar. What reviews ask for are lines, and time and memory stay in proportion to
// the text whatever it is. tree-sitter's Markdown grammar (0.3.2) was measured against it: its scanner writes beyond
// its state buffer where quotes or lists are nested some hundred deep, which takes the program down; it needs 54 bytes
// a byte of usual documents and up to 560 of hostile ones; and it would have to be followed by a second parse for what
// is inside of paragraphs.
#ifndef YARDMASTER_RULES_ENGINE_CODE_MARKDOWN_READER_H_
#define YARDMASTER_RULES_ENGINE_CODE_MARKDOWN_READER_H_

#include <chrono>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

void ReadMarkdown(std::chrono::milliseconds parse_limit, FileFacts& facts);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_MARKDOWN_READER_H_
