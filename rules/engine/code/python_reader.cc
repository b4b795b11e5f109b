#include "rules/engine/code/python_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/code/fact_builder.h"

namespace yardmaster::rules {
namespace {

// Named nodes of the grammar, in the order of Kind.
enum Kind : uint8_t {
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

// What of the grammar is looked up by number.
struct Grammar {
  SymbolTable symbols;
  TSFieldId object, attribute, function, arguments, value, name, left, right, type, op, body, condition, consequence,
      alternative, parameters, return_type, superclasses, definition, alias, module_name, key, subscript, operators,
      argument;

  static const Grammar& Get() {
    static const Grammar kGrammar;
    return kGrammar;
  }

 private:
  Grammar() : symbols(GrammarOf(Language::kPython), Names()) {
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
};

bool IsExpression(Kind kind) {
  return (kind >= kIdentifier && kind <= kUnionType) || kind == kExpressionList || kind == kParenthesizedSplat;
}

bool IsStatement(Kind kind) {
  return kind >= kExpressionStatement && kind != kAssignmentNode && kind != kAugmented && kind != kElif &&
         kind != kElse && kind != kExceptNode && kind != kFinally && kind != kWithClause && kind != kWithItem &&
         kind != kAsPattern && kind != kAsPatternTarget && kind != kDecoratorNode && kind != kCase && kind != kBlock &&
         kind != kParenthesizedSplat && kind != kTypeParameter;
}

class PythonReader : public FactBuilder {
 public:
  PythonReader(TSNode root, RowIndex block, FileFacts& facts) : FactBuilder(facts, root), g_(Grammar::Get()) {
    place_.block = block;
  }

  void Read() { Block(false); }

 private:
  // What a block said on the way.
  struct BlockResult {
    size_t statements = 0;
    RowIndex first = kNoRow;
    bool stub = true;
  };

  Kind KindOf(TSNode node) const { return static_cast<Kind>(g_.symbols.KindOf(node)); }

  // The statements below the current node, which is a block, the module, or an error.
  BlockResult Block(bool nested) {
    BlockResult result;
    bool jumped = false;
    uint32_t column = UINT32_MAX;
    uint32_t line = UINT32_MAX;
    ForEachChild([&] {
      const TSNode node = Current();
      if (!ts_node_is_named(node)) return;
      const Kind kind = KindOf(node);
      if (kind == kComment) return Comment();
      // The grammar lets statements of one block stand anywhere; Python does not.
      const TSPoint start = ts_node_start_point(node);
      if (start.row != line && IsStatement(kind)) {
        if (column != UINT32_MAX && start.column != column && facts_.errors.empty()) {
          facts_.errors.push_back({ts_node_start_byte(node), ts_node_end_byte(node), "unexpected indent"});
        }
        if (column == UINT32_MAX) column = start.column;
      }
      line = ts_node_end_point(node).row;
      const RowIndex row = Statement(kind, result.statements, nested, jumped);
      if (row == kNoRow) return;
      if (result.statements == 0) result.first = row;
      ++result.statements;
      const StatementType type = facts_.statements[row].type;
      jumped |= type == StatementType::kReturn || type == StatementType::kRaise || type == StatementType::kBreak ||
                type == StatementType::kContinue;
      result.stub &= IsStub(facts_.statements[row]);
    });
    return result;
  }

  // A statement that does nothing.
  bool IsStub(const StatementFact& fact) const {
    if (fact.type == StatementType::kPass) return true;
    if (fact.value == kNoRow) return false;
    const ExprFact& value = facts_.exprs[fact.value];
    if (fact.type == StatementType::kExpression) {
      return value.type == ExprType::kString || (value.type == ExprType::kConstant && value.value == "...");
    }
    return fact.type == StatementType::kRaise && value.name == "NotImplementedError";
  }

  void Comment() {
    const TSNode node = Current();
    std::string_view body = TextOf(node);
    body.remove_prefix(std::min<size_t>(1, body.size()));
    AddComment(node, body);
  }

  RowIndex Open(StatementType type, size_t index, bool nested, bool jumped) {
    return AddStatement(type, Current(), index, nested, jumped);
  }

  // Runs `inside` with the statement as what encloses.
  template <typename Inside>
  void Within(RowIndex statement, Inside inside) {
    const RowIndex around = place_.statement;
    place_.statement = statement;
    inside();
    place_.statement = around;
  }

