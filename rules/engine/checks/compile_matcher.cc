// What a value must be.
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/compiler.h"
#include "services/core/absl_view.h"
#include "services/core/glob.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

constexpr std::string_view kMatcherKeys[] = {"equals",   "same",    "in",          "re",      "capture", "like",
                                             "prefix",   "suffix",  "contains",    "fold",    "above",   "below",
                                             "at_least", "at_most", "multiple_of", "missing", "size",    "every",
                                             "some",     "is",      "where",       "not",     "any",     "all"};

// Of the value and what stands in the check.
constexpr std::pair<std::string_view, bool (*)(double, double)> kNumberTests[] = {
    {"above", [](double value, double bound) { return value > bound; }},
    {"below", [](double value, double bound) { return value < bound; }},
    {"at_least", [](double value, double bound) { return value >= bound; }},
    {"at_most", [](double value, double bound) { return value <= bound; }},
    {"multiple_of", [](double value, double factor) { return factor != 0 && std::fmod(value, factor) == 0; }}};
constexpr std::pair<std::string_view, bool (*)(std::string_view, std::string_view)> kTextTests[] = {
    {"prefix", [](std::string_view text, std::string_view part) { return text.starts_with(part); }},
    {"suffix", [](std::string_view text, std::string_view part) { return text.ends_with(part); }},
    {"contains", [](std::string_view text, std::string_view part) { return text.find(part) != text.npos; }},
    {"like", [](std::string_view text, std::string_view pattern) { return MatchesLike(pattern, text); }}};

template <typename Tests>
auto FindTest(const Tests& tests, std::string_view key) -> decltype(tests[0].second) {
  const auto it = absl::c_find_if(tests, [&](const auto& test) { return test.first == key; });
  return it == std::end(tests) ? nullptr : it->second;
}

// A matcher that asks about single values; of a list, some element must fit.
template <typename Fits>
ValueMatcher OfElements(Fits fits) {
  return [fits = std::move(fits)](Run& run, Frame& frame, const Value& value) {
    if (value.kind != Value::Kind::kList) return fits(run, frame, value);
    return absl::c_any_of(*value.list, [&](const Value& one) { return fits(run, frame, one); });
  };
}

ValueMatcher AllOf(std::vector<ValueMatcher> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return [parts = std::move(parts)](Run& run, Frame& frame, const Value& value) {
    return absl::c_all_of(parts, [&](const ValueMatcher& part) { return part(run, frame, value); });
  };
}

ValueMatcher AnyOf(std::vector<ValueMatcher> parts) {
  return [parts = std::move(parts)](Run& run, Frame& frame, const Value& value) {
    return absl::c_any_of(parts, [&](const ValueMatcher& part) { return part(run, frame, value); });
  };
}

// The whole value, lists too.
ValueMatcher Same(Operand operand, bool fold) {
  return [operand = std::move(operand), fold](Run& run, Frame& frame, const Value& value) {
    const Value other = operand(run, frame);
    if (fold && value.kind == Value::Kind::kText && other.kind == Value::Kind::kText) {
      return absl::EqualsIgnoreCase(Abs(value.text), Abs(other.text));
    }
    if (value.kind == Value::Kind::kList && other.kind != Value::Kind::kList) {
      return absl::c_any_of(*value.list, [&](const Value& one) { return SameValue(one, other); });
    }
    return SameValue(value, other);
  };
}

// An element of a list that is worked out.
ValueMatcher In(Operand list) {
  return OfElements([list = std::move(list)](Run& run, Frame& frame, const Value& value) {
    const Value known = list(run, frame);
    if (known.kind != Value::Kind::kList) return SameValue(value, known);
    return absl::c_any_of(*known.list, [&](const Value& one) { return SameValue(value, one); });
  });
}

ValueMatcher NumberTest(bool (*test)(double, double), Operand operand) {
  return OfElements([test, operand = std::move(operand)](Run& run, Frame& frame, const Value& value) {
    const auto number = AsNumber(value);
    const auto other = AsNumber(operand(run, frame));
    return number && other && test(*number, *other);
  });
}

ValueMatcher TextTest(bool (*test)(std::string_view, std::string_view), std::vector<Operand> texts, bool fold) {
  return OfElements([test, texts = std::move(texts), fold](Run& run, Frame& frame, const Value& value) {
    if (value.kind != Value::Kind::kText) return false;
    run.Read(value.text);
    const std::string folded = fold ? absl::AsciiStrToLower(Abs(value.text)) : std::string();
    const std::string_view text = fold ? folded : value.text;
    return absl::c_any_of(texts, [&](const Operand& operand) {
      const Value part = operand(run, frame);
      if (part.kind != Value::Kind::kText) return false;
      return fold ? test(text, absl::AsciiStrToLower(Abs(part.text))) : test(text, part.text);
    });
  });
}

ValueMatcher Size(ValueMatcher inner) {
  return [inner = std::move(inner)](Run& run, Frame& frame, const Value& value) {
    const bool list = value.kind == Value::Kind::kList;
    if (!list && value.kind != Value::Kind::kText) return false;
    const size_t size = list ? value.list->size() : CodePoints(value.text);
    return inner(run, frame, Value::Number(static_cast<double>(size)));
  };
}

