// Conditions.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/compiler.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

constexpr std::string_view kConditions[] = {"all",   "any",  "not",     "is",     "exists", "absent",
                                            "count", "test", "profile", "moment", "stage",  "option"};

// What is tried first: less than 0 asks for no row at all.
constexpr int kRunCost = -1;
constexpr int kPatternCost = 1;
constexpr int kDefinitionCost = 2;
constexpr int kValueCost = 3;
constexpr int kQueryCost = 5;
constexpr int kCountCost = 6;

int HighestCost(const std::vector<Clause>& parts) {
  int cost = 0;
  for (const Clause& part : parts) cost = std::max(cost, part.cost);
  return cost;
}

Clause AllOf(std::vector<Clause> parts) {
  absl::c_stable_sort(parts, [](const Clause& a, const Clause& b) { return a.cost < b.cost; });
  const int cost = HighestCost(parts);
  return {[parts = std::move(parts)](Run& run, Frame& frame) {
            return absl::c_all_of(parts, [&](const Clause& part) { return part.holds(run, frame); });
          },
          cost};
}

Clause AnyOf(std::vector<Clause> parts) {
  const int cost = HighestCost(parts);
  return {[parts = std::move(parts)](Run& run, Frame& frame) {
            return absl::c_any_of(parts, [&](const Clause& part) { return part.holds(run, frame); });
          },
          cost};
}

Clause FieldMatches(Path path, ValueMatcher matcher, int cost = 0) {
  return {[path = std::move(path), matcher = std::move(matcher)](Run& run, Frame& frame) {
            return matcher(run, frame, path.Get(run, frame));
          },
          cost};
}

}  // namespace

Clause CheckCompiler::CompileKey(const std::string& key, const JsonPlace& at, const NameScope& scope) {
  const json& value = *at.value;
  NoteKey("condition", kConditions, key);
  // A single condition needs no list.
  if (key == "all" && value.is_object()) return CompileClause(at, scope);
  if (key == "all" || key == "any") {
    if (!value.is_array() || value.empty()) return Fail<Clause>(at.pointer, "expected a list of conditions");
    auto parts = CompileEach<Clause>(at, [&](const JsonPlace& part) { return CompileClause(part, scope); });
    if (!parts) return {};
    return key == "all" ? AllOf(*std::move(parts)) : AnyOf(*std::move(parts));
  }
  if (key == "not") {
    Clause inner = CompileClause(at, scope);
    if (!inner) return {};
    const int cost = inner.cost;
    // Once the time is over nothing holds, so that no finding comes of it.
    return {[inner = std::move(inner)](Run& run, Frame& frame) { return !inner.holds(run, frame) && !run.expired(); },
            cost};
  }
  if (key == "is") {
    std::vector<size_t> definitions = CompileDefinitions(at, scope.rows.back().table);
    if (definitions.empty()) return {};
    return {[slot = scope.rows.size() - 1, definitions = std::move(definitions)](Run& run, Frame& frame) {
              const RowRef row = frame.rows[slot];
              return absl::c_all_of(definitions, [&](size_t one) { return run.Is(one, row); });
            },
            kDefinitionCost};
  }
  if (key == "exists" || key == "absent") {
    std::optional<Query> query = CompileQuery(at, scope);
    if (!query) return {};
    return {[query = *std::move(query), exists = key == "exists"](Run& run, Frame& frame) {
              bool found = false;
              query.ForEach(run, frame, [&](RowRef) {
                found = true;
                return false;
              });
              return found == exists && !run.expired();
            },
            kQueryCost};
  }
  if (key == "count") return CompileCount(at, scope);
  if (key == "test") {
    if (!value.is_object() || !value.contains("value") || !value.contains("match") || value.size() != 2) {
      return Fail<Clause>(at.pointer, "expected an object with \"value\" and \"match\"");
    }
    StaticType type;
    Operand operand = CompileOperand(at.At("value"), scope, &type);
    ValueMatcher matcher = CompileMatcher(at.At("match"), scope, type);
    if (!operand || !matcher) return {};
    return {[operand = std::move(operand), matcher = std::move(matcher)](Run& run, Frame& frame) {
              return matcher(run, frame, operand(run, frame));
            },
            kValueCost};
  }
  if (key == "profile" || key == "moment" || key == "stage") return CompileNamed(key, at);
  if (key == "option") {
    if (!value.is_object() || value.empty()) {
      return Fail<Clause>(at.pointer, "expected an object: name of the option and what it must be");
    }
    std::vector<Clause> parts;
    for (const auto& [name, part] : value.items()) {
      Path path;
      path.start = Path::Start::kOption;
      path.name = name;
      ValueMatcher matcher = CompileMatcher(at.At(name), scope, {true, FieldType::kText, {}});
      if (!matcher) return {};
      parts.push_back(FieldMatches(std::move(path), std::move(matcher)));
    }
    return AllOf(std::move(parts));
  }
  StaticType type;
  std::optional<Path> path = CompilePathText(key, at.pointer, scope, type);
  if (!path) return {};
  ValueMatcher matcher = CompileMatcher(at, scope, type);
  if (!matcher) return {};
  // Literals before patterns and references.
  const bool plain = value.is_string() || value.is_array() || value.is_boolean() || value.is_number();
  return FieldMatches(*std::move(path), std::move(matcher), plain ? 0 : kPatternCost);
}