  // Returns the row of the statement at the cursor, or kNoRow where there is none.
  RowIndex Statement(Kind kind, size_t index, bool nested, bool jumped) {
    const auto simple = [&](StatementType type, Slot slot) {
      const RowIndex row = Open(type, index, nested, jumped);
      Within(row, [&] {
        size_t position = 0;
        ForEachChild([&] {
          if (!ts_node_is_named(Current())) return;
          const RowIndex expr = Expr(slot, kNoRow, position++);
          if (facts_.statements[row].value == kNoRow) facts_.statements[row].value = expr;
        });
      });
      return row;
    };
    switch (kind) {
      case kExpressionStatement:
        return ExpressionStatement(index, nested, jumped);
      case kReturnNode:
        return simple(StatementType::kReturn, Slot::kReturn);
      case kRaiseNode:
        return simple(StatementType::kRaise, Slot::kRaise);
      case kAssertNode:
        return simple(StatementType::kAssert, Slot::kCondition);
      case kDeleteNode:
        return simple(StatementType::kDelete, Slot::kOther);
      case kPrint:
      case kExec:
      case kTypeAlias:
        return simple(StatementType::kOther, Slot::kOther);
      case kPassNode:
        return Open(StatementType::kPass, index, nested, jumped);
      case kBreakNode:
        return Open(StatementType::kBreak, index, nested, jumped);
      case kContinueNode:
        return Open(StatementType::kContinue, index, nested, jumped);
      case kGlobalNode:
      case kNonlocal: {
        const RowIndex row = Open(StatementType::kGlobal, index, nested, jumped);
        ForEachChild([&] {
          if (KindOf(Current()) == kIdentifier) facts_.statements[row].names.push_back(TextOf(Current()));
        });
        return row;
      }
      case kImportNode:
      case kImportFrom:
      case kFutureImport: {
        const RowIndex row = Open(StatementType::kImport, index, nested, jumped);
        Within(row, [&] { Import(kind); });
        return row;
      }
      case kIfNode:
        return If(index, nested, jumped);
      case kForNode:
      case kWhileNode:
        return Loop(kind, index, nested, jumped);
      case kTryNode:
        return Try(index, nested, jumped);
      case kWithNode:
        return With(index, nested, jumped);
      case kDecorated:
        return Decorated(index, nested, jumped);
      case kFunctionNode: {
        const RowIndex row = Open(StatementType::kFunction, index, nested, jumped);
        Within(row, [&] { Function(AddFunction(SpanOf(Current()))); });
        return row;
      }
      case kClassNode: {
        const RowIndex row = Open(StatementType::kClass, index, nested, jumped);
        Within(row, [&] { Class(AddClass(SpanOf(Current()))); });
        return row;
      }
      case kMatch: {
        const RowIndex row = Open(StatementType::kOther, index, nested, jumped);
        Within(row, [&] { Generic(); });
        return row;
      }
      case kBlock: {
        Block(true);
        return kNoRow;
      }
      default:
        // Errors, and what they tore apart.
        if (IsExpression(kind)) {
          Expr(Slot::kOther, kNoRow, 0);
          return kNoRow;
        }
        Generic();
        return kNoRow;
    }
  }

  // Blocks and expressions below a node that nothing more is known about.
  void Generic() {
    ForEachChild([&] {
      const TSNode node = Current();
      if (!ts_node_is_named(node)) return;
      const Kind kind = KindOf(node);
      if (kind == kComment) return Comment();
      if (kind == kBlock) {
        Block(true);
      } else if (IsExpression(kind)) {
        Expr(Slot::kOther, kNoRow, 0);
      } else if (kind == kCase) {
        if (place_.function != kNoRow) ++facts_.functions[place_.function].branches;
        Generic();
      } else {
        Statement(kind, 0, true, false);
      }
    });
  }

  RowIndex ExpressionStatement(size_t index, bool nested, bool jumped) {
    const RowIndex row = Open(StatementType::kExpression, index, nested, jumped);
    Within(row, [&] {
      ForEachChild([&] {
        const TSNode node = Current();
        if (!ts_node_is_named(node)) return;
        const Kind kind = KindOf(node);
        if (kind == kComment) return Comment();
        RowIndex value = kNoRow;
        if (kind == kAssignmentNode || kind == kAugmented) {
          auto& by_type = facts_.statements_by_type;
          by_type[static_cast<size_t>(StatementType::kExpression)].pop_back();
          by_type[static_cast<size_t>(StatementType::kAssign)].push_back(row);
          facts_.statements[row].type = StatementType::kAssign;
          value = Assignment(kind);
        } else {
          value = Expr(Slot::kStatement, kNoRow, 0);
        }
        if (facts_.statements[row].value == kNoRow) facts_.statements[row].value = value;
      });
    });
    return row;
  }

  // The cursor is at an assignment. Returns its value.
  RowIndex Assignment(Kind kind) {
    const auto first = static_cast<RowIndex>(facts_.assigns.size());
    RowIndex last = first;
    RowIndex value = kNoRow;
    RowIndex annotation = kNoRow;
    std::string_view op = "=";
    const TSNode node = Current();
    const bool annotated = kind == kAssignmentNode && !ts_node_is_null(ts_node_child_by_field_id(node, g_.type));
    const std::string_view form = kind == kAugmented ? "augmented" : annotated ? "annotated" : "plain";
    if (kind == kAugmented) {
      const TSNode operator_node = ts_node_child_by_field_id(node, g_.op);
      if (!ts_node_is_null(operator_node)) op = TextOf(operator_node);
    }
    ForEachChild([&] {
      const TSFieldId field = CurrentField();
      if (field == g_.left) {
        Target(form, op, false);
        last = static_cast<RowIndex>(facts_.assigns.size());
      } else if (field == g_.type) {
        annotation = Expr(Slot::kAnnotation, kNoRow, 0);
      } else if (field == g_.right) {
        const Kind right = KindOf(Current());
        value = right == kAssignmentNode || right == kAugmented ? Assignment(right) : Expr(Slot::kValue, kNoRow, 0);
      } else if (KindOf(Current()) == kComment) {
        Comment();
      }
    });
    for (RowIndex i = first; i < last; ++i) {
      AssignFact& assign = facts_.assigns[i];
      if (!assign.in_tuple) assign.value = value;
      assign.annotation = annotation;
    }
    return value;
  }

