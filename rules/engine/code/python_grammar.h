// What the Python reader knows about the grammar: kinds of nodes and fields as numbers.
#ifndef YARDMASTER_RULES_ENGINE_CODE_PYTHON_GRAMMAR_H_
#define YARDMASTER_RULES_ENGINE_CODE_PYTHON_GRAMMAR_H_

#include <tree_sitter/api.h>

#include <cstdint>

#include "rules/engine/code/fact_builder.h"

namespace yardmaster::rules {

// Named nodes of the grammar.
enum class PythonKind : uint8_t {
  kUnknown,
  kIdentifier,
  kAttribute,
  kCall,
  kSubscript,
  kString,
  kConcatenated,
  kInteger,
  kFloat,
  kTrue,
  kFalse,
  kNone,
  kEllipsis,
  kListNode,
  kTupleNode,
  kDictionary,
  kSetNode,
  kListComprehension,
  kDictionaryComprehension,
  kSetComprehension,
  kGenerator,
  kBinaryNode,
  kUnaryNode,
  kNot,
  kBooleanNode,
  kComparison,
  kConditionalNode,
  kLambdaNode,
  kAwaitNode,
  kYieldNode,
  kListSplat,
  kDictionarySplat,
  kParenthesized,
  kNamed,
  kSliceNode,
  kTypeNode,
  kGenericType,
  kUnionType,
  kKeywordArgument,
  kArgumentList,
  kPair,
  kExpressionList,
  kPatternList,
  kTuplePattern,
  kListPattern,
  kListSplatPattern,
  kDictionarySplatPattern,
  kForInClause,
  kIfClause,
  kInterpolation,
  kComment,
  kExpressionStatement,
  kAssignmentNode,
  kAugmented,
  kReturnNode,
  kRaiseNode,
  kAssertNode,
  kIfNode,
  kElif,
  kElse,
  kForNode,
  kWhileNode,
  kTryNode,
  kExceptNode,
  kFinally,
  kWithNode,
  kWithClause,
  kWithItem,
  kAsPattern,
  kAsPatternTarget,
  kDeleteNode,
  kGlobalNode,
  kNonlocal,
  kPassNode,
  kBreakNode,
  kContinueNode,
  kImportNode,
  kImportFrom,
  kFutureImport,
  kDecorated,
  kDecoratorNode,
  kFunctionNode,
  kClassNode,
  kMatch,
  kCase,
  kBlock,
  kTypeAlias,
  kPrint,
  kExec,
  kParenthesizedSplat,
  kTypeParameter,
};

// What of the grammar is looked up by number.
struct PythonGrammar {
  SymbolTable symbols;
  TSFieldId object, attribute, function, arguments, value, name, left, right, type, op, body, condition, consequence,
      alternative, parameters, return_type, superclasses, definition, alias, module_name, key, subscript, operators,
      argument;

  static const PythonGrammar& Get();

 private:
  PythonGrammar();
};

bool IsPythonExpression(PythonKind kind);
bool IsPythonStatement(PythonKind kind);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_PYTHON_GRAMMAR_H_
