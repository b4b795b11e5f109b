// Values.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/compiler.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

constexpr std::string_view kValueKeys[] = {"list",  "max",  "min",   "sum", "count",   "field", "distinct",
                                           "times", "plus", "minus", "re",  "matches", "map"};

constexpr std::pair<std::string_view, double (*)(double, double)> kArithmetic[] = {
    {"times", [](double left, double right) { return left * right; }},
    {"plus", [](double left, double right) { return left + right; }},
    {"minus", [](double left, double right) { return left - right; }}};
// What makes one number of many.
constexpr std::pair<std::string_view, double (*)(double, double)> kFolds[] = {
    {"max", [](double left, double right) { return std::max(left, right); }},
    {"min", [](double left, double right) { return std::min(left, right); }},
    {"sum", [](double left, double right) { return left + right; }}};

Operand Constant(std::string text) {
  return [text = std::move(text)](Run&, Frame&) { return Value::Text(text); };
}

Operand Constant(Value value) {
  return [value](Run&, Frame&) { return value; };
}

Operand Expansion(Template text) {
  return [text = std::move(text)](Run& run, Frame& frame) {
    bool missing = false;
    std::string expanded = text.Expand(run, frame, missing);
    return missing ? Value() : Value::Text(run.Keep(std::move(expanded)));
  };
}

// The field of each row, in order.
Operand ListOf(Query query, Path field) {
  return [query = std::move(query), field = std::move(field)](Run& run, Frame& frame) {
    std::vector<Value> values;
    query.ForEach(run, frame, [&](RowRef) {
      values.push_back(field.Get(run, frame));
      return true;
    });
    return Value::List(run.Keep(std::move(values)));
  };
}

// The fields of all rows that are numbers, made one.
Operand Fold(double (*fold)(double, double), Query query, Path field) {
  return [fold, query = std::move(query), field = std::move(field)](Run& run, Frame& frame) {
    std::optional<double> result;
    query.ForEach(run, frame, [&](RowRef) {
      if (const auto number = AsNumber(field.Get(run, frame))) result = result ? fold(*result, *number) : *number;
      return true;
    });
    return result ? Value::Number(*result) : Value();
  };
}

// The first group of the pattern, or the match.
Operand Extract(std::shared_ptr<const RE2> pattern, Operand in) {
  return [pattern = std::move(pattern), in = std::move(in)](Run& run, Frame& frame) {
    const Value value = in(run, frame);
    if (value.kind != Value::Kind::kText) return Value();
    run.Read(value.text);
    re2::StringPiece found[2];
    const int groups = std::min(1, pattern->NumberOfCapturingGroups());
    if (!pattern->Match(value.text, 0, value.text.size(), RE2::UNANCHORED, found, groups + 1)) return Value();
    return PieceValue(found[groups]);
  };
}

// Of every match, from left to right, the first group or the match. Empty matches are left out, and those that the
// group has no part in.
Operand ExtractAll(std::shared_ptr<const RE2> pattern, Operand in) {
  return [pattern = std::move(pattern), in = std::move(in)](Run& run, Frame& frame) {
    const Value value = in(run, frame);
    if (value.kind != Value::Kind::kText) return Value();
    run.Read(value.text);
    const int groups = std::min(1, pattern->NumberOfCapturingGroups());
    std::vector<Value> found;
    re2::StringPiece match[2];
    size_t from = 0;
    while (pattern->Match(value.text, from, value.text.size(), RE2::UNANCHORED, match, groups + 1)) {
      const size_t end = static_cast<size_t>(match[0].data() - value.text.data()) + match[0].size();
      if (match[0].empty()) {
        from = end + 1;
        if (from > value.text.size()) break;
        continue;
      }
      if (match[groups].data() != nullptr) found.push_back(PieceValue(match[groups]));
      from = end;
    }
    return Value::List(run.Keep(std::move(found)));
  };
}

}  // namespace

Operand PathOperand(Path path) {
  return [path = std::move(path)](Run& run, Frame& frame) { return path.Get(run, frame); };
}

Value PieceValue(const re2::StringPiece& piece) {
  return piece.data() == nullptr ? Value() : Value::Text({piece.data(), piece.size()});
}