  // The cursor is at what is assigned to.
  void Target(std::string_view form, std::string_view op, bool in_tuple) {
    const TSNode node = Current();
    switch (KindOf(node)) {
      case kPatternList:
      case kTuplePattern:
      case kListPattern:
      case kTupleNode:
      case kListNode:
      case kExpressionList:
        ForEachChild([&] {
          if (ts_node_is_named(Current())) Target(form, op, true);
        });
        return;
      case kListSplatPattern:
      case kListSplat:
      case kParenthesized:
      case kAsPatternTarget:
        ForEachChild([&] {
          if (ts_node_is_named(Current())) Target(form, op, in_tuple);
        });
        return;
      case kComment:
        return Comment();
      default: {
        const RowIndex assign = AddAssign(form, op, node);
        const RowIndex target = Expr(Slot::kTarget, kNoRow, 0);
        NameAssign(assign, target);
        facts_.assigns[assign].in_tuple = in_tuple;
      }
    }
  }

  void Import(Kind kind) {
    std::string_view module;
    uint32_t level = 0;
    if (kind == kFutureImport) module = "__future__";
    const ByteSpan span = SpanOf(Current());
    const auto add = [&](std::string_view name, std::string_view alias, ByteSpan where) {
      CountRow();
      ImportFact& fact = facts_.imports.emplace_back();
      fact.span = kind == kImportNode ? where : span;
      fact.place = place_;
      fact.form = kind == kImportNode ? "import" : "from";
      fact.top =
          level_ == Level::kModule && place_.guard == Guard::kNone && !facts_.statements[place_.statement].nested;
      fact.level = level;
      fact.alias = alias;
      if (kind == kImportNode) {
        fact.module = name;
        fact.bound = alias.empty() ? name.substr(0, name.find('.')) : alias;
        facts_.aliases[fact.bound] = alias.empty() ? fact.bound : name;
      } else {
        fact.module = module;
        fact.name = name;
        fact.bound = alias.empty() ? name : alias;
        if (name == "*") return;
        std::string full(level, '.');
        full += module;
        if (!module.empty()) full += '.';
        full += name;
        facts_.aliases[fact.bound] = Keep(std::move(full));
      }
    };
    ForEachChild([&] {
      const TSNode node = Current();
      const TSFieldId field = CurrentField();
      if (!ts_node_is_named(node)) return;
      const std::string_view type = ts_node_type(node);
      if (field == g_.module_name) {
        module = TextOf(node);
        while (!module.empty() && (module.front() == '.' || module.front() == ' ')) {
          level += module.front() == '.';
          module.remove_prefix(1);
        }
      } else if (type == "wildcard_import") {
        add("*", {}, SpanOf(node));
      } else if (type == "aliased_import") {
        const TSNode name = ts_node_child_by_field_id(node, g_.name);
        const TSNode alias = ts_node_child_by_field_id(node, g_.alias);
        if (!ts_node_is_null(name) && !ts_node_is_null(alias)) add(TextOf(name), TextOf(alias), SpanOf(node));
      } else if (field == g_.name) {
        add(TextOf(node), {}, SpanOf(node));
      }
    });
  }

  Guard Stronger(Guard guard) const {
    return place_.guard == Guard::kMain || place_.guard == Guard::kTypeChecking ? place_.guard : guard;
  }

  void CountBranch() {
    if (place_.function != kNoRow) ++facts_.functions[place_.function].branches;
  }

  RowIndex If(size_t index, bool nested, bool jumped) {
    const RowIndex row = Open(StatementType::kIf, index, nested, jumped);
    const Guard around = place_.guard;
    Within(row, [&] {
      CountBranch();
      ForEachChild([&] {
        const TSNode node = Current();
        const TSFieldId field = CurrentField();
        if (field == g_.condition) {
          facts_.statements[row].value = Expr(Slot::kCondition, kNoRow, 0);
          const std::string_view text = TextOf(node);
          const bool main = text.find("__name__") != std::string_view::npos;
          const bool typing = text.find("TYPE_CHECKING") != std::string_view::npos;
          place_.guard = main ? Guard::kMain : typing ? Guard::kTypeChecking : Stronger(Guard::kIf);
        } else if (field == g_.consequence) {
          Block(true);
        } else if (field == g_.alternative) {
          place_.guard = around;
          place_.guard = Stronger(Guard::kIf);
          if (KindOf(node) == kElif) {
            If(0, true, false);
          } else {
            ForEachChild([&] {
              if (KindOf(Current()) == kBlock) Block(true);
            });
          }
        } else if (KindOf(node) == kComment) {
          Comment();
        }
      });
    });
    place_.guard = around;
    return row;
  }

