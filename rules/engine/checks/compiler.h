// JSON of rules/checks.md → compiled conditions. Every name is looked up here: what is unknown is a problem with its
// place.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILER_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILER_H_

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/expression.h"
#include "rules/engine/pack/pack_reader.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
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

  // This scope with one more row inside.
  NameScope With(Row row) const {
    NameScope inner = *this;
    inner.rows.push_back(std::move(row));
    return inner;
  }

  std::vector<Row> rows;  // by slot
  std::vector<Let> lets;
  const std::vector<std::string>* captures = nullptr;  // of the tree-sitter query whose matches are the rows
};

// What is known of a value before there is one.
struct StaticType {
  bool known = false;
  FieldType type = FieldType::kText;
  FactTable table = FactTable::kFile;
  const FieldInfo* field = nullptr;  // whose value it is; null: it is worked out

  bool IsRow() const { return known && type == FieldType::kRow; }
};

class CheckCompiler {
 public:
  // `set` holds lists, maps and the definitions with their tables; `groups` are the names of all groups of roles.
  CheckCompiler(const CheckSet::Impl& set, const std::set<std::string, std::less<>>& groups, Problems& problems)
      : set_(set), groups_(groups), problems_(problems) {}

  // All of these return nothing after a problem: null, nullopt or an empty list.
  Clause CompileClause(const JsonPlace& at, const NameScope& scope);
  std::optional<Query> CompileQuery(const JsonPlace& at, const NameScope& scope,
                                    std::vector<std::string_view> extra_keys = {});
  Operand CompileOperand(const JsonPlace& at, const NameScope& scope, StaticType* type = nullptr);
  // A named list, or a value that is one.
  Operand CompileList(const JsonPlace& at, const NameScope& scope);
  std::optional<Path> CompilePath(const JsonPlace& at, const NameScope& scope, StaticType* type = nullptr);
  // A path that leads to a row.
  std::optional<Path> CompileReference(const JsonPlace& at, const NameScope& scope);
  std::optional<Template> CompileTemplate(const JsonPlace& at, const NameScope& scope);
  // A kind, a definition, or a list of them; an object is a query of the side and the kind.
  std::vector<KindSelection> CompileKinds(const JsonPlace& at);
  std::shared_ptr<const RE2> CompilePattern(const JsonPlace& at);

  // A problem where a condition on rows of these kinds asks for a type or a slot that none of them has.
  void ExpectFits(const std::vector<KindSelection>& kinds, const JsonPlace& where);

  // Whether a query that was compiled looks at other files than the one it stands in.
  bool across() const { return across_; }
  // Whether one looks at files of the tree.
  bool tree() const { return tree_; }

  // What was compiled since the last call, or since the compiler was made, uses of the language.
  LanguageUse TakeUse() { return std::exchange(use_, {}); }

  // The document that pointers belong to.
  void SetDocument(const JsonDocument* document) { document_ = document; }
  void Add(const std::string& pointer, std::string message);

 private:
  Clause CompileKey(const std::string& key, const JsonPlace& at, const NameScope& scope);
  Clause CompileCount(const JsonPlace& at, const NameScope& scope);
  Clause CompileNamed(const std::string& key, const JsonPlace& at);
  ValueMatcher CompileMatcher(const JsonPlace& at, const NameScope& scope, const StaticType& type);
  // `around` is the object whose key it is.
  ValueMatcher CompileMatcherKey(const std::string& key, const JsonPlace& around, const NameScope& scope,
                                 const StaticType& type);
  ValueMatcher CompileMatcherOfRow(const std::string& key, const JsonPlace& at, const NameScope& scope,
                                   const StaticType& type);
  // A problem, and false, where the value can never be this text.
  bool CheckWord(const JsonPlace& at, const StaticType& type);
  ValueMatcher CompilePatternMatcher(const JsonPlace& around, const NameScope& scope);
  // `scope` is that of `where`.
  std::optional<Query::Lookup> FindLookup(const Query& query, const JsonPlace& where, const NameScope& scope);
  Operand CompileQueryOperand(const std::string& key, const JsonPlace& around, const NameScope& scope);
  Operand CompileCountOperand(Query query, const JsonPlace& around, const NameScope& scope);
  std::optional<Path> CompilePathText(std::string_view text, const std::string& pointer, const NameScope& scope,
                                      StaticType& type);
  bool CompileFilter(std::string_view text, const std::string& pointer, Template::Part& part);
  std::vector<size_t> CompileDefinitions(const JsonPlace& at, std::optional<FactTable> table);
  std::optional<size_t> FindDefinition(std::string_view name) const;
  bool AddStep(std::string_view text, const std::string& pointer, std::string_view whole, StaticType& type, Path& path,
               std::vector<std::string_view>& rest);

  // Notes that a key is used if it is one of those that the language has; their names are constants.
  template <typename Names>
  void NoteKey(std::string_view kind, const Names& names, std::string_view key) {
    if (const auto it = absl::c_find(names, key); it != std::end(names)) use_.functions.emplace(kind, *it);
  }

  // What follows a problem.
  template <typename T>
  T Fail(const std::string& pointer, std::string message) {
    Add(pointer, std::move(message));
    return T();
  }
  // What `compile` makes of each element of a list; nullopt if it made nothing of one.
  template <typename T, typename Compile>
  std::optional<std::vector<T>> CompileEach(const JsonPlace& list, Compile compile) {
    std::vector<T> out;
    for (size_t i = 0; i < list.value->size(); ++i) {
      if (T one = compile(list.At(i)); one) out.push_back(std::move(one));
    }
    if (out.size() != list.value->size()) return std::nullopt;
    return out;
  }

  const CheckSet::Impl& set_;
  const std::set<std::string, std::less<>>& groups_;
  Problems& problems_;
  const JsonDocument* document_ = nullptr;
  bool across_ = false;
  bool tree_ = false;
  LanguageUse use_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILER_H_
