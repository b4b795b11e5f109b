// Calls and their arguments.
#include <algorithm>
#include <string_view>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

void PythonReader::Call(RowIndex row) {
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

}  // namespace yardmaster::rules