  RowIndex Loop(Kind kind, size_t index, bool nested, bool jumped) {
    const RowIndex row = Open(StatementType::kLoop, index, nested, jumped);
    CountRow();
    CountBranch();
    const auto loop = static_cast<RowIndex>(facts_.loops.size());
    const RowIndex around = place_.loop;
    {
      LoopFact& fact = facts_.loops.emplace_back();
      fact.span = SpanOf(Current());
      fact.body = fact.span;
      fact.place = place_;
      fact.form = kind == kForNode ? "for" : "while";
      fact.depth = around == kNoRow ? 0 : facts_.loops[around].depth + 1;
    }
    Within(row, [&] {
      ForEachChild([&] {
        const TSNode node = Current();
        const TSFieldId field = CurrentField();
        if (field == g_.left) {
          const size_t first = facts_.assigns.size();
          Target("for", "in", false);
          for (size_t i = first; i < facts_.assigns.size(); ++i) {
            facts_.loops[loop].variables.push_back(facts_.Text(facts_.assigns[i].span));
          }
        } else if (field == g_.right) {
          facts_.loops[loop].iterable = Expr(Slot::kIterable, kNoRow, 0);
          facts_.statements[row].value = facts_.loops[loop].iterable;
        } else if (field == g_.condition) {
          facts_.loops[loop].condition = Expr(Slot::kCondition, kNoRow, 0);
          facts_.statements[row].value = facts_.loops[loop].condition;
        } else if (field == g_.body) {
          facts_.loops[loop].body = SpanOf(node);
          place_.loop = loop;
          Block(true);
          place_.loop = around;
        } else if (field == g_.alternative) {
          ForEachChild([&] {
            if (KindOf(Current()) == kBlock) Block(true);
          });
        } else if (KindOf(node) == kComment) {
          Comment();
        } else if (!ts_node_is_named(node) && TextOf(node) == "async") {
          facts_.loops[loop].form = "async_for";
        }
      });
    });
    return row;
  }

  RowIndex Try(size_t index, bool nested, bool jumped) {
    const RowIndex row = Open(StatementType::kTry, index, nested, jumped);
    const Guard around = place_.guard;
    Within(row, [&] {
      place_.guard = Stronger(Guard::kTry);
      ForEachChild([&] {
        const TSNode node = Current();
        const Kind kind = KindOf(node);
        if (kind == kBlock) {
          Block(true);
        } else if (kind == kExceptNode) {
          Except();
        } else if (kind == kElse || kind == kFinally) {
          ForEachChild([&] {
            if (KindOf(Current()) == kBlock) Block(true);
          });
        } else if (kind == kComment) {
          Comment();
        }
      });
    });
    place_.guard = around;
    return row;
  }

  void Except() {
    const RowIndex row = Open(StatementType::kExcept, 0, true, false);
    CountBranch();
    facts_.statements[row].bare = true;
    Within(row, [&] {
      ForEachChild([&] {
        const TSNode node = Current();
        const Kind kind = KindOf(node);
        if (kind == kBlock) {
          Block(true);
        } else if (CurrentField() == g_.alias) {
          Target("except", "as", false);
        } else if (kind == kAsPattern) {
          facts_.statements[row].bare = false;
          ForEachChild([&] {
            if (!ts_node_is_named(Current())) return;
            if (KindOf(Current()) == kAsPatternTarget) {
              Target("except", "as", false);
            } else {
              ExceptNames(row);
            }
          });
        } else if (IsExpression(kind)) {
          facts_.statements[row].bare = false;
          ExceptNames(row);
        } else if (kind == kComment) {
          Comment();
        }
      });
    });
  }

  void ExceptNames(RowIndex statement) {
    const RowIndex value = Expr(Slot::kValue, kNoRow, 0);
    if (value == kNoRow) return;
    facts_.statements[statement].value = value;
    for (RowIndex i = value; i < facts_.exprs[value].subtree_end; ++i) {
      const ExprFact& fact = facts_.exprs[i];
      if (!fact.name.empty() && (i == value || fact.parent == value)) {
        facts_.statements[statement].names.push_back(fact.name);
      }
    }
  }

  RowIndex With(size_t index, bool nested, bool jumped) {
    const RowIndex row = Open(StatementType::kWith, index, nested, jumped);
    Within(row, [&] {
      ForEachChild([&] {
        const Kind kind = KindOf(Current());
        if (kind == kWithClause) {
          ForEachChild([&] {
            if (KindOf(Current()) == kWithItem) WithItem(row);
          });
        } else if (kind == kBlock) {
          Block(true);
        } else if (kind == kComment) {
          Comment();
        }
      });
    });
    return row;
  }

