// Statements that hold blocks: if, loops, try, with.
#include <string_view>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

Guard PythonReader::Stronger(Guard guard) const {
  return place_.guard == Guard::kMain || place_.guard == Guard::kTypeChecking ? place_.guard : guard;
}

RowIndex PythonReader::If(size_t index, bool nested, bool jumped) {
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
          Blocks();
        }
      } else if (KindOf(node) == kComment) {
        Comment();
      }
    });
  });
  place_.guard = around;
  return row;
}

RowIndex PythonReader::Loop(Kind kind, size_t index, bool nested, bool jumped) {
  const RowIndex row = Open(StatementType::kLoop, index, nested, jumped);
  const RowIndex loop = AddLoop(kind == kForNode ? "for" : "while");
  const RowIndex around = place_.loop;
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
        Blocks();
      } else if (KindOf(node) == kComment) {
        Comment();
      } else if (!ts_node_is_named(node) && TextOf(node) == "async") {
        facts_.loops[loop].form = "async_for";
      }
    });
  });
  return row;
}

RowIndex PythonReader::Try(size_t index, bool nested, bool jumped) {
  const RowIndex row = Open(StatementType::kTry, index, nested, jumped);
  const Guard around = place_.guard;
  Within(row, [&] {
    place_.guard = Stronger(Guard::kTry);
    bool handled = depth_ >= kMaxNesting || full_;
    const ByteSpan head = {ts_node_start_byte(Current()), ts_node_start_byte(Current()) + 3};
    ForEachChild([&] {
      const TSNode node = Current();
      const Kind kind = KindOf(node);
      handled |= kind == kExceptNode || kind == kFinally;
      if (kind == kBlock) {
        Block(true);
      } else if (kind == kExceptNode) {
        Except();
      } else if (kind == kElse || kind == kFinally) {
        Blocks();
      } else if (kind == kComment) {
        Comment();
      }
    });
    if (!handled && !full_) Refuse(head, "expected 'except' or 'finally' block");
  });
  place_.guard = around;
  return row;
}

void PythonReader::Except() {
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
      } else if (IsPythonExpression(kind)) {
        facts_.statements[row].bare = false;
        ExceptNames(row);
      } else if (kind == kComment) {
        Comment();
      }
    });
  });
}

void PythonReader::ExceptNames(RowIndex statement) {
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

RowIndex PythonReader::With(size_t index, bool nested, bool jumped) {
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

void PythonReader::WithItem(RowIndex statement) {
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

}  // namespace yardmaster::rules
