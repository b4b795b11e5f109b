// What reads facts, one function for each kind of text.
#ifndef YARDMASTER_RULES_ENGINE_CODE_READERS_H_
#define YARDMASTER_RULES_ENGINE_CODE_READERS_H_

#include <tree_sitter/api.h>

#include <chrono>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// Python below `root`. `block` is the code block of a Markdown file that it stands in, or kNoRow.
void ReadPython(TSNode root, RowIndex block, FileFacts& facts);

// C++ or CUDA below `root`. Macros are not expanded: what they hide is not seen.
void ReadCpp(TSNode root, FileFacts& facts);

// The entries of YAML or JSON below `root`. `front`: it is the front matter of a Markdown file. Aliases (`*a`) are
// texts, merge keys (`<<`) are keys like any other; only the first document of a YAML stream counts.
void ReadData(TSNode root, bool front, FileFacts& facts);

// Markdown: sections, check-boxes, tables, code blocks, links; the entries of its front matter and the facts of its
// Python blocks.
//
// Read line by line rather than by a grammar. What reviews ask for are lines, and time and memory stay in proportion to
// the text whatever it is. tree-sitter's Markdown grammar (0.3.2) was measured against it: its scanner writes beyond
// its state buffer where quotes or lists are nested some hundred deep, which takes the program down; it needs 54 bytes
// a byte of usual documents and up to 560 of hostile ones; and it would have to be followed by a second parse for what
// is inside of paragraphs.
void ReadMarkdown(std::chrono::milliseconds parse_limit, FileFacts& facts);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_READERS_H_