  void WithItem(RowIndex statement) {
    ForEachChild([&] {
      if (!ts_node_is_named(Current())) return;
      RowIndex value = kNoRow;
      if (KindOf(Current()) == kAsPattern) {
        ForEachChild([&] {
          const TSNode node = Current();
          if (!ts_node_is_named(node)) return;
          if (KindOf(node) != kAsPatternTarget) {
            value = Expr(Slot::kValue, kNoRow, 0);
            return;
          }
          const size_t first = facts_.assigns.size();
          Target("with", "as", false);
          for (size_t i = first; i < facts_.assigns.size(); ++i) {
            if (!facts_.assigns[i].in_tuple) facts_.assigns[i].value = value;
          }
        });
      } else {
        value = Expr(Slot::kValue, kNoRow, 0);
      }
      if (facts_.statements[statement].value == kNoRow) facts_.statements[statement].value = value;
    });
  }

  RowIndex Decorated(size_t index, bool nested, bool jumped) {
    const TSNode node = Current();
    const TSNode definition = ts_node_child_by_field_id(node, g_.definition);
    const bool is_class = !ts_node_is_null(definition) && KindOf(definition) == kClassNode;
    const RowIndex row = Open(is_class ? StatementType::kClass : StatementType::kFunction, index, nested, jumped);
    const RowIndex owner = is_class ? AddClass(SpanOf(node)) : AddFunction(SpanOf(node));
    Within(row, [&] {
      const Place around = place_;
      size_t position = 0;
      ForEachChild([&] {
        const Kind kind = KindOf(Current());
        if (kind == kDecoratorNode) {
          (is_class ? place_.cls : place_.function) = owner;
          ForEachChild([&] {
            if (!ts_node_is_named(Current()) || KindOf(Current()) == kComment) return;
            const RowIndex expr = Expr(Slot::kDecorator, kNoRow, position++);
            if (expr != kNoRow) At(expr).owner = owner;
          });
          place_ = around;
        } else if (kind == kFunctionNode) {
          Function(owner);
        } else if (kind == kClassNode) {
          Class(owner);
        } else if (kind == kComment) {
          Comment();
        }
      });
    });
    return row;
  }

  // The cursor is at the definition of `function`.
  void Function(RowIndex function) {
    const Place around = place_;
    const Level level = level_;
    ForEachChild([&] {
      const TSNode node = Current();
      const TSFieldId field = CurrentField();
      if (field == g_.name) {
        NameFunction(function, node, ".");
        place_.function = function;
        place_.loop = kNoRow;
        level_ = Level::kFunction;
      } else if (field == g_.parameters) {
        facts_.functions[function].first_parameter = static_cast<RowIndex>(facts_.parameters.size());
        Parameters(function);
      } else if (field == g_.return_type) {
        const RowIndex returns = Expr(Slot::kReturns, kNoRow, 0);
        facts_.functions[function].returns = returns;
      } else if (field == g_.body) {
        facts_.functions[function].body = SpanOf(node);
        const BlockResult block = Block(false);
        FunctionFact& fact = facts_.functions[function];
        fact.statements = static_cast<uint32_t>(block.statements);
        fact.stub = block.stub && block.statements > 0;
        fact.has_doc = DocOf(block, fact.doc);
      } else if (KindOf(node) == kComment) {
        Comment();
      } else if (!ts_node_is_named(node) && TextOf(node) == "async") {
        facts_.functions[function].is_async = true;
      }
    });
    place_ = around;
    level_ = level;
  }

  bool DocOf(const BlockResult& block, std::string_view& doc) const {
    if (block.first == kNoRow) return false;
    const StatementFact& first = facts_.statements[block.first];
    if (first.type != StatementType::kExpression || first.value == kNoRow) return false;
    if (facts_.exprs[first.value].type != ExprType::kString) return false;
    doc = facts_.exprs[first.value].value;
    return true;
  }

  void Parameters(RowIndex function) {
    bool keyword_only = false;
    size_t unmarked = facts_.parameters.size();
    uint32_t index = 0;
    const auto add = [&](TSNode node, std::string_view name, ParameterForm form) {
      CountRow();
      ParameterFact& fact = facts_.parameters.emplace_back();
      fact.span = SpanOf(node);
      fact.function = function;
      fact.index = index++;
      fact.name = name;
      fact.form = form;
      ++facts_.functions[function].parameters;
      return static_cast<RowIndex>(facts_.parameters.size() - 1);
    };
    const auto named = [&] { return keyword_only ? ParameterForm::kKeywordOnly : ParameterForm::kPositional; };
    // The name and form of `x`, `*x` or `**x`.
    const auto form_of = [&](TSNode node, std::string_view& name) {
      const Kind kind = KindOf(node);
      name = TextOf(node);
      if (kind == kListSplatPattern) {
        name.remove_prefix(std::min<size_t>(1, name.size()));
        return ParameterForm::kArgs;
      }
      if (kind == kDictionarySplatPattern) {
        name.remove_prefix(std::min<size_t>(2, name.size()));
        return ParameterForm::kKwargs;
      }
      return named();
    };
    ForEachChild([&] {
      const TSNode node = Current();
      if (!ts_node_is_named(node)) return;
      const Kind kind = KindOf(node);
      const std::string_view type = ts_node_type(node);
      if (kind == kComment) return Comment();
      if (type == "keyword_separator") {
        keyword_only = true;
      } else if (type == "positional_separator") {
        // The grammar lets several stand there: each marks what came since the last one.
        for (; unmarked < facts_.parameters.size(); ++unmarked) {
          facts_.parameters[unmarked].form = ParameterForm::kPositionalOnly;
        }
      } else if (kind == kIdentifier || kind == kListSplatPattern || kind == kDictionarySplatPattern) {
        std::string_view name;
        const ParameterForm form = form_of(node, name);
        add(node, name, form);
        keyword_only |= form == ParameterForm::kArgs;
      } else {
        // With a type, a default or both.
        RowIndex row = kNoRow;
        ForEachChild([&] {
          const TSNode part = Current();
          if (!ts_node_is_named(part)) return;
          const TSFieldId field = CurrentField();
          if (field == g_.type && row != kNoRow) {
            const RowIndex expr = Expr(Slot::kAnnotation, kNoRow, 0);
            facts_.parameters[row].annotation = expr;
            if (expr != kNoRow) At(expr).owner = row;
          } else if (field == g_.value && row != kNoRow) {
            facts_.parameters[row].has_default = true;
            const RowIndex expr = Expr(Slot::kDefault, kNoRow, 0);
            facts_.parameters[row].default_value = expr;
            if (expr != kNoRow) At(expr).owner = row;
          } else if (row == kNoRow && KindOf(part) != kComment) {
            std::string_view name;
            const ParameterForm form = form_of(part, name);
            row = add(node, name, form);
            keyword_only |= form == ParameterForm::kArgs;
          }
        });
      }
    });
  }

