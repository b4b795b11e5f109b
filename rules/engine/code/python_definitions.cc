// Functions and classes.
#include <algorithm>
#include <string_view>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

RowIndex PythonReader::Decorated(size_t index, bool nested, bool jumped) {
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

void PythonReader::Function(RowIndex function) {
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
    } else if (field == g_.type_parameters) {
      facts_.functions[function].type_parameters = true;
    } else if (field == g_.return_type) {
      facts_.functions[function].returns = Expr(Slot::kReturns, kNoRow, 0);
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

bool PythonReader::DocOf(const BlockResult& block, std::string_view& doc) const {
  if (block.first == kNoRow) return false;
  const StatementFact& first = facts_.statements[block.first];
  if (first.type != StatementType::kExpression || first.value == kNoRow) return false;
  if (facts_.exprs[first.value].type != ExprType::kString) return false;
  doc = facts_.exprs[first.value].value;
  return true;
}

void PythonReader::Parameters(RowIndex function) {
  bool keyword_only = false;
  size_t unmarked = facts_.parameters.size();
  // What it says about itself: `x`, `*x` or `**x`, at `part` of the parameter.
  const auto add = [&](TSNode node, TSNode part) {
    const Kind kind = KindOf(part);
    const ParameterForm form = kind == kListSplatPattern         ? ParameterForm::kArgs
                               : kind == kDictionarySplatPattern ? ParameterForm::kKwargs
                               : keyword_only                    ? ParameterForm::kKeywordOnly
                                                                 : ParameterForm::kPositional;
    const RowIndex row = AddParameter(function, node, form);
    std::string_view name = TextOf(part);
    name.remove_prefix(std::min(name.size(), form == ParameterForm::kArgs     ? size_t{1}
                                             : form == ParameterForm::kKwargs ? size_t{2}
                                                                              : size_t{0}));
    facts_.parameters[row].name = name;
    keyword_only |= form == ParameterForm::kArgs;
    return row;
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
      add(node, node);
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
          row = add(node, part);
        }
      });
    }
  });
}

void PythonReader::Class(RowIndex cls) {
  const Place around = place_;
  const Level level = level_;
  ForEachChild([&] {
    const TSNode node = Current();
    const TSFieldId field = CurrentField();
    if (field == g_.name) {
      NameClass(cls, node, ".");
    } else if (field == g_.type_parameters) {
      facts_.classes[cls].type_parameters = true;
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

}  // namespace yardmaster::rules
