#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/code/cpp_types.h"
#include "rules/engine/code/fact_builder.h"
#include "rules/engine/code/readers.h"

namespace yardmaster::rules {
namespace {

// Expressions that the grammar names, and what they are for us.
constexpr std::pair<std::string_view, ExprType> kExpressions[] = {
    {"identifier", ExprType::kName},
    {"this", ExprType::kName},
    {"qualified_identifier", ExprType::kAttribute},
    {"template_function", ExprType::kAttribute},
    {"field_expression", ExprType::kAttribute},
    {"call_expression", ExprType::kCall},
    {"subscript_expression", ExprType::kSubscript},
    {"string_literal", ExprType::kString},
    {"raw_string_literal", ExprType::kString},
    {"concatenated_string", ExprType::kString},
    {"number_literal", ExprType::kNumber},
    {"char_literal", ExprType::kNumber},
    {"true", ExprType::kConstant},
    {"false", ExprType::kConstant},
    {"null", ExprType::kConstant},
    {"initializer_list", ExprType::kList},
    {"binary_expression", ExprType::kBinary},
    {"unary_expression", ExprType::kUnary},
    {"update_expression", ExprType::kUnary},
    {"pointer_expression", ExprType::kUnary},
    {"assignment_expression", ExprType::kAssignment},
    {"conditional_expression", ExprType::kConditional},
    {"lambda_expression", ExprType::kLambda},
    {"cast_expression", ExprType::kOther},
    {"new_expression", ExprType::kOther},
    {"delete_expression", ExprType::kOther},
    {"parenthesized_expression", ExprType::kOther},
    {"comma_expression", ExprType::kOther},
    {"sizeof_expression", ExprType::kOther},
    {"compound_literal_expression", ExprType::kOther},
    {"co_await_expression", ExprType::kOther},
    {"fold_expression", ExprType::kOther},
    {"user_defined_literal", ExprType::kOther},
    {"generic_expression", ExprType::kOther},
    {"alignof_expression", ExprType::kOther},
    {"requires_expression", ExprType::kOther},
};

// nullopt: no expression.
std::optional<ExprType> ExpressionOf(std::string_view type) {
  const auto it = absl::c_find_if(kExpressions, [&](const auto& one) { return one.first == type; });
  return it == std::end(kExpressions) ? std::nullopt : std::optional(it->second);
}

bool IsExpression(std::string_view type) { return ExpressionOf(type).has_value(); }

// Other nodes stand where an expression is expected: types, and the arguments of a constructor.
ExprType TypeOf(std::string_view type) {
  return ExpressionOf(type).value_or(type == "primitive_type" ? ExprType::kName : ExprType::kOther);
}

class CppReader : public FactBuilder {
 public:
  CppReader(TSNode root, FileFacts& facts) : FactBuilder(facts, root) {}

  void Read() { Block(false); }

 private:
  std::string_view Type() const { return ts_node_type(Current()); }
  std::string_view Field() const {
    const char* name = ts_tree_cursor_current_field_name(&cursor_);
    return name == nullptr ? std::string_view() : name;
  }
  bool Named() const { return ts_node_is_named(Current()); }

  // Calls `visit` with the cursor at each named child.
  template <typename Visit>
  void ForEachNamed(Visit visit) {
    ForEachChild([&] {
      if (ts_node_is_named(Current())) visit();
    });
  }

  void Comment() {
    std::string_view body = TextOf(Current());
    if (body.starts_with("//") || body.starts_with("/*")) body.remove_prefix(2);
    if (body.ends_with("*/")) body.remove_suffix(2);
    AddComment(Current(), body);
  }

  // Statements and declarations below the current node.
  size_t Block(bool nested) {
    size_t index = 0;
    bool jumped = false;
    ForEachNamed([&] {
      const RowIndex row = Item(index, nested, jumped);
      if (row == kNoRow) return;
      ++index;
      const StatementType type = facts_.statements[row].type;
      jumped |= type == StatementType::kReturn || type == StatementType::kRaise || type == StatementType::kBreak ||
                type == StatementType::kContinue;
    });
    return index;
  }

