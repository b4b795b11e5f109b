// C++ and CUDA: syntax tree → facts.
#ifndef YARDMASTER_RULES_ENGINE_CODE_CPP_READER_H_
#define YARDMASTER_RULES_ENGINE_CODE_CPP_READER_H_

#include <tree_sitter/api.h>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// Appends the facts below `root`, which the grammar of C++ or that of CUDA
// made. Macros are not expanded: what they hide is not seen.
void ReadCpp(TSNode root, FileFacts& facts);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_CPP_READER_H_
