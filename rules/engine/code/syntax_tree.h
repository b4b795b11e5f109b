// tree-sitter behind limits: parsing that stops in time, and trees that free themselves.
#ifndef YARDMASTER_RULES_ENGINE_CODE_SYNTAX_TREE_H_
#define YARDMASTER_RULES_ENGINE_CODE_SYNTAX_TREE_H_

#include <tree_sitter/api.h>

#include <chrono>
#include <memory>
#include <string_view>

#include "rules/engine/code/language.h"

namespace yardmaster::rules {

struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using SyntaxTree = std::unique_ptr<TSTree, TreeDeleter>;

// Parses `text`, or the part of it that `begin` and `end` (bytes) enclose; positions are those of the whole text. Null
// when the time ran out. `text` must be smaller than 4 GiB.
SyntaxTree ParseSource(Language language, std::string_view text, std::chrono::milliseconds limit);
SyntaxTree ParseSourcePart(Language language, std::string_view text, uint32_t begin, uint32_t end,
                           std::chrono::milliseconds limit);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_SYNTAX_TREE_H_
