#include "rules/engine/code/python_grammar.h"

#include <string_view>
#include <vector>

#include "rules/engine/code/language.h"

namespace yardmaster::rules {

namespace {

// In the order of PythonKind, from the second.
const std::vector<std::string_view>& Names() {
  static const std::vector<std::string_view> kNames = {"identifier",
                                                       "attribute",
                                                       "call",
                                                       "subscript",
                                                       "string",
                                                       "concatenated_string",
                                                       "integer",
                                                       "float",
                                                       "true",
                                                       "false",
                                                       "none",
                                                       "ellipsis",
                                                       "list",
                                                       "tuple",
                                                       "dictionary",
                                                       "set",
                                                       "list_comprehension",
                                                       "dictionary_comprehension",
                                                       "set_comprehension",
                                                       "generator_expression",
                                                       "binary_operator",
                                                       "unary_operator",
                                                       "not_operator",
                                                       "boolean_operator",
                                                       "comparison_operator",
                                                       "conditional_expression",
                                                       "lambda",
                                                       "await",
                                                       "yield",
                                                       "list_splat",
                                                       "dictionary_splat",
                                                       "parenthesized_expression",
                                                       "named_expression",
                                                       "slice",
                                                       "type",
                                                       "generic_type",
                                                       "union_type",
                                                       "keyword_argument",
                                                       "argument_list",
                                                       "pair",
                                                       "expression_list",
                                                       "pattern_list",
                                                       "tuple_pattern",
                                                       "list_pattern",
                                                       "list_splat_pattern",
                                                       "dictionary_splat_pattern",
                                                       "for_in_clause",
                                                       "if_clause",
                                                       "interpolation",
                                                       "comment",
                                                       "expression_statement",
                                                       "assignment",
                                                       "augmented_assignment",
                                                       "return_statement",
                                                       "raise_statement",
                                                       "assert_statement",
                                                       "if_statement",
                                                       "elif_clause",
                                                       "else_clause",
                                                       "for_statement",
                                                       "while_statement",
                                                       "try_statement",
                                                       "except_clause",
                                                       "finally_clause",
                                                       "with_statement",
                                                       "with_clause",
                                                       "with_item",
                                                       "as_pattern",
                                                       "as_pattern_target",
                                                       "delete_statement",
                                                       "global_statement",
                                                       "nonlocal_statement",
                                                       "pass_statement",
                                                       "break_statement",
                                                       "continue_statement",
                                                       "import_statement",
                                                       "import_from_statement",
                                                       "future_import_statement",
                                                       "decorated_definition",
                                                       "decorator",
                                                       "function_definition",
                                                       "class_definition",
                                                       "match_statement",
                                                       "case_clause",
                                                       "block",
                                                       "type_alias_statement",
                                                       "print_statement",
                                                       "exec_statement",
                                                       "parenthesized_list_splat",
                                                       "type_parameter"};
  return kNames;
}

}  // namespace

const PythonGrammar& PythonGrammar::Get() {
  static const PythonGrammar kGrammar;
  return kGrammar;
}

PythonGrammar::PythonGrammar() : symbols(GrammarOf(Language::kPython), Names()) {
  const TSLanguage* language = GrammarOf(Language::kPython);
  const auto field = [&](std::string_view text) { return SymbolTable::Field(language, text); };
  object = field("object");
  attribute = field("attribute");
  function = field("function");
  arguments = field("arguments");
  value = field("value");
  name = field("name");
  left = field("left");
  right = field("right");
  type = field("type");
  op = field("operator");
  operators = field("operators");
  body = field("body");
  condition = field("condition");
  consequence = field("consequence");
  alternative = field("alternative");
  parameters = field("parameters");
  return_type = field("return_type");
  superclasses = field("superclasses");
  definition = field("definition");
  alias = field("alias");
  module_name = field("module_name");
  key = field("key");
  subscript = field("subscript");
  argument = field("argument");
}

bool IsPythonExpression(PythonKind kind) {
  using enum PythonKind;
  return (kind >= kIdentifier && kind <= kUnionType) || kind == kExpressionList || kind == kParenthesizedSplat;
}

bool IsPythonStatement(PythonKind kind) {
  using enum PythonKind;
  return kind >= kExpressionStatement && kind != kAssignmentNode && kind != kAugmented && kind != kElif &&
         kind != kElse && kind != kExceptNode && kind != kFinally && kind != kWithClause && kind != kWithItem &&
         kind != kAsPattern && kind != kAsPatternTarget && kind != kDecoratorNode && kind != kCase && kind != kBlock &&
         kind != kParenthesizedSplat && kind != kTypeParameter;
}

}  // namespace yardmaster::rules