// "every" or "some".
ValueMatcher Elements(bool every, ValueMatcher inner) {
  return [every, inner = std::move(inner)](Run& run, Frame& frame, const Value& value) {
    if (value.kind != Value::Kind::kList) return false;
    const auto fits = [&](const Value& one) { return inner(run, frame, one); };
    return every ? absl::c_all_of(*value.list, fits) : absl::c_any_of(*value.list, fits);
  };
}

bool HasText(const TextSet& texts, const Value& value) {
  return value.kind == Value::Kind::kText && texts.contains(Abs(value.text));
}

}  // namespace

ValueMatcher CheckCompiler::CompileMatcher(const JsonPlace& at, const NameScope& scope, const StaticType& type) {
  const json& value = *at.value;
  if (!CheckWord(at, type)) return nullptr;
  if (value.is_string() || value.is_number() || value.is_boolean()) {
    Operand operand = CompileOperand(at, scope);
    if (!operand) return nullptr;
    return OfElements([operand = std::move(operand)](Run& run, Frame& frame, const Value& one) {
      return SameValue(one, operand(run, frame));
    });
  }
  if (value.is_array()) {
    // Plain texts are looked up at once.
    const bool plain = absl::c_all_of(value, [](const json& one) {
      return one.is_string() && one.get_ref<const std::string&>().find_first_of("{}") == std::string::npos;
    });
    if (plain) {
      for (size_t i = 0; i < value.size(); ++i) {
        if (!CheckWord(at.At(i), type)) return nullptr;
      }
      return OfElements([texts = value.get<TextSet>()](Run&, Frame&, const Value& one) { return HasText(texts, one); });
    }
    auto parts = CompileEach<ValueMatcher>(at, [&](const JsonPlace& one) { return CompileMatcher(one, scope, type); });
    return parts ? AnyOf(*std::move(parts)) : nullptr;
  }
  if (!value.is_object() || value.empty()) {
    return Fail<ValueMatcher>(at.pointer,
                              "expected a matcher: a text, number or boolean, a list of them, or an object");
  }
  std::vector<ValueMatcher> parts;
  for (const auto& [key, part] : value.items()) {
    if (key == "fold" || key == "capture") continue;  // with the keys that they belong to
    ValueMatcher matcher = CompileMatcherKey(key, at, scope, type);
    if (!matcher) return nullptr;
    parts.push_back(std::move(matcher));
  }
  if (parts.empty()) return Fail<ValueMatcher>(at.pointer, "expected a key that says what the value must be");
  return AllOf(std::move(parts));
}

ValueMatcher CheckCompiler::CompileMatcherKey(const std::string& key, const JsonPlace& around, const NameScope& scope,
                                              const StaticType& type) {
  const JsonPlace at = around.At(key);
  const json& value = *at.value;
  NoteKey("matcher", kMatcherKeys, key);
  const bool fold = around.value->value("fold", json(false)) == true;
  if (fold) use_.functions.emplace("matcher", "fold");
  if (key == "equals") {
    if (!fold && !CheckWord(at, type)) return nullptr;
    Operand operand = CompileOperand(at, scope);
    return operand ? Same(std::move(operand), fold) : nullptr;
  }
  if (key == "same") {
    std::optional<Path> path = CompilePath(at, scope);
    return path ? Same(PathOperand(*std::move(path)), fold) : nullptr;
  }
  if (key == "in" && value.is_string()) {
    const auto& name = value.get_ref<const std::string&>();
    if (const auto list = set_.list_sets.find(name); list != set_.list_sets.end()) {
      return OfElements([texts = &list->second](Run&, Frame&, const Value& one) { return HasText(*texts, one); });
    }
    return Fail<ValueMatcher>(at.pointer, "unknown list " + Quoted(name) + DidYouMean(name, KeysOf(set_.lists)));
  }
  if (key == "in") {
    if (value.is_array()) return CompileMatcher(at, scope, type);
    Operand list = CompileOperand(at, scope);
    return list ? In(std::move(list)) : nullptr;
  }
  if (key == "re") return CompilePatternMatcher(around, scope);
  if (const auto test = FindTest(kTextTests, key)) {
    std::vector<Operand> texts;
    if (value.is_array()) {
      auto each = CompileEach<Operand>(at, [&](const JsonPlace& text) { return CompileOperand(text, scope); });
      if (!each) return nullptr;
      texts = *std::move(each);
    } else {
      texts.push_back(CompileOperand(at, scope));
      if (!texts.back()) return nullptr;
    }
    return TextTest(test, std::move(texts), fold);
  }
  if (const auto test = FindTest(kNumberTests, key)) {
    Operand operand = CompileOperand(at, scope);
    return operand ? NumberTest(test, std::move(operand)) : nullptr;
  }
  if (key == "missing") {
    if (!value.is_boolean()) return Fail<ValueMatcher>(at.pointer, "expected true or false");
    return [missing = value.get<bool>()](Run&, Frame&, const Value& one) {
      return (one.kind == Value::Kind::kMissing) == missing;
    };
  }
  if (key == "size" || key == "every" || key == "some" || key == "not") {
    ValueMatcher inner = CompileMatcher(at, scope, key == "not" ? type : StaticType());
    if (!inner) return nullptr;
    if (key == "size") return Size(std::move(inner));
    if (key != "not") return Elements(key == "every", std::move(inner));
    return [inner = std::move(inner)](Run& run, Frame& frame, const Value& one) {
      return !inner(run, frame, one) && !run.expired();
    };
  }
  if (key == "any" || key == "all") {
    if (!value.is_array() || value.empty()) return Fail<ValueMatcher>(at.pointer, "expected a list of matchers");
    auto parts = CompileEach<ValueMatcher>(at, [&](const JsonPlace& one) { return CompileMatcher(one, scope, type); });
    if (!parts) return nullptr;
    return key == "any" ? AnyOf(*std::move(parts)) : AllOf(*std::move(parts));
  }
  if (key == "is" || key == "where") return CompileMatcherOfRow(key, at, scope, type);
  const std::vector<std::string_view> known(std::begin(kMatcherKeys), std::end(kMatcherKeys));
  return Fail<ValueMatcher>(at.pointer, "unknown key " + Quoted(key) + " of a matcher; expected one of " +
                                            Listed(known) + DidYouMean(key, known));
}

