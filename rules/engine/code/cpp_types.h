// Types as declarations of C++ write them.
#ifndef YARDMASTER_RULES_ENGINE_CODE_CPP_TYPES_H_
#define YARDMASTER_RULES_ENGINE_CODE_CPP_TYPES_H_

#include <tree_sitter/api.h>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// The type is the text of both: "const Tensor" and "&". Either may be empty.
struct CppType {
  ByteSpan specifiers;  // qualifiers and type, without "static" and the like in front
  ByteSpan declarator;  // pointers and references in front of the name
};

// Of one declarator of a declaration, a parameter or a function. `name` is what it declares; null: it has no name.
// What stands behind the name, as the bounds of an array, is left out. A return type behind "->" is the specifiers.
CppType DeclaredType(TSNode declaration, TSNode declarator, TSNode name);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_CPP_TYPES_H_
