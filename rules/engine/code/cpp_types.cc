#include "rules/engine/code/cpp_types.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace yardmaster::rules {
namespace {

constexpr uint32_t kMaxSpecifiers = 32;

std::string_view TypeName(TSNode node) { return ts_node_type(node); }

// Of a function "auto f() -> T".
std::optional<ByteSpan> TrailingType(TSNode declarator) {
  if (ts_node_is_null(declarator) || TypeName(declarator) != "function_declarator") return std::nullopt;
  const uint32_t children = ts_node_named_child_count(declarator);
  if (children == 0) return std::nullopt;
  const TSNode last = ts_node_named_child(declarator, children - 1);
  if (TypeName(last) != "trailing_return_type" || ts_node_named_child_count(last) == 0) return std::nullopt;
  return ByteSpan{ts_node_start_byte(ts_node_named_child(last, 0)), ts_node_end_byte(last)};
}

}  // namespace

CppType DeclaredType(TSNode declaration, TSNode declarator, TSNode name) {
  if (const auto trailing = TrailingType(declarator)) return {*trailing, {}};
  CppType out;
  const TSNode type = ts_node_child_by_field_name(declaration, "type", 4);
  if (ts_node_is_null(type)) return out;
  out.specifiers = {ts_node_start_byte(type), ts_node_end_byte(type)};
  const uint32_t stop = ts_node_is_null(declarator) ? ts_node_end_byte(declaration) : ts_node_start_byte(declarator);
  for (uint32_t i = 0; i < kMaxSpecifiers && i < ts_node_named_child_count(declaration); ++i) {
    const TSNode child = ts_node_named_child(declaration, i);
    if (ts_node_start_byte(child) >= stop) break;
    if (TypeName(child) != "type_qualifier") continue;
    out.specifiers.begin = std::min(out.specifiers.begin, ts_node_start_byte(child));
    out.specifiers.end = std::max(out.specifiers.end, ts_node_end_byte(child));
  }
  if (ts_node_is_null(declarator)) return out;
  const uint32_t end = ts_node_is_null(name) ? ts_node_end_byte(declarator) : ts_node_start_byte(name);
  out.declarator = {ts_node_start_byte(declarator), std::max(end, ts_node_start_byte(declarator))};
  return out;
}

}  // namespace yardmaster::rules
