// Queries over rows.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/checks/compile_words.h"
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

std::unique_ptr<Query> CheckCompiler::CompileQuery(const json& value, const std::string& pointer, NameScope& scope,
                                                   std::vector<std::string_view> extra) {
  auto query = std::make_unique<Query>();
  query->anchor = scope.rows.size() - 1;
  query->slot = scope.rows.size();
  if (scope.rows.size() >= kMaxSlots) {
    Add(pointer, "expected at most " + std::to_string(kMaxSlots) + " queries inside each other");
    return nullptr;
  }
  if (value.is_string()) {
    query->kinds = CompileKinds(value, pointer);
    return query->kinds.empty() ? nullptr : std::move(query);
  }
  if (!value.is_object() || !value.contains("each")) {
    Add(pointer, "expected a query: the name of a definition, or an object with \"each\"");
    return nullptr;
  }
  const size_t before = problems_.size();
  NameScope::Row row;
  bool scoped = false;
  for (const auto& [key, part] : value.items()) {
    const std::string at = PointerJoin(pointer, key);
    if (key == "each") {
      if (part == "value") {
        row.table = FactTable::kValue;
        if (!value.contains("in")) Add(pointer, "missing key \"in\"; expected the list to go over");
      } else {
        query->kinds = CompileKinds(part, at);
        if (!query->kinds.empty()) row.table = query->kinds.front().kind.table;
      }
    } else if (key == "in") {
      query->list = CompileList(part, at, scope);
    } else if (key == "as") {
      row.name = part.is_string() ? part.get<std::string>() : std::string();
      const bool taken = std::any_of(scope.rows.begin(), scope.rows.end(),
                                     [&](const NameScope::Row& one) { return one.name == row.name; });
      if (row.name.empty() || row.name == "option" || taken) Add(at, "expected a name that is not taken");
    } else if (key == "scope") {
      const std::string name = part.is_string() ? part.get<std::string>() : std::string();
      const auto* found =
          std::find_if(std::begin(kScopes), std::end(kScopes), [&](const auto& one) { return one.first == name; });
      if (found == std::end(kScopes)) {
        std::vector<std::string_view> known;
        for (const auto& one : kScopes) known.push_back(one.first);
        Add(at, "unknown scope " + Quoted(name) + "; expected one of " + Listed(known) + Suggestion(name, known));
      } else {
        query->scope = found->second;
        scoped = true;
      }
    } else if (key == "of") {
      StaticType type;
      if (!part.is_string()) {
        Add(at, "expected a path");
      } else {
        query->of = CompilePath(part.get<std::string>(), at, scope, type);
        if (query->of && (!type.known || type.type != FieldType::kRow)) Add(at, "expected the path of a reference");
      }
    } else if (key == "files") {
      query->filter_files = true;
      if (part.is_string() || (part.is_array() && !part.empty() && part[0].is_string())) {
        query->roles = Names(part);
        for (const std::string& role : query->roles) {
          const bool known = std::any_of(set_.roles.begin(), set_.roles.end(),
                                         [&](const CompiledRole& one) { return one.info.role == role; });
          if (!known) Add(at, "unknown role " + Quoted(role));
        }
      } else {
        NameScope inner = scope;
        inner.rows.push_back({"", FactTable::kFile});
        query->files = CompileClause(part, at, inner);
      }
    } else if (key == "side") {
      if (part != "base" && part != "head") Add(at, "expected \"base\" or \"head\"");
      query->base = part == "base";
    } else if (key == "where" || std::find(extra.begin(), extra.end(), key) != extra.end()) {
      // Below, when the kind is known.
    } else {
      std::vector<std::string_view> known = {"each", "as", "scope", "of", "files", "side", "where", "in"};
      known.insert(known.end(), extra.begin(), extra.end());
      Add(at, "unknown key " + Quoted(key) + "; expected one of " + Listed(known) + Suggestion(key, known));
    }
  }
  if (query->filter_files && !scoped) query->scope = Query::Scope::kFiles;
  const FactTable around = scope.rows.back().table;
  if ((around == FactTable::kSet || around == FactTable::kValue) && !query->of && !scoped)
    query->scope = Query::Scope::kFiles;
  across_ |= query->scope == Query::Scope::kFiles;
  // Places of this version say nothing about places of the other.
  if (query->base && query->scope != Query::Scope::kFile && query->scope != Query::Scope::kFiles) {
    Add(pointer, "side \"base\" goes with the scopes file and files only");
  }
  if (query->kinds.empty() && query->list == nullptr) return nullptr;
  if (const auto where = value.find("where"); where != value.end()) {
    NameScope inner = scope;
    inner.rows.push_back(row);
    query->where = CompileClause(*where, PointerJoin(pointer, "where"), inner);
  }
  return problems_.size() == before ? std::move(query) : nullptr;
}

}  // namespace yardmaster::rules
