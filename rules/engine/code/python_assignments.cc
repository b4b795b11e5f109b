// What is assigned to what.
#include <string_view>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

RowIndex PythonReader::Assignment(Kind kind) {
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

void PythonReader::Target(std::string_view form, std::string_view op, bool in_tuple) {
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

}  // namespace yardmaster::rules
