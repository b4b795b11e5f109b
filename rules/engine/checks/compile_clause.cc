// Conditions.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/clauses.h"
#include "rules/engine/checks/compile_words.h"
#include "rules/engine/checks/compiler.h"
#include "rules/engine/checks/operands.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

using nlohmann::json;

std::unique_ptr<Clause> CheckCompiler::CompileKey(const std::string& key, const json& value, const std::string& pointer,
                                                  NameScope& scope) {
  // A single condition needs no list.
  if (key == "all" && value.is_object()) return CompileClause(value, pointer, scope);
  if (key == "all" || key == "any") {
    if (!value.is_array() || value.empty()) {
      Add(pointer, "expected a list of conditions");
      return nullptr;
    }
    std::vector<std::unique_ptr<Clause>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileClause(value[i], PointerJoin(pointer, i), scope);
      if (part != nullptr) parts.push_back(std::move(part));
    }
    if (parts.size() != value.size()) return nullptr;
    if (key == "all") return std::make_unique<AllClause>(std::move(parts));
    return std::make_unique<AnyClause>(std::move(parts));
  }
  if (key == "not") {
    auto inner = CompileClause(value, pointer, scope);
    return inner == nullptr ? nullptr : std::make_unique<NotClause>(std::move(inner));
  }
  if (key == "is") {
    auto definitions = CompileDefinitions(value, pointer, scope.rows.back().table);
    if (definitions.empty()) return nullptr;
    return std::make_unique<IsClause>(scope.rows.size() - 1, std::move(definitions));
  }
  if (key == "exists" || key == "absent") {
    auto query = CompileQuery(value, pointer, scope);
    return query == nullptr ? nullptr : std::make_unique<ExistsClause>(std::move(query), key == "exists");
  }
  if (key == "count") {
    static constexpr std::string_view kBounds[] = {"at_least", "at_most", "equals", "above", "below"};
    auto query = CompileQuery(value, pointer, scope, {"at_least", "at_most", "equals", "above", "below", "distinct"});
    if (query == nullptr) return nullptr;
    std::vector<std::unique_ptr<ValueMatcher>> bounds;
    for (const std::string_view name : kBounds) {
      const auto bound = value.find(name);
      if (bound == value.end()) continue;
      auto matcher = CompileMatcherKey(std::string(name), *bound, value, PointerJoin(pointer, name), scope, {});
      if (matcher == nullptr) return nullptr;
      bounds.push_back(std::move(matcher));
    }
    if (bounds.empty()) {
      Add(pointer, "expected a bound: at_least, at_most, equals, above or below");
      return nullptr;
    }
    std::optional<Path> distinct;
    if (const auto path = value.find("distinct"); path != value.end()) {
      NameScope inner = scope;
      inner.rows.push_back({"", query->list != nullptr ? FactTable::kValue : query->kinds.front().kind.table});
      StaticType type;
      const std::string at = PointerJoin(pointer, "distinct");
      if (!path->is_string()) {
        Add(at, "expected a path");
        return nullptr;
      }
      distinct = CompilePath(path->get<std::string>(), at, inner, type);
      if (!distinct) return nullptr;
    }
    return std::make_unique<CountClause>(std::make_unique<CountOperand>(std::move(query), std::move(distinct)),
                                         std::move(bounds));
  }
  if (key == "test") {
    if (!value.is_object() || !value.contains("value") || !value.contains("match") || value.size() != 2) {
      Add(pointer, "expected an object with \"value\" and \"match\"");
      return nullptr;
    }
    StaticType type;
    auto operand = CompileOperand(value["value"], PointerJoin(pointer, "value"), scope, &type);
    auto matcher = CompileMatcher(value["match"], PointerJoin(pointer, "match"), scope, type);
    if (operand == nullptr || matcher == nullptr) return nullptr;
    return std::make_unique<TestClause>(std::move(operand), std::move(matcher));
  }
  if (key == "profile" || key == "moment") {
    const std::vector<std::string> names = Names(value);
    if (names.empty()) Add(pointer, "expected a name or a list of names");
    for (const std::string& name : names) {
      const bool known = key == "profile" ? std::any_of(set_.profiles.begin(), set_.profiles.end(),
                                                        [&](const auto& one) { return one.id == name; })
                                          : std::any_of(set_.moments.begin(), set_.moments.end(),
                                                        [&](const CompiledMoment& one) { return one.info.id == name; });
      if (!known) Add(pointer, "unknown " + key + " " + Quoted(name));
    }
    return std::make_unique<ProfileClause>(
        key == "profile" ? ProfileClause::What::kProfile : ProfileClause::What::kMoment, names);
  }
  if (key == "stage") {
    std::vector<int> stages;
    const json parts = value.is_array() ? value : json::array({value});
    for (const json& part : parts) {
      if (part.is_number_integer()) stages.push_back(part.get<int>());
    }
    if (stages.size() != parts.size() || stages.empty()) Add(pointer, "expected a number or a list of numbers");
    return std::make_unique<StageClause>(std::move(stages));
  }
  if (key == "option") {
    if (!value.is_object() || value.empty()) {
      Add(pointer, "expected an object: name of the option and what it must be");
      return nullptr;
    }
    std::vector<std::unique_ptr<Clause>> parts;
    for (const auto& [name, part] : value.items()) {
      Path path;
      path.start = Path::Start::kOption;
      path.name = name;
      auto matcher = CompileMatcher(part, PointerJoin(pointer, name), scope, {true, FieldType::kText, {}});
      if (matcher == nullptr) return nullptr;
      parts.push_back(std::make_unique<FieldClause>(std::move(path), std::move(matcher)));
    }
    return std::make_unique<AllClause>(std::move(parts));
  }
  StaticType type;
  auto path = CompilePath(key, pointer, scope, type);
  if (!path) return nullptr;
  auto matcher = CompileMatcher(value, pointer, scope, type);
  if (matcher == nullptr) return nullptr;
  const bool plain = value.is_string() || value.is_array() || value.is_boolean() || value.is_number();
  auto clause = std::make_unique<FieldClause>(std::move(*path), std::move(matcher));
  // Literals before patterns and references.
  clause->cost = plain ? 0 : 1;
  return clause;
}

std::unique_ptr<Clause> CheckCompiler::CompileClause(const json& value, const std::string& pointer, NameScope& scope) {
  if (value.is_boolean()) return std::make_unique<ConstantClause>(value.get<bool>());
  std::vector<std::unique_ptr<Clause>> parts;
  const size_t before = problems_.size();
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileClause(value[i], PointerJoin(pointer, i), scope);
      if (part != nullptr) parts.push_back(std::move(part));
    }
  } else if (value.is_object()) {
    for (const auto& [key, part] : value.items()) {
      auto clause = CompileKey(key, part, PointerJoin(pointer, key), scope);
      if (clause != nullptr) parts.push_back(std::move(clause));
    }
  } else {
    Add(pointer, "expected a condition: true, false, a list of conditions, or an object");
  }
  if (problems_.size() != before) return nullptr;
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<AllClause>(std::move(parts));
}

}  // namespace yardmaster::rules
