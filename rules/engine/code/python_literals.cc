// Texts and dictionaries.
#include <algorithm>
#include <string_view>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

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

}  // namespace yardmaster::rules