  // A statement with the expressions and statements inside.
  RowIndex Simple(StatementType type, size_t index, bool nested, bool jumped, Slot slot) {
    const RowIndex row = AddStatement(type, Current(), index, nested, jumped);
    const RowIndex around = place_.statement;
    place_.statement = row;
    ForEachNamed([&] {
      if (IsExpression(Type())) {
        const RowIndex expr = Expr(slot, kNoRow, 0);
        if (facts_.statements[row].value == kNoRow) facts_.statements[row].value = expr;
      } else if (Type() == "condition_clause") {
        ForEachNamed([&] {
          if (IsExpression(Type())) {
            facts_.statements[row].value = Expr(Slot::kCondition, kNoRow, 0);
          } else {
            Item(0, true, false);
          }
        });
      } else {
        Item(0, true, false);
      }
    });
    place_.statement = around;
    return row;
  }

  // Whatever stands at the cursor outside of expressions. Returns its
  // statement, or kNoRow.
  RowIndex Item(size_t index, bool nested, bool jumped) {
    const std::string_view type = Type();
    static constexpr std::pair<std::string_view, void (CppReader::*)()> kNoStatements[] = {
        {"comment", &CppReader::Comment},
        {"function_definition", &CppReader::Function},
        {"class_specifier", &CppReader::Class},
        {"struct_specifier", &CppReader::Class},
        {"union_specifier", &CppReader::Class},
        {"namespace_definition", &CppReader::Namespace},
        {"preproc_include", &CppReader::Include},
        {"preproc_def", &CppReader::Macro},
        {"preproc_function_def", &CppReader::Macro},
    };
    for (const auto& [name, read] : kNoStatements) {
      if (name != type) continue;
      (this->*read)();
      return kNoRow;
    }
    if (type == "declaration" || type == "field_declaration") return Declaration(index, nested, jumped);
    if (type == "expression_statement") {
      return Simple(StatementType::kExpression, index, nested, jumped, Slot::kStatement);
    }
    if (type == "return_statement" || type == "co_return_statement") {
      return Simple(StatementType::kReturn, index, nested, jumped, Slot::kReturn);
    }
    if (type == "throw_statement") return Simple(StatementType::kRaise, index, nested, jumped, Slot::kRaise);
    if (type == "break_statement") return AddStatement(StatementType::kBreak, Current(), index, nested, jumped);
    if (type == "continue_statement") return AddStatement(StatementType::kContinue, Current(), index, nested, jumped);
    if (type == "if_statement") {
      CountBranch();
      return Simple(StatementType::kIf, index, nested, jumped, Slot::kCondition);
    }
    if (type == "try_statement") return Simple(StatementType::kTry, index, nested, jumped, Slot::kOther);
    if (type == "catch_clause") {
      CountBranch();
      return Simple(StatementType::kExcept, index, nested, jumped, Slot::kOther);
    }
    if (type == "switch_statement") return Simple(StatementType::kOther, index, nested, jumped, Slot::kCondition);
    if (type == "for_statement" || type == "for_range_loop" || type == "while_statement" || type == "do_statement") {
      return Loop(index, nested, jumped);
    }
    if (IsExpression(type)) {
      Expr(Slot::kOther, kNoRow, 0);
      return kNoRow;
    }
    if (type == "case_statement") CountBranch();
    // Blocks, templates, conditional compilation, errors: what is inside.
    const bool transparent = type.starts_with("preproc_") || type == "template_declaration" ||
                             type == "linkage_specification" || type == "declaration_list" || type == "ERROR";
    Block(nested || !transparent);
    return kNoRow;
  }

