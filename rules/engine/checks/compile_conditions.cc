#include "rules/engine/checks/compile_conditions.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

constexpr size_t kMaxConditionBytes = 120;
// Keys of a condition that ask for nothing which could be shown.
constexpr std::array<std::string_view, 5> kNotShown = {"is", "any", "profile", "moment", "stage"};
constexpr std::array<std::string_view, 5> kCountBounds = {"at_least", "at_most", "equals", "above", "below"};

// The value that shows what a condition saw: a field, the lines of rows, or how many there are; null if there is none.
json ShownValue(const std::string& key, const json& value) {
  if (absl::c_linear_search(kNotShown, key)) return nullptr;
  if (key == "not" || key == "all" || key == "option") {
    if (!value.is_object() || value.size() != 1) return nullptr;
    const auto only = value.items().begin();
    return key == "option" ? json{{"field", "option." + only.key()}} : ShownValue(only.key(), only.value());
  }
  if (key == "exists" || key == "absent") return {{"list", value}, {"field", "line"}};
  if (key == "count") {
    json query = value;
    for (const std::string_view bound : kCountBounds) query.erase(std::string(bound));
    return {{"count", std::move(query)}};
  }
  if (key == "test") return value.value("value", json());
  return {{"field", key}};
}

class ConditionCompiler {
 public:
  ConditionCompiler(const CheckSet::Impl& set, const RuleSource& source, const NameScope& scope)
      : scope_(scope), compiler_(set, set.groups, unused_) {
    compiler_.SetDocument(source.document);
  }

  // Keys of objects, elements of lists: all of them must hold.
  void Split(const json& where) {
    if (where.is_array()) {
      for (const json& part : where) Split(part);
    } else if (where.is_object()) {
      for (const auto& [key, value] : where.items()) {
        if (key == "all") {
          Split(value);
        } else {
          Add(key, value);
        }
      }
    }
  }

  void Add(const std::string& key, const json& value) {
    const json single = {{key, value}};
    RuleCondition condition;
    condition.text = Readable("\"" + key + "\": " + value.dump(), kMaxConditionBytes);
    condition.clause = compiler_.CompileClause({&single, ""}, scope_);
    if (!condition.clause) return;
    const json shown = ShownValue(key, value);
    condition.lines = shown.contains("list");
    if (!shown.is_null()) condition.seen = compiler_.CompileOperand({&shown, ""}, scope_);
    conditions_.push_back(std::move(condition));
  }

  std::vector<RuleCondition> Take() { return std::move(conditions_); }

 private:
  const NameScope& scope_;
  Problems unused_;
  CheckCompiler compiler_;
  std::vector<RuleCondition> conditions_;
};

}  // namespace

std::vector<RuleCondition> CompileConditions(const CheckSet::Impl& set, const RuleSource& source,
                                             const NameScope& scope) {
  ConditionCompiler compiler(set, source, scope);
  if (const JsonPlace* where = FindKey(source.keys, "where")) compiler.Split(*where->value);
  if (const JsonPlace* exempt = FindKey(source.keys, "exempt")) compiler.Add("not", *exempt->value);
  return compiler.Take();
}

}  // namespace yardmaster::rules
