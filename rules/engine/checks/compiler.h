// JSON of rules/checks.md → compiled conditions. Every name is looked up here: what is unknown is a problem with its
// place.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILER_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILER_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/expression.h"
#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// What can be named where something is compiled.
struct NameScope {
  struct Row {
    std::string name;  // "row", or what "as" says; may be empty
    FactTable table = FactTable::kFile;
  };
  struct Let {
    std::string name;
    // Known where the value is a reference.
    std::optional<FactTable> table;
  };
  std::vector<Row> rows;  // by slot
  std::vector<Let> lets;
  const std::vector<std::string>* captures = nullptr;  // of the tree-sitter query whose matches are the rows
};

// What is known of a value before there is one.
struct StaticType {
  bool known = false;
  FieldType type = FieldType::kText;
  FactTable table = FactTable::kFile;
};

class CheckCompiler {
 public:
  // `set` holds lists, maps and the definitions with their tables; `groups` are the names of all groups of roles.
  CheckCompiler(const CheckSet::Impl& set, const std::set<std::string, std::less<>>& groups, Problems& problems)
      : set_(set), groups_(groups), problems_(problems) {}

  // All of these return null (or an empty value) after a problem.
  std::unique_ptr<Clause> CompileClause(const nlohmann::json& value, const std::string& pointer, NameScope& scope);
  std::unique_ptr<Query> CompileQuery(const nlohmann::json& value, const std::string& pointer, NameScope& scope,
                                      std::vector<std::string_view> extra = {});
  std::unique_ptr<Operand> CompileOperand(const nlohmann::json& value, const std::string& pointer, NameScope& scope,
                                          StaticType* type = nullptr);
  // A named list, or a value that is one.
  std::unique_ptr<Operand> CompileList(const nlohmann::json& value, const std::string& pointer, NameScope& scope);
  std::optional<Path> CompilePath(std::string_view text, const std::string& pointer, NameScope& scope,
                                  StaticType& type);
  std::optional<Template> CompileTemplate(const std::string& text, const std::string& pointer, NameScope& scope);
  // A kind, a definition, or a list of them; an object is a query of the side and the kind.
  std::vector<KindSelection> CompileKinds(const nlohmann::json& value, const std::string& pointer);
  std::unique_ptr<RE2> CompilePattern(const nlohmann::json& value, const std::string& pointer);

  // Whether a query that was compiled looks at other files than the one it stands in.
  bool across() const { return across_; }

  // The document that pointers belong to.
  void SetDocument(const JsonDocument* document) { document_ = document; }
  void Add(const std::string& pointer, std::string message);

 private:
  std::unique_ptr<Clause> CompileKey(const std::string& key, const nlohmann::json& value, const std::string& pointer,
                                     NameScope& scope);
  std::unique_ptr<ValueMatcher> CompileMatcher(const nlohmann::json& value, const std::string& pointer,
                                               NameScope& scope, const StaticType& type);
  std::unique_ptr<ValueMatcher> CompileMatcherKey(const std::string& key, const nlohmann::json& value,
                                                  const nlohmann::json& around, const std::string& pointer,
                                                  NameScope& scope, const StaticType& type);
  std::vector<size_t> CompileDefinitions(const nlohmann::json& value, const std::string& pointer,
                                         std::optional<FactTable> table);
  std::optional<size_t> FindDefinition(std::string_view name) const;
  bool AddStep(std::string_view text, const std::string& pointer, std::string_view whole, StaticType& type, Path& path,
               std::vector<std::string_view>& rest);

  const CheckSet::Impl& set_;
  const std::set<std::string, std::less<>>& groups_;
  Problems& problems_;
  const JsonDocument* document_ = nullptr;
  bool across_ = false;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILER_H_