  RowIndex Loop(size_t index, bool nested, bool jumped) {
    const RowIndex row = AddStatement(StatementType::kLoop, Current(), index, nested, jumped);
    const RowIndex loop = AddLoop(Type().starts_with("for") ? "for" : "while");
    const Place around = place_;
    place_.statement = row;
    ForEachNamed([&] {
      const std::string_view field = Field();
      if (field == "body") {
        facts_.loops[loop].body = SpanOf(Current());
        place_.loop = loop;
        Item(0, true, false);
        place_.loop = around.loop;
      } else if (field == "right") {
        facts_.loops[loop].iterable = Expr(Slot::kIterable, kNoRow, 0);
      } else if (field == "condition") {
        const auto take = [&] { facts_.loops[loop].condition = Expr(Slot::kCondition, kNoRow, 0); };
        if (IsExpression(Type())) {
          take();
        } else {
          ForEachChild([&] {
            if (Named() && IsExpression(Type())) take();
          });
        }
      } else if (field == "declarator") {
        facts_.loops[loop].variables.push_back(TextOf(Current()));
      } else if (field != "type") {
        Item(0, true, false);
      }
    });
    place_ = around;
    return row;
  }

  // The name that a declarator declares, behind pointers, references and
  // arrays; and its parameters, if any.
  struct Declared {
    TSNode name{};
    TSNode parameters{};
    bool found = false;
    bool function = false;
  };
  static Declared NameOf(TSNode declarator) {
    Declared out;
    for (int depth = 0; depth < 20 && !ts_node_is_null(declarator); ++depth) {
      const std::string_view type = ts_node_type(declarator);
      if (type == "function_declarator") {
        out.parameters = ts_node_child_by_field_name(declarator, "parameters", 10);
        out.function = !ts_node_is_null(out.parameters);
      }
      const bool inner = type.ends_with("_declarator");
      if (!inner) {
        out.name = declarator;
        out.found = true;
        return out;
      }
      TSNode next = ts_node_child_by_field_name(declarator, "declarator", 10);
      // Those of references have no field.
      if (ts_node_is_null(next) && ts_node_named_child_count(declarator) > 0) next = ts_node_named_child(declarator, 0);
      declarator = next;
    }
    return out;
  }

  void Function() {
    const TSNode node = Current();
    const RowIndex function = AddFunction(SpanOf(node));
    const Place around = place_;
    const Level level = level_;
    const Declared declared = NameOf(ts_node_child_by_field_name(node, "declarator", 10));
    if (declared.found) NameFunction(function, declared.name, "::");
    const TSNode declarator = ts_node_child_by_field_name(node, "declarator", 10);
    facts_.functions[function].type = TypeText(DeclaredType(node, declarator, declared.name));
    const TSNode body = ts_node_child_by_field_name(node, "body", 4);
    const uint32_t head_end = ts_node_is_null(body) ? ts_node_end_byte(node) : ts_node_start_byte(body);
    const std::string_view head = facts_.Text({ts_node_start_byte(node), head_end});
    facts_.functions[function].global_kernel = head.find("__global__") != std::string_view::npos;
    place_.function = function;
    place_.loop = kNoRow;
    level_ = Level::kFunction;
    facts_.functions[function].first_parameter = static_cast<RowIndex>(facts_.parameters.size());
    if (declared.function) Parameters(function, declared.parameters);
    ForEachChild([&] {
      if (Type() == "comment") return Comment();
      if (Field() != "body") return;
      facts_.functions[function].body = SpanOf(Current());
      const size_t statements = Block(false);
      facts_.functions[function].statements = static_cast<uint32_t>(statements);
      facts_.functions[function].stub = statements == 0;
    });
    place_ = around;
    level_ = level;
  }

