// What the Python reader knows about the grammar: kinds of nodes and fields as numbers.
#ifndef YARDMASTER_RULES_ENGINE_CODE_PYTHON_GRAMMAR_H_
#define YARDMASTER_RULES_ENGINE_CODE_PYTHON_GRAMMAR_H_

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>

#include "rules/engine/code/fact_builder.h"
#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// What a node can be for a block or an expression.
enum class PythonPart : uint8_t { kExpression, kStatement, kPiece };

// Named nodes of the grammar: kind, name in the grammar, part, and type of the expression that it makes.
#define YARD_PYTHON_KINDS(X)                                                           \
  X(kIdentifier, "identifier", kExpression, kName)                                     \
  X(kAttribute, "attribute", kExpression, kAttribute)                                  \
  X(kCall, "call", kExpression, kCall)                                                 \
  X(kSubscript, "subscript", kExpression, kSubscript)                                  \
  X(kString, "string", kExpression, kString)                                           \
  X(kConcatenated, "concatenated_string", kExpression, kString)                        \
  X(kInteger, "integer", kExpression, kNumber)                                         \
  X(kFloat, "float", kExpression, kNumber)                                             \
  X(kTrue, "true", kExpression, kConstant)                                             \
  X(kFalse, "false", kExpression, kConstant)                                           \
  X(kNone, "none", kExpression, kConstant)                                             \
  X(kEllipsis, "ellipsis", kExpression, kConstant)                                     \
  X(kListNode, "list", kExpression, kList)                                             \
  X(kTupleNode, "tuple", kExpression, kTuple)                                          \
  X(kDictionary, "dictionary", kExpression, kDict)                                     \
  X(kSetNode, "set", kExpression, kSet)                                                \
  X(kListComprehension, "list_comprehension", kExpression, kComprehension)             \
  X(kDictionaryComprehension, "dictionary_comprehension", kExpression, kComprehension) \
  X(kSetComprehension, "set_comprehension", kExpression, kComprehension)               \
  X(kGenerator, "generator_expression", kExpression, kComprehension)                   \
  X(kBinaryNode, "binary_operator", kExpression, kBinary)                              \
  X(kUnaryNode, "unary_operator", kExpression, kUnary)                                 \
  X(kNot, "not_operator", kExpression, kUnary)                                         \
  X(kBooleanNode, "boolean_operator", kExpression, kBoolean)                           \
  X(kComparison, "comparison_operator", kExpression, kCompare)                         \
  X(kConditionalNode, "conditional_expression", kExpression, kConditional)             \
  X(kLambdaNode, "lambda", kExpression, kLambda)                                       \
  X(kAwaitNode, "await", kExpression, kAwait)                                          \
  X(kYieldNode, "yield", kExpression, kYield)                                          \
  X(kListSplat, "list_splat", kExpression, kStarred)                                   \
  X(kDictionarySplat, "dictionary_splat", kExpression, kStarred)                       \
  X(kParenthesized, "parenthesized_expression", kExpression, kOther)                   \
  X(kNamed, "named_expression", kExpression, kAssignment)                              \
  X(kSliceNode, "slice", kExpression, kSlice)                                          \
  X(kTypeNode, "type", kExpression, kOther)                                            \
  X(kGenericType, "generic_type", kExpression, kSubscript)                             \
  X(kUnionType, "union_type", kExpression, kBinary)                                    \
  X(kKeywordArgument, "keyword_argument", kPiece, kOther)                              \
  X(kArgumentList, "argument_list", kPiece, kOther)                                    \
  X(kPair, "pair", kPiece, kOther)                                                     \
  X(kExpressionList, "expression_list", kExpression, kTuple)                           \
  X(kPatternList, "pattern_list", kPiece, kOther)                                      \
  X(kTuplePattern, "tuple_pattern", kPiece, kOther)                                    \
  X(kListPattern, "list_pattern", kPiece, kOther)                                      \
  X(kListSplatPattern, "list_splat_pattern", kPiece, kStarred)                         \
  X(kDictionarySplatPattern, "dictionary_splat_pattern", kPiece, kStarred)             \
  X(kForInClause, "for_in_clause", kPiece, kOther)                                     \
  X(kIfClause, "if_clause", kPiece, kOther)                                            \
  X(kInterpolation, "interpolation", kPiece, kOther)                                   \
  X(kComment, "comment", kPiece, kOther)                                               \
  X(kExpressionStatement, "expression_statement", kStatement, kOther)                  \
  X(kAssignmentNode, "assignment", kPiece, kOther)                                     \
  X(kAugmented, "augmented_assignment", kPiece, kOther)                                \
  X(kReturnNode, "return_statement", kStatement, kOther)                               \
  X(kRaiseNode, "raise_statement", kStatement, kOther)                                 \
  X(kAssertNode, "assert_statement", kStatement, kOther)                               \
  X(kIfNode, "if_statement", kStatement, kOther)                                       \
  X(kElif, "elif_clause", kPiece, kOther)                                              \
  X(kElse, "else_clause", kPiece, kOther)                                              \
  X(kForNode, "for_statement", kStatement, kOther)                                     \
  X(kWhileNode, "while_statement", kStatement, kOther)                                 \
  X(kTryNode, "try_statement", kStatement, kOther)                                     \
  X(kExceptNode, "except_clause", kPiece, kOther)                                      \
  X(kFinally, "finally_clause", kPiece, kOther)                                        \
  X(kWithNode, "with_statement", kStatement, kOther)                                   \
  X(kWithClause, "with_clause", kPiece, kOther)                                        \
  X(kWithItem, "with_item", kPiece, kOther)                                            \
  X(kAsPattern, "as_pattern", kPiece, kOther)                                          \
  X(kAsPatternTarget, "as_pattern_target", kPiece, kOther)                             \
  X(kDeleteNode, "delete_statement", kStatement, kOther)                               \
  X(kGlobalNode, "global_statement", kStatement, kOther)                               \
  X(kNonlocal, "nonlocal_statement", kStatement, kOther)                               \
  X(kPassNode, "pass_statement", kStatement, kOther)                                   \
  X(kBreakNode, "break_statement", kStatement, kOther)                                 \
  X(kContinueNode, "continue_statement", kStatement, kOther)                           \
  X(kImportNode, "import_statement", kStatement, kOther)                               \
  X(kImportFrom, "import_from_statement", kStatement, kOther)                          \
  X(kFutureImport, "future_import_statement", kStatement, kOther)                      \
  X(kDecorated, "decorated_definition", kStatement, kOther)                            \
  X(kDecoratorNode, "decorator", kPiece, kOther)                                       \
  X(kFunctionNode, "function_definition", kStatement, kOther)                          \
  X(kClassNode, "class_definition", kStatement, kOther)                                \
  X(kMatch, "match_statement", kStatement, kOther)                                     \
  X(kCase, "case_clause", kPiece, kOther)                                              \
  X(kBlock, "block", kPiece, kOther)                                                   \
  X(kTypeAlias, "type_alias_statement", kStatement, kOther)                            \
  X(kPrint, "print_statement", kStatement, kOther)                                     \
  X(kExec, "exec_statement", kStatement, kOther)                                       \
  X(kParenthesizedSplat, "parenthesized_list_splat", kExpression, kOther)              \
  X(kTypeParameter, "type_parameter", kPiece, kOther)

