// YAML and JSON: syntax tree → entries.
#ifndef YARDMASTER_RULES_ENGINE_CODE_DATA_READER_H_
#define YARDMASTER_RULES_ENGINE_CODE_DATA_READER_H_

#include <tree_sitter/api.h>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// Appends the entries below `root`. `front`: it is the front matter of a Markdown file. Aliases (`*a`) are texts, merge
// keys (`<<`) are keys like any other; only the first document of a YAML stream counts.
void ReadData(TSNode root, bool front, FileFacts& facts);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_DATA_READER_H_