  void Class(RowIndex cls) {
    const Place around = place_;
    const Level level = level_;
    ForEachChild([&] {
      const TSNode node = Current();
      const TSFieldId field = CurrentField();
      if (field == g_.name) {
        NameClass(cls, node, ".");
      } else if (field == g_.superclasses) {
        size_t position = 0;
        ForEachChild([&] {
          if (!ts_node_is_named(Current()) || KindOf(Current()) == kComment) return;
          if (KindOf(Current()) == kKeywordArgument) return Keyword(kNoRow, position++);
          const RowIndex base = Expr(Slot::kBase, kNoRow, position++);
          if (base != kNoRow) facts_.classes[cls].bases.push_back(facts_.Text(At(base).span));
        });
      } else if (field == g_.body) {
        facts_.classes[cls].body = SpanOf(node);
        place_.cls = cls;
        place_.loop = kNoRow;
        level_ = Level::kClass;
        const BlockResult block = Block(false);
        ClassFact& fact = facts_.classes[cls];
        fact.statements = static_cast<uint32_t>(block.statements);
        fact.has_doc = DocOf(block, fact.doc);
      } else if (KindOf(node) == kComment) {
        Comment();
      }
    });
    place_ = around;
    level_ = level;
  }

  // `name=value` of a call or a class.
  void Keyword(RowIndex parent, size_t index) {
    std::string_view keyword;
    ForEachChild([&] {
      const TSFieldId field = CurrentField();
      if (field == g_.name) {
        keyword = TextOf(Current());
      } else if (field == g_.value) {
        const RowIndex expr = Expr(Slot::kKeyword, parent, index);
        if (expr != kNoRow) At(expr).keyword = keyword;
      }
    });
  }

  // The children that are expressions, as items.
  void Items(RowIndex row, Slot slot) {
    size_t position = 0;
    ForEachChild([&] {
      const TSNode node = Current();
      if (!ts_node_is_named(node)) return;
      if (KindOf(node) == kComment) return Comment();
      Expr(slot, row, position++);
    });
    At(row).positional = static_cast<uint16_t>(std::min<size_t>(position, UINT16_MAX));
  }

