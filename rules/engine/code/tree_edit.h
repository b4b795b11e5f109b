// Brings the syntax tree of a text to the places of a later version of it, so that parsing that one is short.
#ifndef YARDMASTER_RULES_ENGINE_CODE_TREE_EDIT_H_
#define YARDMASTER_RULES_ENGINE_CODE_TREE_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/engine/code/syntax_tree.h"

namespace yardmaster::rules {

// Where versions differ in more places, finding the way to each of them takes longer than parsing.
inline constexpr size_t kMaxTreeEdits = 1000;

// `tree` is that of `before`. `before_of` has, by line of `after` (from 1; the first element is unused), the same line
// of `before`, or 0; such lines rise. The tree is good for ParseSourceAfter of `after` only; it is taken away where
// there are more than kMaxTreeEdits.
void EditTree(SyntaxTree& tree, std::string_view before, std::string_view after,
              const std::vector<uint32_t>& before_of);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_TREE_EDIT_H_