  void Parameters(RowIndex function, TSNode list) {
    TSTreeCursor cursor = ts_tree_cursor_new(list);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      do {
        const TSNode node = ts_tree_cursor_current_node(&cursor);
        const std::string_view type = ts_node_type(node);
        if (!type.ends_with("parameter_declaration")) continue;
        const bool variadic = type.starts_with("variadic");
        ParameterFact& fact =
            facts_
                .parameters[AddParameter(function, node, variadic ? ParameterForm::kArgs : ParameterForm::kPositional)];
        fact.has_default = type.starts_with("optional");
        const Declared declared = NameOf(ts_node_child_by_field_name(node, "declarator", 10));
        if (declared.found) fact.name = TextOf(declared.name);
        const TSNode declarator = ts_node_child_by_field_name(node, "declarator", 10);
        fact.type = TypeText(DeclaredType(node, declarator, declared.name));
      } while (ts_tree_cursor_goto_next_sibling(&cursor));
    }
    ts_tree_cursor_delete(&cursor);
  }

  void Class() {
    const TSNode node = Current();
    // A type that is only named is no class.
    if (ts_node_is_null(ts_node_child_by_field_name(node, "body", 4))) return;
    const RowIndex cls = AddClass(SpanOf(node));
    const Place around = place_;
    const Level level = level_;
    ForEachChild([&] {
      const std::string_view type = Type();
      if (Field() == "name") {
        NameClass(cls, Current(), "::");
      } else if (type == "base_class_clause") {
        ForEachChild([&] {
          const std::string_view base = Type();
          if (base == "type_identifier" || base == "qualified_identifier" || base == "template_type") {
            facts_.classes[cls].bases.push_back(TextOf(Current()));
          }
        });
      } else if (Field() == "body") {
        facts_.classes[cls].body = SpanOf(Current());
        place_.cls = cls;
        place_.loop = kNoRow;
        level_ = Level::kClass;
        Block(false);
      } else if (type == "comment") {
        Comment();
      }
    });
    place_ = around;
    level_ = level;
  }

  void Namespace() {
    CountRow();
    const size_t row = facts_.namespaces.size();
    NamedFact& fact = facts_.namespaces.emplace_back();
    fact.span = SpanOf(Current());
    fact.place = place_;
    ForEachChild([&] {
      if (Field() == "name") facts_.namespaces[row].name = TextOf(Current());
      if (Field() == "body") Block(false);
    });
  }

  void Include() {
    CountRow();
    ImportFact& fact = facts_.imports.emplace_back();
    fact.span = SpanOf(Current());
    fact.place = place_;
    fact.form = "include";
    fact.top = level_ == Level::kModule;
    const TSNode path = ts_node_child_by_field_name(Current(), "path", 4);
    if (ts_node_is_null(path)) return;
    fact.system = std::string_view(ts_node_type(path)) == "system_lib_string";
    std::string_view text = TextOf(path);
    if (text.size() >= 2 && (text.front() == '<' || text.front() == '"')) text = text.substr(1, text.size() - 2);
    fact.module = text;
    fact.bound = text;
  }

  void Macro() {
    CountRow();
    NamedFact& fact = facts_.macros.emplace_back();
    fact.span = SpanOf(Current());
    fact.place = place_;
    const TSNode name = ts_node_child_by_field_name(Current(), "name", 4);
    const TSNode value = ts_node_child_by_field_name(Current(), "value", 5);
    if (!ts_node_is_null(name)) fact.name = TextOf(name);
    if (!ts_node_is_null(value)) fact.body = TextOf(value);
  }

  // The text of a declared type: as it stands, unless other declarators stand in between.
  std::string_view TypeText(const CppType& type) {
    const std::string_view specifiers = facts_.Text(type.specifiers);
    std::string_view declarator = facts_.Text(type.declarator);
    declarator = declarator.substr(0, declarator.find_last_not_of(" \t\r\n") + 1);
    if (declarator.empty()) return specifiers;
    const std::string_view between = facts_.Text({type.specifiers.end, type.declarator.begin});
    if (between.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      return facts_.Text({type.specifiers.begin, type.declarator.begin + static_cast<uint32_t>(declarator.size())});
    }
    return Keep(std::string(specifiers) + " " + std::string(declarator));
  }

