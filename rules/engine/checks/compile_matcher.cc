// What a value must be.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/compile_words.h"
#include "rules/engine/checks/compiler.h"
#include "rules/engine/checks/matchers.h"
#include "rules/engine/checks/operands.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

constexpr std::string_view kMatcherKeys[] = {"equals",   "same",    "in",          "re",      "capture", "like",
                                             "prefix",   "suffix",  "contains",    "fold",    "above",   "below",
                                             "at_least", "at_most", "multiple_of", "missing", "size",    "every",
                                             "some",     "is",      "where",       "not",     "any",     "all"};

}  // namespace

std::unique_ptr<ValueMatcher> CheckCompiler::CompileMatcher(const json& value, const std::string& pointer,
                                                            NameScope& scope, const StaticType& type) {
  if (value.is_string() || value.is_number() || value.is_boolean()) {
    auto operand = CompileOperand(value, pointer, scope);
    return operand == nullptr ? nullptr : std::make_unique<EqualsMatcher>(std::move(operand), false);
  }
  if (value.is_array()) {
    // Plain texts are looked up at once.
    const bool plain = std::all_of(value.begin(), value.end(), [](const json& one) {
      return one.is_string() && one.get_ref<const std::string&>().find_first_of("{}") == std::string::npos;
    });
    if (plain) return std::make_unique<TextSetMatcher>(Names(value));
    std::vector<std::unique_ptr<ValueMatcher>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileMatcher(value[i], PointerJoin(pointer, i), scope, type);
      if (part == nullptr) return nullptr;
      parts.push_back(std::move(part));
    }
    return std::make_unique<AnyMatcher>(std::move(parts));
  }
  if (!value.is_object() || value.empty()) {
    Add(pointer, "expected a matcher: a text, number or boolean, a list of them, or an object");
    return nullptr;
  }
  std::vector<std::unique_ptr<ValueMatcher>> parts;
  for (const auto& [key, part] : value.items()) {
    if (key == "fold" || key == "capture") continue;  // with the keys that they belong to
    auto matcher = CompileMatcherKey(key, part, value, PointerJoin(pointer, key), scope, type);
    if (matcher == nullptr) return nullptr;
    parts.push_back(std::move(matcher));
  }
  if (parts.empty()) {
    Add(pointer, "expected a key that says what the value must be");
    return nullptr;
  }
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<AllMatcher>(std::move(parts));
}

