// tree-sitter behind limits: parsing that stops in time, and trees that free themselves.
#ifndef YARDMASTER_RULES_ENGINE_CODE_SYNTAX_TREE_H_
#define YARDMASTER_RULES_ENGINE_CODE_SYNTAX_TREE_H_

#include <tree_sitter/api.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rules/engine/code/language.h"

namespace yardmaster::rules {

struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using SyntaxTree = std::unique_ptr<TSTree, TreeDeleter>;

// What one parse may take. Usual code needs 10 to 45 bytes a byte, so that files of 2 MiB stay below it.
inline constexpr size_t kMaxParseBytes = 96 * 1024 * 1024;

// Why there is no tree.
enum class ParseStop : uint8_t { kTime, kMemory, kIndent };

// "parsing took longer than 2000 ms", for people.
std::string Describe(ParseStop stop, std::chrono::milliseconds limit);

// Blanks before a statement of Python; in a row anywhere in YAML. Their scanners count columns in 16 bits, tabs as 8.
inline constexpr size_t kMaxIndent = 4000;

// Parses `text`, or the part of it that `begin` and `end` (bytes) enclose; positions are those of the whole text. Null
// when the time or the memory ran out or lines are indented too far, and then `stop`, if given, says which. `text` must
// be smaller than 4 GiB.
SyntaxTree ParseSource(Language language, std::string_view text, std::chrono::milliseconds limit,
                       ParseStop* stop = nullptr);
// As ParseSource, and the same tree, sooner: `former` is that of another version, brought to the places of `text` by
// EditTree. Null, of another language, or of one that keeps places in its scanner: all is parsed.
SyntaxTree ParseSourceAfter(const TSTree* former, Language language, std::string_view text,
                            std::chrono::milliseconds limit, ParseStop* stop = nullptr);
SyntaxTree ParseSourcePart(Language language, std::string_view text, uint32_t begin, uint32_t end,
                           std::chrono::milliseconds limit, ParseStop* stop = nullptr);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_SYNTAX_TREE_H_
