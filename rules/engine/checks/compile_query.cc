// Queries over rows.
#include <iterator>
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

constexpr std::pair<std::string_view, Query::Scope> kScopes[] = {
    {"file", Query::Scope::kFile},         {"inside", Query::Scope::kInside},
    {"body", Query::Scope::kBody},         {"around", Query::Scope::kAround},
    {"before", Query::Scope::kBefore},     {"after", Query::Scope::kAfter},
    {"children", Query::Scope::kChildren}, {"reachable", Query::Scope::kReachable},
    {"reaching", Query::Scope::kReaching}, {"files", Query::Scope::kFiles}};

}  // namespace

std::optional<Query> CheckCompiler::CompileQuery(const JsonPlace& at, const NameScope& scope,
                                                 std::vector<std::string_view> extra_keys) {
  const json& value = *at.value;
  std::optional<Query> query(std::in_place);
  query->anchor = scope.rows.size() - 1;
  query->slot = scope.rows.size();
  if (scope.rows.size() >= kMaxSlots) {
    return Fail<std::optional<Query>>(at.pointer,
                                      "expected at most " + std::to_string(kMaxSlots) + " queries inside each other");
  }
  if (value.is_string()) {
    query->kinds = CompileKinds(at);
    return query->kinds.empty() ? std::nullopt : std::move(query);
  }
  if (!value.is_object() || !value.contains("each")) {
    return Fail<std::optional<Query>>(at.pointer,
                                      "expected a query: the name of a definition, or an object with \"each\"");
  }
  const size_t before = problems_.size();
  NameScope::Row row;
  bool scoped = false;
  for (const auto& [key, part] : value.items()) {
    const JsonPlace inner = at.At(key);
    if (key == "each") {
      if (part == "value") {
        row.table = FactTable::kValue;
        if (!value.contains("in")) Add(at.pointer, "missing key \"in\"; expected the list to go over");
      } else {
        query->kinds = CompileKinds(inner);
        if (!query->kinds.empty()) row.table = query->table();
      }
    } else if (key == "in") {
      query->list = CompileList(inner, scope);
    } else if (key == "as") {
      row.name = part.is_string() ? part.get<std::string>() : std::string();
      const bool taken = absl::c_any_of(scope.rows, [&](const NameScope::Row& one) { return one.name == row.name; });
      if (row.name.empty() || row.name == "option" || taken) Add(inner.pointer, "expected a name that is not taken");
    } else if (key == "scope") {
      const std::string name = part.is_string() ? part.get<std::string>() : std::string();
      const auto* found = absl::c_find_if(kScopes, [&](const auto& one) { return one.first == name; });
      scoped = found != std::end(kScopes);
      if (scoped) {
        query->scope = found->second;
        use_.functions.emplace("scope", found->first);
      } else {
        const std::vector<std::string_view> known = KeysOf(kScopes);
        Add(inner.pointer,
            "unknown scope " + Quoted(name) + "; expected one of " + Listed(known) + DidYouMean(name, known));
      }
    } else if (key == "of") {
      query->of = CompileReference(inner, scope);
    } else if (key == "files") {
      query->filter_files = true;
      if (part.is_string() || (part.is_array() && !part.empty() && part[0].is_string())) {
        query->roles = Names(part);
        for (const std::string& role : query->roles) {
          const bool known = absl::c_any_of(set_.roles, [&](const CompiledRole& one) { return one.info.role == role; });
          if (!known) Add(inner.pointer, "unknown role " + Quoted(role));
        }
      } else {
        query->files = CompileClause(inner, scope.With({"", FactTable::kFile}));
      }
    } else if (key == "tree") {
      for (size_t i = 0; i < (part.is_array() ? part.size() : 1); ++i) {
        std::optional<Template> glob = CompileTemplate(part.is_array() ? inner.At(i) : inner, scope);
        if (glob.has_value()) query->tree.push_back(*std::move(glob));
      }
      if (query->tree.empty()) Add(inner.pointer, "expected a glob, or a list of them");
      use_.functions.emplace("query", "tree");
    } else if (key == "loaded_by") {
      query->loaded_by = CompileReference(inner, scope);
      use_.functions.emplace("query", "loaded_by");
    } else if (key == "side") {
      if (part != "base" && part != "head") Add(inner.pointer, "expected \"base\" or \"head\"");
      query->base = part == "base";
    } else if (key == "where" || absl::c_linear_search(extra_keys, key)) {
      // Below, when the kind is known.
    } else {
      std::vector<std::string_view> known = {"each", "as",        "scope", "of",    "files",
                                             "tree", "loaded_by", "side",  "where", "in"};
      known.insert(known.end(), extra_keys.begin(), extra_keys.end());
      Add(inner.pointer, "unknown key " + Quoted(key) + "; expected one of " + Listed(known) + DidYouMean(key, known));
    }
  }
  const bool beyond = !query->tree.empty() || query->loaded_by;  // files that the change may not touch
  if ((query->filter_files || beyond) && !scoped) query->scope = Query::Scope::kFiles;
  const FactTable around = scope.rows.back().table;
  if ((around == FactTable::kSet || around == FactTable::kValue) && !query->of && !scoped) {
    query->scope = Query::Scope::kFiles;
  }
  if (beyond && query->scope != Query::Scope::kFiles) {
    Add(at.pointer, "\"tree\" and \"loaded_by\" go with the scope files only");
  }
  if (!query->tree.empty() && query->loaded_by) Add(at.pointer, "\"tree\" and \"loaded_by\" exclude each other");
  tree_ |= beyond;
  across_ |= query->scope == Query::Scope::kFiles && !beyond;
  // Places of this version say nothing about places of the other.
  if (query->base && query->scope != Query::Scope::kFile && query->scope != Query::Scope::kFiles) {
    Add(at.pointer, "side \"base\" goes with the scopes file and files only");
  }
  if (query->kinds.empty() && !query->list) return std::nullopt;
  if (value.contains("where")) {
    ExpectFits(query->kinds, at.At("where"));
    const NameScope inner = scope.With(std::move(row));
    query->where = CompileClause(at.At("where"), inner);
    if (query->where) query->lookup = FindLookup(*query, at.At("where"), inner);
  }
  return problems_.size() == before ? std::move(query) : std::nullopt;
}

// A field that must be the same as a value which is known before the rows are.
std::optional<Query::Lookup> CheckCompiler::FindLookup(const Query& query, const JsonPlace& where,
                                                       const NameScope& scope) {
  const bool whole = query.scope == Query::Scope::kFile || query.scope == Query::Scope::kFiles;
  const bool kept = !query.kinds.empty() && query.table() != FactTable::kMatch && query.table() != FactTable::kFile;
  if (!whole || !kept || !where.value->is_object()) return std::nullopt;
  for (const auto& [key, value] : where.value->items()) {
    if (!value.is_object() || value.size() != 1 || !value.contains("same")) continue;
    const FieldInfo* field = FindField(query.table(), key);
    if (field == nullptr || field->type != FieldType::kText) continue;
    std::optional<Path> wanted = CompilePath(where.At(key).At("same"), scope);
    if (!wanted || (wanted->start == Path::Start::kSlot && wanted->slot == query.slot)) continue;
    return Query::Lookup{field, *std::move(wanted)};
  }
  return std::nullopt;
}

}  // namespace yardmaster::rules