  RowIndex Declaration(size_t index, bool nested, bool jumped) {
    const TSNode declaration = Current();
    const RowIndex row = AddStatement(StatementType::kAssign, Current(), index, nested, jumped);
    const RowIndex around = place_.statement;
    place_.statement = row;
    ForEachNamed([&] {
      const std::string_view type = Type();
      if (type == "comment") return Comment();
      if (type == "class_specifier" || type == "struct_specifier" || type == "union_specifier") return Class();
      if (type == "init_declarator") {
        const TSNode declarator = ts_node_child_by_field_name(Current(), "declarator", 10);
        const Declared declared = NameOf(declarator);
        RowIndex assign = kNoRow;
        if (declared.found) {
          assign = AddAssign("plain", "=", declared.name);
          const RowIndex target = AddExpr(ExprType::kName, Slot::kTarget, kNoRow, 0, declared.name);
          ExprFact& fact = At(target);
          fact.name = fact.attr = fact.root = TextOf(declared.name);
          NameAssign(assign, target);
          facts_.assigns[assign].type = TypeText(DeclaredType(declaration, declarator, declared.name));
        }
        ForEachChild([&] {
          if (Field() != "value" || !Named()) return;
          const RowIndex value = Expr(Slot::kValue, kNoRow, 0);
          if (assign != kNoRow) facts_.assigns[assign].value = value;
          facts_.statements[row].value = value;
        });
      } else if (IsExpression(type) && (Field() == "default_value" || Field() == "value")) {
        facts_.statements[row].value = Expr(Slot::kValue, kNoRow, 0);
      }
    });
    place_.statement = around;
    return row;
  }

  void Items(RowIndex row, Slot slot) {
    size_t position = 0;
    ForEachNamed([&] {
      if (Type() == "comment") return Comment();
      if (IsExpression(Type())) {
        Expr(slot, row, position++);
      } else if (Type() == "compound_statement") {
        Block(true);  // of a lambda
      }
    });
    At(row).positional = static_cast<uint16_t>(std::min<size_t>(position, UINT16_MAX));
  }