std::unique_ptr<ValueMatcher> CheckCompiler::CompileMatcherKey(const std::string& key, const json& value,
                                                               const json& around, const std::string& pointer,
                                                               NameScope& scope, const StaticType& type) {
  const bool fold = around.value("fold", json(false)) == true;
  if (key == "equals" || key == "same") {
    std::unique_ptr<Operand> operand;
    if (key == "same") {
      if (!value.is_string()) {
        Add(pointer, "expected a path");
        return nullptr;
      }
      StaticType other;
      auto path = CompilePath(value.get<std::string>(), pointer, scope, other);
      if (!path) return nullptr;
      operand = std::make_unique<PathOperand>(std::move(*path));
    } else {
      operand = CompileOperand(value, pointer, scope);
    }
    return operand == nullptr ? nullptr : std::make_unique<SameMatcher>(std::move(operand), fold);
  }
  if (key == "in") {
    if (value.is_string()) {
      const auto list = set_.list_sets.find(value.get<std::string>());
      if (list != set_.list_sets.end()) return std::make_unique<TextSetMatcher>(list->second);
      std::vector<std::string_view> known;
      for (const auto& [name, one] : set_.lists) known.push_back(name);
      Add(pointer,
          "unknown list " + Quoted(value.get<std::string>()) + Suggestion(value.get_ref<const std::string&>(), known));
      return nullptr;
    }
    if (value.is_array()) return CompileMatcher(value, pointer, scope, type);
    auto list = CompileOperand(value, pointer, scope);
    return list == nullptr ? nullptr : std::make_unique<InMatcher>(std::move(list));
  }
  if (key == "re") {
    std::vector<std::unique_ptr<RE2>> patterns;
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        patterns.push_back(CompilePattern(value[i], PointerJoin(pointer, i)));
      }
    } else {
      patterns.push_back(CompilePattern(value, pointer));
    }
    if (patterns.empty() || std::count(patterns.begin(), patterns.end(), nullptr) > 0) return nullptr;
    std::unique_ptr<ValueMatcher> capture;
    if (const auto inner = around.find("capture"); inner != around.end()) {
      if (patterns.size() != 1 || patterns[0]->NumberOfCapturingGroups() < 1) {
        Add(pointer, "\"capture\" needs one pattern with a group");
        return nullptr;
      }
      const std::string at = pointer.substr(0, pointer.rfind('/')) + "/capture";
      capture = CompileMatcher(*inner, at, scope, {});
      if (capture == nullptr) return nullptr;
    }
    return std::make_unique<PatternMatcher>(std::move(patterns), std::move(capture));
  }
  if (key == "prefix" || key == "suffix" || key == "contains" || key == "like") {
    std::vector<std::unique_ptr<Operand>> texts;
    const json parts = value.is_array() ? value : json::array({value});
    for (size_t i = 0; i < parts.size(); ++i) {
      auto text = CompileOperand(parts[i], value.is_array() ? PointerJoin(pointer, i) : pointer, scope);
      if (text == nullptr) return nullptr;
      texts.push_back(std::move(text));
    }
    const auto what = key == "prefix"     ? PartMatcher::What::kPrefix
                      : key == "suffix"   ? PartMatcher::What::kSuffix
                      : key == "contains" ? PartMatcher::What::kContains
                                          : PartMatcher::What::kLike;
    return std::make_unique<PartMatcher>(what, std::move(texts), fold);
  }
  static constexpr std::pair<std::string_view, NumberMatcher::What> kNumbers[] = {
      {"above", NumberMatcher::What::kAbove},
      {"below", NumberMatcher::What::kBelow},
      {"at_least", NumberMatcher::What::kAtLeast},
      {"at_most", NumberMatcher::What::kAtMost},
      {"multiple_of", NumberMatcher::What::kMultipleOf}};
  for (const auto& [name, what] : kNumbers) {
    if (key != name) continue;
    auto operand = CompileOperand(value, pointer, scope);
    return operand == nullptr ? nullptr : std::make_unique<NumberMatcher>(what, std::move(operand));
  }
  if (key == "missing") {
    if (!value.is_boolean()) {
      Add(pointer, "expected true or false");
      return nullptr;
    }
    return std::make_unique<MissingMatcher>(value.get<bool>());
  }
  if (key == "size" || key == "every" || key == "some" || key == "not") {
    auto inner = CompileMatcher(value, pointer, scope, key == "not" ? type : StaticType());
    if (inner == nullptr) return nullptr;
    if (key == "size") return std::make_unique<SizeMatcher>(std::move(inner));
    if (key == "not") return std::make_unique<NotMatcher>(std::move(inner));
    return std::make_unique<ElementsMatcher>(key == "every", std::move(inner));
  }
  if (key == "any" || key == "all") {
    if (!value.is_array() || value.empty()) {
      Add(pointer, "expected a list of matchers");
      return nullptr;
    }
    std::vector<std::unique_ptr<ValueMatcher>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileMatcher(value[i], PointerJoin(pointer, i), scope, type);
      if (part == nullptr) return nullptr;
      parts.push_back(std::move(part));
    }
    if (key == "any") return std::make_unique<AnyMatcher>(std::move(parts));
    return std::make_unique<AllMatcher>(std::move(parts));
  }
  if (key == "is" || key == "where") {
    if (!type.known || type.type != FieldType::kRow) {
      Add(pointer, "expected a reference in front of " + Quoted(key));
      return nullptr;
    }
    if (key == "is") {
      auto definitions = CompileDefinitions(value, pointer, type.table);
      return definitions.empty() ? nullptr : std::make_unique<RowIsMatcher>(std::move(definitions));
    }
    if (scope.rows.size() >= kMaxSlots) {
      Add(pointer, "expected at most " + std::to_string(kMaxSlots) + " rows inside each other");
      return nullptr;
    }
    NameScope inner = scope;
    inner.rows.push_back({"", type.table});
    auto clause = CompileClause(value, pointer, inner);
    return clause == nullptr ? nullptr : std::make_unique<RowWhereMatcher>(inner.rows.size() - 1, std::move(clause));
  }
  const std::vector<std::string_view> known(std::begin(kMatcherKeys), std::end(kMatcherKeys));
  Add(pointer,
      "unknown key " + Quoted(key) + " of a matcher; expected one of " + Listed(known) + Suggestion(key, known));
  return nullptr;
}

}  // namespace yardmaster::rules