Operand CheckCompiler::CompileOperand(const JsonPlace& at, const NameScope& scope, StaticType* type) {
  const json& value = *at.value;
  if (value.is_boolean()) return Constant(Value::Bool(value.get<bool>()));
  if (value.is_number()) return Constant(Value::Number(value.get<double>()));
  if (value.is_string()) {
    std::optional<Template> text = CompileTemplate(at, scope);
    if (!text) return nullptr;
    if (!text->constant()) return Expansion(*std::move(text));
    return Constant(text->parts.empty() ? std::string() : std::move(text->parts[0].text));
  }
  if (value.is_array()) {
    auto parts = CompileEach<Operand>(at, [&](const JsonPlace& part) { return CompileOperand(part, scope); });
    if (!parts) return nullptr;
    return [parts = *std::move(parts)](Run& run, Frame& frame) {
      std::vector<Value> values;
      values.reserve(parts.size());
      for (const Operand& part : parts) values.push_back(part(run, frame));
      return Value::List(run.Keep(std::move(values)));
    };
  }
  const auto has = [&](std::string_view key) { return value.is_object() && value.contains(key); };
  for (const std::string_view key : kValueKeys) {
    if (has(key)) use_.functions.emplace("value", key);
  }
  for (const char* key : {"list", "max", "min", "sum", "count"}) {
    if (has(key)) return CompileQueryOperand(key, at, scope);
  }
  if (has("field")) {
    std::optional<Path> path = CompilePath(at.At("field"), scope, type);
    return path ? PathOperand(*std::move(path)) : nullptr;
  }
  for (const auto& [key, compute] : kArithmetic) {
    if (!has(key)) continue;
    const JsonPlace parts = at.At(key);
    if (!parts.value->is_array() || parts.value->size() != 2) {
      return Fail<Operand>(parts.pointer, "expected a list of two values");
    }
    auto sides = CompileEach<Operand>(parts, [&](const JsonPlace& part) { return CompileOperand(part, scope); });
    if (!sides) return nullptr;
    return [compute = compute, sides = *std::move(sides)](Run& run, Frame& frame) {
      const auto left = AsNumber(sides[0](run, frame));
      const auto right = AsNumber(sides[1](run, frame));
      return left && right ? Value::Number(compute(*left, *right)) : Value();
    };
  }
  if (has("re") && has("in")) {
    std::shared_ptr<const RE2> pattern = CompilePattern(at.At("re"));
    Operand in = CompileOperand(at.At("in"), scope);
    return pattern != nullptr && in ? Extract(std::move(pattern), std::move(in)) : nullptr;
  }
  if (has("matches") && has("in")) {
    std::shared_ptr<const RE2> pattern = CompilePattern(at.At("matches"));
    Operand in = CompileOperand(at.At("in"), scope);
    return pattern != nullptr && in ? ExtractAll(std::move(pattern), std::move(in)) : nullptr;
  }
  if (has("map") && has("key")) {
    const auto map = value["map"].is_string() ? set_.maps.find(value["map"].get<std::string>()) : set_.maps.end();
    if (map == set_.maps.end()) return Fail<Operand>(at.At("map").pointer, "expected the name of a map");
    Operand key = CompileOperand(at.At("key"), scope);
    if (!key) return nullptr;
    return [map = &map->second, key = std::move(key)](Run& run, Frame& frame) {
      const Value from = key(run, frame);
      const auto to = from.kind == Value::Kind::kText ? map->find(std::string(from.text)) : map->end();
      return to == map->end() ? Value() : Value::Text(to->second);
    };
  }
  return Fail<Operand>(
      at.pointer,
      "expected a value: a text, number or boolean, or an object with \"field\", \"count\", \"list\", \"max\", "
      "\"min\", \"sum\", \"times\", \"plus\", \"minus\", \"re\" or \"matches\" and \"in\", or \"map\" and \"key\"");
}

// A query under `key`, and what is made of its rows.
Operand CheckCompiler::CompileQueryOperand(const std::string& key, const JsonPlace& around, const NameScope& scope) {
  std::optional<Query> query = CompileQuery(around.At(key), scope);
  if (!query) return nullptr;
  if (key == "count") return CompileCountOperand(*std::move(query), around, scope);
  if (!around.value->contains("field") || !around.value->at("field").is_string()) {
    return Fail<Operand>(around.pointer, "missing key \"field\"; expected the path of what is taken of each row");
  }
  std::optional<Path> field = CompilePath(around.At("field"), scope.With({"", query->table()}));
  if (!field) return nullptr;
  for (const auto& [name, fold] : kFolds) {
    if (name == key) return Fold(fold, *std::move(query), *std::move(field));
  }
  return ListOf(*std::move(query), *std::move(field));
}

// How many rows a query has, or how many different values.
Operand CheckCompiler::CompileCountOperand(Query query, const JsonPlace& around, const NameScope& scope) {
  if (!around.value->contains("distinct")) {
    return [query = std::move(query)](Run& run, Frame& frame) {
      size_t count = 0;
      query.ForEach(run, frame, [&](RowRef) {
        ++count;
        return true;
      });
      return Value::Number(static_cast<double>(count));
    };
  }
  std::optional<Path> distinct = CompilePath(around.At("distinct"), scope.With({"", query.table()}));
  if (!distinct) return nullptr;
  return [query = std::move(query), distinct = *std::move(distinct)](Run& run, Frame& frame) {
    std::set<std::string, std::less<>> seen;
    query.ForEach(run, frame, [&](RowRef) {
      const Value value = distinct.Get(run, frame);
      if (value.kind == Value::Kind::kText) seen.emplace(value.text);
      if (value.kind == Value::Kind::kNumber) seen.insert(std::to_string(value.number));
      return true;
    });
    return Value::Number(static_cast<double>(seen.size()));
  };
}

Operand CheckCompiler::CompileList(const JsonPlace& at, const NameScope& scope) {
  if (!at.value->is_string()) return CompileOperand(at, scope);
  const auto list = set_.lists.find(at.value->get<std::string>());
  if (list == set_.lists.end()) {
    return Fail<Operand>(at.pointer, "unknown list " + Quoted(at.value->get<std::string>()));
  }
  std::vector<Value> values;
  for (const std::string& text : list->second) values.push_back(Value::Text(text));
  return [values = std::move(values)](Run&, Frame&) { return Value::List(&values); };
}

}  // namespace yardmaster::rules