enum class PythonKind : uint8_t {
  kUnknown,
#define YARD_KIND(kind, name, part, type) kind,
  YARD_PYTHON_KINDS(YARD_KIND)
#undef YARD_KIND
};

// What of the grammar is looked up by number.
struct PythonGrammar {
  static const PythonGrammar& Get();

  SymbolTable symbols;
  TSFieldId object = Field("object"), attribute = Field("attribute"), function = Field("function"),
            arguments = Field("arguments"), value = Field("value"), name = Field("name"), left = Field("left"),
            right = Field("right"), type = Field("type"), op = Field("operator"), body = Field("body"),
            condition = Field("condition"), consequence = Field("consequence"), alternative = Field("alternative"),
            parameters = Field("parameters"), return_type = Field("return_type"), superclasses = Field("superclasses"),
            definition = Field("definition"), alias = Field("alias"), module_name = Field("module_name"),
            key = Field("key"), operators = Field("operators"), type_parameters = Field("type_parameters");

 private:
  PythonGrammar();
  static TSFieldId Field(std::string_view name);
};

PythonPart PartOf(PythonKind kind);
ExprType ExprTypeOf(PythonKind kind);
inline bool IsPythonExpression(PythonKind kind) { return PartOf(kind) == PythonPart::kExpression; }

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_PYTHON_GRAMMAR_H_
