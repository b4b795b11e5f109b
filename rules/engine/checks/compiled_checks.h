// The compiled checks of a pack: what CheckSet holds.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILED_CHECKS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILED_CHECKS_H_

#include <re2/re2.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/expression.h"
#include "rules/engine/checks/language_use.h"
#include "rules/engine/checks/named_patterns.h"
#include "rules/engine/checks/tree_queries.h"
#include "rules/engine/code/facts.h"
#include "services/core/json_document.h"

namespace yardmaster::rules {

using TextSet = absl::flat_hash_set<std::string>;

struct CompiledDefinition {
  std::string name;
  FactTable table = FactTable::kFile;
  std::vector<KindSelection> kinds;
  Clause where;  // none: all
  LanguageUse use;
};

// One of the conditions that must all hold, to say of a failing case which of them did not.
struct RuleCondition {
  std::string text;  // as written, cut
  Clause clause;
  Operand seen;        // the value that it looks at; may be none
  bool lines = false;  // `seen` are the lines of other rows
};

// What a check asks for and says under one profile.
struct RuleBody {
  Clause where;  // may be none, like `exempt`
  Clause exempt;
  std::vector<Operand> lets;
  std::optional<Path> place;
  std::optional<Template> path;
  std::optional<Path> edit_place;  // what "edit" replaces
  Template edit_text;
  Template message;
  Template message_zh;
  Template fix;
  Template fix_zh;
  bool across = false;  // some query looks at several files
  bool tree = false;    // some query looks at files of the tree
  LanguageUse use;
  std::vector<RuleCondition> conditions;  // those of `where` and `exempt`, one by one; of a set for reviews none
};

// What the condition of a check says of a field of expressions in plain texts: rows without any of them are passed over
// before the condition is asked.
struct ExprFilter {
  std::string_view ExprFact::*field = nullptr;
  std::vector<std::string> values;

  bool Fits(const ExprFact& expr) const {
    return absl::c_any_of(values, [&](const std::string& value) { return value == expr.*field; });
  }
};

// A check as it runs under one profile: where and when, and behind Body the rest.
struct CompiledRule {
  bool off = false;
  Severity severity = Severity::kBlock;
  std::string pack_severity;
  std::vector<std::string> roles;
  std::vector<std::string> needs;
  std::vector<int> stages;
  std::vector<std::string> moments;
  std::vector<std::string> files;
  std::vector<std::string> not_files;
  std::vector<Language> languages;
  FactTable table = FactTable::kFile;
  std::vector<KindSelection> kinds;
  bool base = false;                 // rows of the version before the change
  Operand list;                      // the elements of this list are the rows; once for the set
  const TreeQuery* query = nullptr;  // of the set
  std::vector<ExprFilter> filters;
  std::vector<Slot> slots;  // of expressions; empty: any
  bool only_added = false;  // the condition asks for added rows before anything else
  Clause when;
  enum class Once : uint8_t { kNever, kFile, kFunction, kSet };
  Once once = Once::kNever;
  LanguageUse use;  // without that of the body

  // Whether its rows are those of files: not the set, nor the elements of a list.
  bool OverFiles() const { return !off && table != FactTable::kSet && table != FactTable::kValue; }

  // Of a set that was loaded for reviews the first call compiles it: most checks are about other files. Null with
  // `problems` if something is wrong after all.
  const RuleBody* Body(Problems& problems) const {
    std::call_once(compiled, [this] {
      if (body == nullptr && compile) body = compile(found);
    });
    if (body == nullptr) problems.insert(problems.end(), found.begin(), found.end());
    return body.get();
  }

  // What Body is made of.
  std::function<std::unique_ptr<const RuleBody>(Problems&)> compile;
  mutable std::once_flag compiled;
  mutable std::unique_ptr<const RuleBody> body;
  mutable Problems found;
};

struct CheckCase {
  std::string name;  // "bad/0"
  bool good = false;
  std::vector<std::pair<std::string, std::string>> files;  // path, text
  std::map<std::string, std::string> base;
  std::map<std::string, std::string> renamed;  // of `files`: what they were called at base
  std::map<std::string, uint64_t> binary;      // files of a change that are no text, and their bytes
  std::vector<std::string> submodules;         // paths of a change that are no files
  std::optional<int> stage;
  std::string moment;
  std::map<std::string, std::string> options;
  std::vector<std::string> profiles;
  std::optional<std::vector<uint32_t>> lines;
  std::optional<size_t> count;
  std::string contains;
  std::string focus;
  bool skipped = false;
};

struct CompiledCheck {
  const CheckInfo& info;  // of CheckSet::Impl::infos
  // By profile (one if the pack has none); several may share one.
  std::vector<std::shared_ptr<const CompiledRule>> rules;
  std::vector<CheckCase> cases;
};

struct CompiledRole {
  RoleInfo info;
  std::unique_ptr<RE2> path;
  std::vector<std::string> groups;  // by number; empty where a group has no name
};

struct CompiledMoment {
  MomentInfo info;
  Clause only;  // on a file; may be none
};

struct CheckSet::Impl {
  std::string pack;
  std::vector<CheckInfo> infos;  // beside `checks`, which refer to them
  std::vector<CompiledCheck> checks;
  std::vector<ProfileInfo> profiles;
  std::string default_profile;
  std::vector<CompiledMoment> moments;
  std::vector<MomentInfo> moment_infos;
  std::vector<StageInfo> progress;
  std::vector<CompiledRole> roles;
  std::vector<RoleInfo> role_infos;
  std::vector<ReminderInfo> reminders;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;
  std::map<std::string, TextSet, std::less<>> list_sets;
  std::map<std::string, std::map<std::string, std::string>, std::less<>> maps;
  NamedPatterns patterns;
  std::vector<CompiledDefinition> definitions;
  TreeQueries queries;
  std::set<std::string, std::less<>> groups;             // names of the groups of all roles
  std::vector<std::unique_ptr<JsonDocument>> documents;  // what bodies are still to be compiled from
  bool across = false;                                   // some check looks at several files
  bool only_roles = false;                               // every check that judges files names their roles
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILED_CHECKS_H_