bool CheckCompiler::CheckWord(const JsonPlace& at, const StaticType& type) {
  if (type.field == nullptr || !at.value->is_string()) return true;
  const auto& word = at.value->get_ref<const std::string&>();
  if (word.find_first_of("{}") != std::string::npos) return true;
  std::vector<std::string_view> known(type.field->words.begin(), type.field->words.end());
  if (type.field->role) {
    for (const RoleInfo& role : set_.role_infos) known.push_back(role.role);
  } else if (known.empty()) {
    return true;
  }
  if (absl::c_linear_search(known, word)) return true;
  Add(at.pointer, Quoted(word) + " is never the " + Quoted(type.field->name) + "; expected one of " + Listed(known) +
                      DidYouMean(word, known));
  return false;
}

ValueMatcher CheckCompiler::CompilePatternMatcher(const JsonPlace& around, const NameScope& scope) {
  const JsonPlace at = around.At("re");
  std::vector<std::shared_ptr<const RE2>> patterns;
  if (at.value->is_array()) {
    auto each = CompileEach<std::shared_ptr<const RE2>>(at, [&](const JsonPlace& one) { return CompilePattern(one); });
    if (each) patterns = *std::move(each);
  } else if (auto pattern = CompilePattern(at)) {
    patterns.push_back(std::move(pattern));
  }
  if (patterns.empty()) return nullptr;
  if (!around.value->contains("capture")) {
    return OfElements([patterns = std::move(patterns)](Run& run, Frame&, const Value& value) {
      if (value.kind != Value::Kind::kText) return false;
      run.Read(value.text);
      return absl::c_any_of(patterns, [&](const auto& pattern) { return RE2::PartialMatch(value.text, *pattern); });
    });
  }
  use_.functions.emplace("matcher", "capture");
  if (patterns.size() != 1 || patterns[0]->NumberOfCapturingGroups() < 1) {
    return Fail<ValueMatcher>(at.pointer, "\"capture\" needs one pattern with a group");
  }
  ValueMatcher capture = CompileMatcher(around.At("capture"), scope, {});
  if (!capture) return nullptr;
  return OfElements(
      [pattern = std::move(patterns[0]), capture = std::move(capture)](Run& run, Frame& frame, const Value& value) {
        if (value.kind != Value::Kind::kText) return false;
        run.Read(value.text);
        re2::StringPiece found[2];
        if (!pattern->Match(value.text, 0, value.text.size(), RE2::UNANCHORED, found, 2)) return false;
        return capture(run, frame, PieceValue(found[1]));
      });
}

ValueMatcher CheckCompiler::CompileMatcherOfRow(const std::string& key, const JsonPlace& at, const NameScope& scope,
                                                const StaticType& type) {
  if (!type.IsRow()) return Fail<ValueMatcher>(at.pointer, "expected a reference in front of " + Quoted(key));
  if (key == "is") {
    std::vector<size_t> definitions = CompileDefinitions(at, type.table);
    if (definitions.empty()) return nullptr;
    return [definitions = std::move(definitions)](Run& run, Frame&, const Value& value) {
      return value.kind == Value::Kind::kRow &&
             absl::c_all_of(definitions, [&](size_t one) { return run.Is(one, value.row); });
    };
  }
  const size_t slot = scope.rows.size();
  if (slot >= kMaxSlots) {
    return Fail<ValueMatcher>(at.pointer, "expected at most " + std::to_string(kMaxSlots) + " rows inside each other");
  }
  Clause clause = CompileClause(at, scope.With({"", type.table}));
  if (!clause) return nullptr;
  return [slot, clause = std::move(clause)](Run& run, Frame& frame, const Value& value) {
    if (value.kind != Value::Kind::kRow) return false;
    frame.rows[slot] = value.row;
    return clause.holds(run, frame);
  };
}

}  // namespace yardmaster::rules
