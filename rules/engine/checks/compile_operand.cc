// Values.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/compiler.h"
#include "rules/engine/checks/operands.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

using nlohmann::json;

std::unique_ptr<Operand> CheckCompiler::CompileOperand(const json& value, const std::string& pointer, NameScope& scope,
                                                       StaticType* type) {
  if (value.is_boolean()) return std::make_unique<ConstantOperand>(value.get<bool>());
  if (value.is_number()) return std::make_unique<ConstantOperand>(value.get<double>());
  if (value.is_string()) {
    auto text = CompileTemplate(value.get<std::string>(), pointer, scope);
    if (!text) return nullptr;
    if (text->constant()) {
      return std::make_unique<ConstantOperand>(text->parts.empty() ? std::string() : text->parts[0].text);
    }
    return std::make_unique<TemplateOperand>(std::move(*text));
  }
  if (value.is_array()) {
    std::vector<std::unique_ptr<Operand>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileOperand(value[i], PointerJoin(pointer, i), scope);
      if (part == nullptr) return nullptr;
      parts.push_back(std::move(part));
    }
    return std::make_unique<ArrayOperand>(std::move(parts));
  }
  const auto has = [&](const char* key) { return value.is_object() && value.contains(key); };
  const auto field_of = [&](NameScope& inner) -> std::optional<Path> {
    StaticType ignored;
    if (!has("field") || !value["field"].is_string()) {
      Add(pointer, "missing key \"field\"; expected the path of what is taken of each row");
      return std::nullopt;
    }
    return CompilePath(value["field"].get<std::string>(), PointerJoin(pointer, "field"), inner, ignored);
  };
  // A query, and a scope in which its rows stand.
  const auto query_of = [&](const char* key, NameScope& inner) {
    auto query = CompileQuery(value[key], PointerJoin(pointer, key), scope);
    if (query != nullptr) {
      inner = scope;
      const FactTable table = query->list != nullptr ? FactTable::kValue : query->kinds.front().kind.table;
      inner.rows.push_back({"", table});
    }
    return query;
  };
  for (const char* key : {"list", "max", "min", "sum"}) {
    if (!has(key)) continue;
    NameScope inner;
    auto query = query_of(key, inner);
    if (query == nullptr) return nullptr;
    auto field = field_of(inner);
    if (!field) return nullptr;
    const std::string_view name = key;
    if (name == "list") return std::make_unique<ListOperand>(std::move(query), std::move(*field));
    const auto what = name == "max"   ? FoldOperand::What::kMax
                      : name == "min" ? FoldOperand::What::kMin
                                      : FoldOperand::What::kSum;
    return std::make_unique<FoldOperand>(what, std::move(query), std::move(*field));
  }
  if (has("count")) {
    NameScope inner;
    auto query = query_of("count", inner);
    if (query == nullptr) return nullptr;
    std::optional<Path> distinct;
    if (has("distinct")) {
      StaticType ignored;
      if (!value["distinct"].is_string()) {
        Add(PointerJoin(pointer, "distinct"), "expected a path");
        return nullptr;
      }
      distinct = CompilePath(value["distinct"].get<std::string>(), PointerJoin(pointer, "distinct"), inner, ignored);
      if (!distinct) return nullptr;
    }
    return std::make_unique<CountOperand>(std::move(query), std::move(distinct));
  }
  if (has("field")) {
    if (!value["field"].is_string()) {
      Add(PointerJoin(pointer, "field"), "expected a path");
      return nullptr;
    }
    StaticType found;
    auto path = CompilePath(value["field"].get<std::string>(), PointerJoin(pointer, "field"), scope, found);
    if (!path) return nullptr;
    if (type != nullptr) *type = found;
    return std::make_unique<PathOperand>(std::move(*path));
  }
  for (const char* key : {"times", "plus", "minus"}) {
    if (!has(key)) continue;
    const json& parts = value[key];
    if (!parts.is_array() || parts.size() != 2) {
      Add(PointerJoin(pointer, key), "expected a list of two values");
      return nullptr;
    }
    auto left = CompileOperand(parts[0], PointerJoin(PointerJoin(pointer, key), size_t{0}), scope);
    auto right = CompileOperand(parts[1], PointerJoin(PointerJoin(pointer, key), size_t{1}), scope);
    if (left == nullptr || right == nullptr) return nullptr;
    const char op = key[0] == 't' ? '*' : key[0] == 'p' ? '+' : '-';
    return std::make_unique<ArithmeticOperand>(op, std::move(left), std::move(right));
  }
  if (has("re") && has("in")) {
    auto pattern = CompilePattern(value["re"], PointerJoin(pointer, "re"));
    auto in = CompileOperand(value["in"], PointerJoin(pointer, "in"), scope);
    if (pattern == nullptr || in == nullptr) return nullptr;
    return std::make_unique<ExtractOperand>(std::move(pattern), std::move(in));
  }
  if (has("map") && has("key")) {
    const auto map = value["map"].is_string() ? set_.maps.find(value["map"].get<std::string>()) : set_.maps.end();
    if (map == set_.maps.end()) {
      Add(PointerJoin(pointer, "map"), "expected the name of a map");
      return nullptr;
    }
    auto key = CompileOperand(value["key"], PointerJoin(pointer, "key"), scope);
    return key == nullptr ? nullptr : std::make_unique<MapOperand>(map->second, std::move(key));
  }
  Add(pointer,
      "expected a value: a text, number or boolean, or an object with \"field\", \"count\", \"list\", \"max\", "
      "\"min\", "
      "\"sum\", \"times\", \"plus\", \"minus\", \"re\" and \"in\", or \"map\" and \"key\"");
  return nullptr;
}

std::unique_ptr<Operand> CheckCompiler::CompileList(const json& value, const std::string& pointer, NameScope& scope) {
  if (!value.is_string()) return CompileOperand(value, pointer, scope);
  const auto list = set_.lists.find(value.get<std::string>());
  if (list != set_.lists.end()) return std::make_unique<NamedListOperand>(list->second);
  Add(pointer, "unknown list " + Quoted(value.get<std::string>()));
  return nullptr;
}

}  // namespace yardmaster::rules
