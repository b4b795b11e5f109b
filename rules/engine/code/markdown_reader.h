// Markdown: lines → sections, check-boxes, tables, code blocks, links; front matter → entries; Python blocks → the
// facts of Python. Read line by line: what reviews ask for are lines, and time stays linear whatever the text is.
#ifndef YARDMASTER_RULES_ENGINE_CODE_MARKDOWN_READER_H_
#define YARDMASTER_RULES_ENGINE_CODE_MARKDOWN_READER_H_

#include <chrono>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

void ReadMarkdown(std::chrono::milliseconds parse_limit, FileFacts& facts);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_MARKDOWN_READER_H_