  RowIndex Expr(Slot slot, RowIndex parent, size_t index) {
    const TSNode node = Current();
    const std::string_view type = Type();
    if (type == "comment") {
      Comment();
      return kNoRow;
    }
    if (type == "parenthesized_expression") {
      RowIndex inner = kNoRow;
      ForEachNamed([&] {
        const RowIndex row = Expr(slot, parent, index);
        if (row != kNoRow) inner = row;
      });
      return inner;
    }
    const RowIndex row = AddExpr(TypeOf(type), slot, parent, index, node);
    if (type == "identifier" || type == "this" || type == "primitive_type" || type == "argument_list") {
      if (type == "argument_list") {
        Items(row, Slot::kArgument);
      } else {
        ExprFact& fact = At(row);
        fact.name = fact.attr = fact.root = TextOf(node);
      }
    } else if (type == "qualified_identifier" || type == "template_function") {
      const std::string_view text = TextOf(node);
      ExprFact& fact = At(row);
      // Template arguments are not part of a name.
      fact.name = text.substr(0, text.find('<'));
      const size_t last = fact.name.rfind("::");
      fact.attr = last == std::string_view::npos ? fact.name : fact.name.substr(last + 2);
      fact.root = fact.name.substr(0, fact.name.find("::"));
    } else if (type == "field_expression") {
      std::string_view op = ".";
      ForEachChild([&] {
        if (Field() == "argument") {
          At(row).base = Expr(Slot::kBase, row, 0);
        } else if (Field() == "operator") {
          op = TextOf(Current());
        } else if (Field() == "field") {
          std::string_view name = TextOf(Current());
          At(row).attr = name.substr(0, name.find('<'));
        }
      });
      At(row).op = op;
      NameAttribute(row, op);
    } else if (type == "call_expression") {
      size_t positional = 0;
      ForEachNamed([&] {
        if (Field() == "function") {
          At(row).base = Expr(Slot::kCallee, row, 0);
        } else if (Field() == "arguments") {
          ForEachNamed([&] {
            if (Type() == "comment") return Comment();
            Expr(Slot::kArgument, row, positional++);
          });
        } else if (Type() == "kernel_call_syntax") {
          At(row).launch = true;
          size_t position = 0;
          ForEachChild([&] {
            if (Named() && Type() != "comment") Expr(Slot::kItem, row, position++);
          });
        }
      });
      TakeNames(row);
      At(row).positional = static_cast<uint16_t>(std::min<size_t>(positional, UINT16_MAX));
    } else if (type == "subscript_expression") {
      size_t position = 0;
      ForEachNamed([&] {
        if (Field() == "argument") {
          At(row).base = Expr(Slot::kBase, row, 0);
        } else {
          ForEachChild([&] {
            if (Named()) Expr(Slot::kIndex, row, position++);
          });
        }
      });
      At(row).positional = static_cast<uint16_t>(position);
      TakeNames(row);
    } else if (type == "string_literal" || type == "raw_string_literal" || type == "char_literal") {
      std::string_view text = TextOf(node);
      const size_t first = text.find_first_of("\"'");
      if (first != std::string_view::npos && text.size() >= first + 2)
        text = text.substr(first + 1, text.size() - first - 2);
      At(row).value = text;
    } else if (type == "number_literal" || type == "true" || type == "false" || type == "null") {
      At(row).value = TextOf(node);
    } else if (type == "assignment_expression") {
      RowIndex assign = kNoRow;
      std::string_view op = "=";
      const TSNode operator_node = ts_node_child_by_field_name(node, "operator", 8);
      if (!ts_node_is_null(operator_node)) op = TextOf(operator_node);
      At(row).op = op;
      ForEachNamed([&] {
        if (Field() == "left") {
          assign = AddAssign(op == "=" ? "plain" : "augmented", op, Current());
          NameAssign(assign, Expr(Slot::kTarget, row, 0));
        } else if (Field() == "right") {
          const RowIndex value = Expr(Slot::kValue, row, 0);
          if (assign != kNoRow) facts_.assigns[assign].value = value;
        }
      });
    } else if (type == "binary_expression" || type == "unary_expression" || type == "update_expression" ||
               type == "pointer_expression") {
      const bool binary = type == "binary_expression";
      size_t position = 0;
      ForEachChild([&] {
        if (Field() == "operator") {
          At(row).op = TextOf(Current());
          return;
        }
        if (!Named()) return;
        if (Type() == "comment") return Comment();
        Expr(!binary ? Slot::kOperand : position == 0 ? Slot::kLeft : Slot::kRight, row, position);
        ++position;
      });
      At(row).positional = static_cast<uint16_t>(position);
      const std::string_view op = At(row).op;
      if (op == "&&" || op == "||") CountBranch();
    } else if (type == "comma_expression") {
      At(row).op = ",";
      size_t position = 0;
      ForEachNamed([&] {
        if (Type() == "comment") return Comment();
        Expr(position == 0 ? Slot::kLeft : Slot::kRight, row, position);
        ++position;
      });
      At(row).positional = static_cast<uint16_t>(position);
    } else if (type == "cast_expression") {
      At(row).op = "cast";
      ForEachNamed([&] {
        if (Type() == "comment") return Comment();
        if (Field() == "value") Expr(Slot::kOperand, row, 0);
      });
      At(row).positional = 1;
    } else {
      if (type == "conditional_expression") CountBranch();
      Items(row, Slot::kItem);
    }
    CloseExpr(row);
    return row;
  }
};

}  // namespace

void ReadCpp(TSNode root, FileFacts& facts) { CppReader(root, facts).Read(); }

}  // namespace yardmaster::rules
