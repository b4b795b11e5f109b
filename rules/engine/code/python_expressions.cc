// Expressions.
#include <algorithm>
#include <string>
#include <utility>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

void PythonReader::Items(RowIndex row, Slot slot) {
  size_t position = 0;
  ForEachChild([&] {
    const TSNode node = Current();
    if (!ts_node_is_named(node)) return;
    if (KindOf(node) == kComment) return Comment();
    Expr(slot, row, position++);
  });
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

ExprType PythonReader::TypeOf(Kind kind) {
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

}  // namespace yardmaster::rules
