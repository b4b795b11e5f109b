// Brings the syntax tree of a text to the places of a later version of it, so that parsing that one is short.
#ifndef YARDMASTER_RULES_ENGINE_CODE_TREE_EDIT_H_
#define YARDMASTER_RULES_ENGINE_CODE_TREE_EDIT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/engine/code/syntax_tree.h"

namespace yardmaster::rules {

// `tree` is that of `before`. `before_of` has, by line of `after` (from 1; the first element is unused), the same line
// of `before`, or 0; such lines rise. The tree is good for ParseSource of `after` only.
void EditTree(SyntaxTree& tree, std::string_view before, std::string_view after,
              const std::vector<uint32_t>& before_of);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_TREE_EDIT_H_
