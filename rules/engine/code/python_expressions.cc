// Expressions.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

void PythonReader::Items(RowIndex row, Slot slot) {
  size_t position = 0;
  ForEachNamed([&](Kind) { Expr(slot, row, position++); });
  At(row).positional = static_cast<uint16_t>(std::min<size_t>(position, UINT16_MAX));
}

RowIndex PythonReader::Expr(Slot slot, RowIndex parent, size_t index) {
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
  const RowIndex row = AddExpr(ExprTypeOf(kind), slot, parent, index, node);
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
          At(row).base = Expr(Slot::kBase, row, 0);
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
          At(row).base = Expr(Slot::kBase, row, 0);
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
          At(row).base = Expr(Slot::kBase, row, 0);
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

void PythonReader::Operator(Kind kind, RowIndex row) {
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

void PythonReader::Comprehension(RowIndex row) {
  ForEachNamed([&](Kind kind) {
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

// ---- calls and their arguments

void PythonReader::Call(RowIndex row) {
  size_t position = 0;
  size_t positional = 0;
  ForEachChild([&] {
    const TSFieldId field = CurrentField();
    if (field == g_.function) {
      At(row).base = Expr(Slot::kCallee, row, 0);
    } else if (field == g_.arguments && KindOf(Current()) == kGenerator) {
      Expr(Slot::kArgument, row, 0);
      positional = 1;
    } else if (field == g_.arguments) {
      ForEachNamed([&](Kind kind) {
        if (kind == kKeywordArgument) return Keyword(row, position++);
        if (kind != kDictionarySplat) ++positional;
        Expr(Slot::kArgument, row, position++);
      });
    }
  });
  TakeNames(row);
  At(row).positional = static_cast<uint16_t>(std::min<size_t>(positional, UINT16_MAX));
}

void PythonReader::Keyword(RowIndex parent, size_t index) {
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

// ---- texts and dictionaries

void PythonReader::String(RowIndex row) {
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
        if (ts_node_is_named(Current()) && IsPythonExpression(KindOf(Current()))) Expr(Slot::kItem, row, position++);
      });
    }
  });
  At(row).value = facts_.Text({begin, std::max(begin, end)});
}

void PythonReader::Dictionary(RowIndex row) {
  size_t position = 0;
  ForEachNamed([&](Kind kind) {
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

}  // namespace yardmaster::rules
