// Python: syntax tree → facts.
#ifndef YARDMASTER_RULES_ENGINE_CODE_PYTHON_READER_H_
#define YARDMASTER_RULES_ENGINE_CODE_PYTHON_READER_H_

#include <tree_sitter/api.h>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// Appends the facts below `root`. `block` is the code block of a Markdown file that they stand in, or kNoRow.
void ReadPython(TSNode root, RowIndex block, FileFacts& facts);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_PYTHON_READER_H_