Clause CheckCompiler::CompileCount(const JsonPlace& at, const NameScope& scope) {
  static constexpr std::string_view kBounds[] = {"at_least", "at_most", "equals", "above", "below"};
  std::optional<Query> query = CompileQuery(at, scope, {"at_least", "at_most", "equals", "above", "below", "distinct"});
  if (!query) return {};
  std::vector<ValueMatcher> bounds;
  for (const std::string_view name : kBounds) {
    if (!at.value->contains(name)) continue;
    ValueMatcher bound = CompileMatcherKey(std::string(name), at, scope, {});
    if (!bound) return {};
    bounds.push_back(std::move(bound));
  }
  if (bounds.empty()) {
    return Fail<Clause>(at.pointer, "expected a bound: at_least, at_most, equals, above or below");
  }
  Operand count = CompileCountOperand(*std::move(query), at, scope);
  if (!count) return {};
  return {[count = std::move(count), bounds = std::move(bounds)](Run& run, Frame& frame) {
            const Value rows = count(run, frame);
            return !run.expired() &&
                   absl::c_all_of(bounds, [&](const ValueMatcher& bound) { return bound(run, frame, rows); });
          },
          kCountCost};
}

// What the run was asked for.
Clause CheckCompiler::CompileNamed(const std::string& key, const JsonPlace& at) {
  if (key == "stage") {
    const json parts = at.value->is_array() ? *at.value : json::array({*at.value});
    if (parts.empty() || !absl::c_all_of(parts, [](const json& part) { return part.is_number_integer(); })) {
      return Fail<Clause>(at.pointer, "expected a number or a list of numbers");
    }
    return {[stages = parts.get<std::vector<int>>()](Run& run, Frame&) {
              return run.stage && absl::c_linear_search(stages, *run.stage);
            },
            kRunCost};
  }
  const bool profile = key == "profile";
  std::vector<std::string> names = Names(*at.value);
  if (names.empty()) Add(at.pointer, "expected a name or a list of names");
  for (const std::string& name : names) {
    if (!(profile ? HasId(set_.profiles, name) : HasId(set_.moment_infos, name))) {
      Add(at.pointer, "unknown " + key + " " + Quoted(name));
    }
  }
  return {[profile, names = std::move(names)](Run& run, Frame&) {
            return absl::c_linear_search(names, profile ? run.profile_name : run.moment);
          },
          kRunCost};
}

Clause CheckCompiler::CompileClause(const JsonPlace& at, const NameScope& scope) {
  const json& value = *at.value;
  if (value.is_boolean()) return {[holds = value.get<bool>()](Run&, Frame&) { return holds; }};
  if (!value.is_array() && !value.is_object()) {
    return Fail<Clause>(at.pointer, "expected a condition: true, false, a list of conditions, or an object");
  }
  std::vector<Clause> parts;
  const size_t before = problems_.size();
  if (value.is_array()) {
    if (auto each = CompileEach<Clause>(at, [&](const JsonPlace& part) { return CompileClause(part, scope); })) {
      parts = *std::move(each);
    }
  } else {
    for (const auto& [key, part] : value.items()) {
      if (Clause clause = CompileKey(key, at.At(key), scope)) parts.push_back(std::move(clause));
    }
  }
  if (problems_.size() != before) return {};
  if (parts.size() == 1) return std::move(parts.front());
  return AllOf(std::move(parts));
}

}  // namespace yardmaster::rules