  // The expression at the cursor and everything inside. Returns its row, or kNoRow where there is none.
  RowIndex Expr(Slot slot, RowIndex parent, size_t index) {
    const TSNode node = Current();
    const Kind kind = KindOf(node);
    if (kind == kComment) {
      Comment();
      return kNoRow;
    }
    // Parentheses and the wrapper of annotations say nothing.
    if (kind == kParenthesized || kind == kTypeNode || kind == kParenthesizedSplat) {
      RowIndex inner = kNoRow;
      ForEachChild([&] {
        if (!ts_node_is_named(Current())) return;
        const RowIndex row = Expr(slot, parent, index);
        if (row != kNoRow) inner = row;
      });
      return inner;
    }
    const RowIndex row = AddExpr(TypeOf(kind), slot, parent, index, node);
    switch (kind) {
      case kIdentifier: {
        ExprFact& fact = At(row);
        fact.name = fact.attr = fact.root = TextOf(node);
        return row;
      }
      case kInteger:
      case kFloat:
      case kTrue:
      case kFalse:
      case kNone:
      case kEllipsis:
        At(row).value = TextOf(node);
        return row;
      case kAttribute:
        ForEachChild([&] {
          const TSFieldId field = CurrentField();
          if (field == g_.object) {
            const RowIndex base = Expr(Slot::kBase, row, 0);
            At(row).base = base;
          } else if (field == g_.attribute) {
            At(row).attr = TextOf(Current());
          }
        });
        NameAttribute(row, ".");
        break;
      case kCall:
        Call(row);
        break;
      case kSubscript: {
        size_t position = 0;
        ForEachChild([&] {
          if (!ts_node_is_named(Current())) return;
          if (CurrentField() == g_.value) {
            const RowIndex base = Expr(Slot::kBase, row, 0);
            At(row).base = base;
          } else if (KindOf(Current()) == kComment) {
            Comment();
          } else {
            Expr(Slot::kIndex, row, position++);
          }
        });
        At(row).positional = static_cast<uint16_t>(position);
        TakeNames(row);
        break;
      }
      case kGenericType: {
        // `Name[…]` in an annotation: the same as a subscript.
        size_t position = 0;
        ForEachChild([&] {
          if (!ts_node_is_named(Current())) return;
          if (KindOf(Current()) == kTypeParameter) {
            ForEachChild([&] {
              if (ts_node_is_named(Current())) Expr(Slot::kIndex, row, position++);
            });
          } else {
            const RowIndex base = Expr(Slot::kBase, row, 0);
            At(row).base = base;
          }
        });
        At(row).positional = static_cast<uint16_t>(position);
        TakeNames(row);
        break;
      }
      case kString:
        String(row);
        break;
      case kConcatenated: {
        const size_t first = facts_.exprs.size();
        Items(row, Slot::kItem);
        std::string whole;
        for (size_t i = first; i < facts_.exprs.size(); ++i) {
          if (facts_.exprs[i].parent == row) whole += facts_.exprs[i].value;
        }
        At(row).value = Keep(std::move(whole));
        break;
      }
      case kDictionary:
        Dictionary(row);
        break;
      case kBinaryNode:
      case kUnaryNode:
      case kNot:
      case kBooleanNode:
      case kComparison:
        Operator(kind, row);
        break;
      case kLambdaNode:
        ForEachChild([&] {
          if (CurrentField() == g_.body) {
            Expr(Slot::kValue, row, 0);
          } else if (CurrentField() == g_.parameters) {
            // Their defaults only: a lambda is no function of its own here.
            ForEachChild([&] {
              ForEachChild([&] {
                if (CurrentField() == g_.value) Expr(Slot::kDefault, row, 0);
              });
            });
          }
        });
        break;
      case kListComprehension:
      case kDictionaryComprehension:
      case kSetComprehension:
      case kGenerator:
        Comprehension(row);
        break;
      case kNamed: {
        RowIndex assign = kNoRow;
        RowIndex value = kNoRow;
        ForEachChild([&] {
          if (CurrentField() == g_.name) {
            assign = AddAssign("walrus", ":=", Current());
            NameAssign(assign, Expr(Slot::kTarget, row, 0));
          } else if (CurrentField() == g_.value) {
            value = Expr(Slot::kValue, row, 0);
          }
        });
        if (assign != kNoRow) facts_.assigns[assign].value = value;
        break;
      }
      case kAwaitNode:
      case kListSplat:
      case kDictionarySplat:
      case kListSplatPattern:
      case kDictionarySplatPattern:
        Items(row, Slot::kOperand);
        break;
      case kYieldNode:
        if (place_.function != kNoRow) facts_.functions[place_.function].generator = true;
        Items(row, Slot::kValue);
        break;
      case kConditionalNode:
        CountBranch();
        Items(row, Slot::kItem);
        break;
      default:
        Items(row, Slot::kItem);
        break;
    }
    CloseExpr(row);
    return row;
  }

  static ExprType TypeOf(Kind kind) {
    switch (kind) {
      case kIdentifier:
        return ExprType::kName;
      case kAttribute:
        return ExprType::kAttribute;
      case kCall:
        return ExprType::kCall;
      case kSubscript:
      case kGenericType:
        return ExprType::kSubscript;
      case kString:
      case kConcatenated:
        return ExprType::kString;
      case kInteger:
      case kFloat:
        return ExprType::kNumber;
      case kTrue:
      case kFalse:
      case kNone:
      case kEllipsis:
        return ExprType::kConstant;
      case kListNode:
        return ExprType::kList;
      case kTupleNode:
      case kExpressionList:
        return ExprType::kTuple;
      case kDictionary:
        return ExprType::kDict;
      case kSetNode:
        return ExprType::kSet;
      case kListComprehension:
      case kDictionaryComprehension:
      case kSetComprehension:
      case kGenerator:
        return ExprType::kComprehension;
      case kBinaryNode:
      case kUnionType:
        return ExprType::kBinary;
      case kUnaryNode:
      case kNot:
        return ExprType::kUnary;
      case kBooleanNode:
        return ExprType::kBoolean;
      case kComparison:
        return ExprType::kCompare;
      case kConditionalNode:
        return ExprType::kConditional;
      case kLambdaNode:
        return ExprType::kLambda;
      case kAwaitNode:
        return ExprType::kAwait;
      case kYieldNode:
        return ExprType::kYield;
      case kListSplat:
      case kDictionarySplat:
      case kListSplatPattern:
      case kDictionarySplatPattern:
        return ExprType::kStarred;
      case kSliceNode:
        return ExprType::kSlice;
      case kNamed:
        return ExprType::kAssignment;
      default:
        return ExprType::kOther;
    }
  }

