// A tree-sitter query of a check, as it is written.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERY_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/code/language.h"

namespace yardmaster::rules {

struct TreeQuery {
  size_t number = 0;  // among those of the set
  std::vector<Language> languages;
  std::string text;
  std::vector<std::string> captures;  // their names
};

// Names of the captures of a query in the order in which they are written, each once. Of a text that is no query: some
// of them.
std::vector<std::string> CaptureNames(std::string_view query);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_TREE_QUERY_H_