  // Names of a call or a subscript are those of what is called or looked into.
  void TakeNames(RowIndex row) {
    ExprFact& fact = At(row);
    if (fact.base == kNoRow) return;
    const ExprFact& base = At(fact.base);
    fact.name = base.name;
    fact.attr = base.attr;
    fact.root = base.root;
  }

  void Call(RowIndex row) {
    size_t position = 0;
    size_t positional = 0;
    ForEachChild([&] {
      const TSFieldId field = CurrentField();
      if (field == g_.function) {
        const RowIndex base = Expr(Slot::kCallee, row, 0);
        At(row).base = base;
      } else if (field == g_.arguments && KindOf(Current()) == kGenerator) {
        Expr(Slot::kArgument, row, 0);
        positional = 1;
      } else if (field == g_.arguments) {
        ForEachChild([&] {
          const TSNode node = Current();
          if (!ts_node_is_named(node)) return;
          const Kind kind = KindOf(node);
          if (kind == kComment) return Comment();
          if (kind == kKeywordArgument) return Keyword(row, position++);
          if (kind != kDictionarySplat) ++positional;
          Expr(Slot::kArgument, row, position++);
        });
      }
    });
    TakeNames(row);
    At(row).positional = static_cast<uint16_t>(std::min<size_t>(positional, UINT16_MAX));
  }

  void String(RowIndex row) {
    const ByteSpan span = At(row).span;
    uint32_t begin = span.begin;
    uint32_t end = span.end;
    size_t position = 0;
    ForEachChild([&] {
      const TSNode node = Current();
      const std::string_view type = ts_node_type(node);
      if (type == "string_start") {
        begin = ts_node_end_byte(node);
        std::string_view prefix = TextOf(node);
        prefix = prefix.substr(0, prefix.find_first_of("'\""));
        At(row).op = prefix;
      } else if (type == "string_end") {
        end = ts_node_start_byte(node);
      } else if (KindOf(node) == kInterpolation) {
        ForEachChild([&] {
          if (ts_node_is_named(Current()) && IsExpression(KindOf(Current()))) Expr(Slot::kItem, row, position++);
        });
      }
    });
    At(row).value = facts_.Text({begin, std::max(begin, end)});
  }

  void Dictionary(RowIndex row) {
    size_t position = 0;
    ForEachChild([&] {
      const TSNode node = Current();
      if (!ts_node_is_named(node)) return;
      const Kind kind = KindOf(node);
      if (kind == kComment) return Comment();
      if (kind != kPair) {
        Expr(Slot::kItem, row, position++);
        return;
      }
      std::string_view key;
      ForEachChild([&] {
        if (CurrentField() == g_.key) {
          const RowIndex expr = Expr(Slot::kKey, row, position);
          if (expr != kNoRow) key = At(expr).type == ExprType::kString ? At(expr).value : facts_.Text(At(expr).span);
        } else if (CurrentField() == g_.value) {
          const RowIndex expr = Expr(Slot::kItem, row, position);
          if (expr != kNoRow) At(expr).keyword = key;
        }
      });
      ++position;
    });
    At(row).positional = static_cast<uint16_t>(std::min<size_t>(position, UINT16_MAX));
  }

  void Operator(Kind kind, RowIndex row) {
    size_t position = 0;
    if (kind == kBooleanNode) CountBranch();
    if (kind == kNot) At(row).op = "not";
    ForEachChild([&] {
      const TSNode node = Current();
      const TSFieldId field = CurrentField();
      if (field == g_.op || field == g_.operators) {
        if (At(row).op.empty()) At(row).op = TextOf(node);
        return;
      }
      if (!ts_node_is_named(node)) return;
      const bool unary = kind == kUnaryNode || kind == kNot;
      const Slot slot = unary ? Slot::kOperand : position == 0 ? Slot::kLeft : Slot::kRight;
      if (Expr(slot, row, position) != kNoRow) ++position;
    });
    At(row).positional = static_cast<uint16_t>(position);
  }

  void Comprehension(RowIndex row) {
    ForEachChild([&] {
      const TSNode node = Current();
      if (!ts_node_is_named(node)) return;
      const Kind kind = KindOf(node);
      if (kind == kComment) return Comment();
      if (kind == kForInClause) {
        ForEachChild([&] {
          if (!ts_node_is_named(Current())) return;
          if (CurrentField() == g_.left) {
            Target("for", "in", false);
          } else if (CurrentField() == g_.right) {
            Expr(Slot::kIterable, row, 0);
          }
        });
      } else if (kind == kIfClause) {
        CountBranch();
        ForEachChild([&] {
          if (ts_node_is_named(Current())) Expr(Slot::kCondition, row, 0);
        });
      } else if (kind == kPair) {
        ForEachChild([&] {
          if (ts_node_is_named(Current())) Expr(Slot::kValue, row, 0);
        });
      } else {
        Expr(Slot::kValue, row, 0);
      }
    });
  }

  const Grammar& g_;
};

}  // namespace

void ReadPython(TSNode root, RowIndex block, FileFacts& facts) { PythonReader(root, block, facts).Read(); }

}  // namespace yardmaster::rules
