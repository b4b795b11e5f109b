#include "rules/engine/checks/compile_rule.h"

#include <optional>

#include "rules/engine/checks/compile_conditions.h"

namespace yardmaster::rules {
namespace {

// Named values may name one another whatever their order: references first, so that their kind is known.
void FindReferences(const CheckSet::Impl& set, const RuleSource& source, const JsonPlace& lets, NameScope& scope) {
  for (const auto& [name, value] : lets.value->items()) scope.lets.push_back({name, std::nullopt});
  Problems unused;
  CheckCompiler quiet(set, set.groups, unused);
  quiet.SetDocument(source.document);
  for (int pass = 0; pass < 3; ++pass) {
    for (NameScope::Let& let : scope.lets) {
      StaticType type;
      if (quiet.CompileOperand(lets.At(let.name), scope, &type) && type.IsRow()) let.table = type.table;
    }
  }
}

}  // namespace

const JsonPlace* FindKey(const RuleKeys& keys, std::string_view key) {
  const auto it = keys.find(key);
  return it == keys.end() ? nullptr : &it->second;
}

std::unique_ptr<const RuleBody> CompileRuleBody(const CheckSet::Impl& set, const RuleSource& source,
                                                Problems& problems) {
  const size_t before = problems.size();
  CheckCompiler compiler(set, set.groups, problems);
  compiler.SetDocument(source.document);
  NameScope scope = source.scope;
  auto body = std::make_unique<RuleBody>();
  const auto find = [&](std::string_view key) { return FindKey(source.keys, key); };
  if (const JsonPlace* lets = find("let")) {
    FindReferences(set, source, *lets, scope);
    for (const NameScope::Let& let : scope.lets) {
      body->lets.push_back(compiler.CompileOperand(lets->At(let.name), scope));
    }
  }
  const auto clause = [&](std::string_view key) {
    const JsonPlace* at = find(key);
    return at == nullptr ? Clause() : compiler.CompileClause(*at, scope);
  };
  body->where = clause("where");
  body->exempt = clause("exempt");
  const auto text = [&](std::string_view key) {
    const JsonPlace* at = find(key);
    return at == nullptr ? Template() : compiler.CompileTemplate(*at, scope).value_or(Template());
  };
  body->message = text("message");
  body->message_zh = text("message_zh");
  body->fix = text("fix");
  body->fix_zh = text("fix_zh");
  if (find("path") != nullptr) body->path = text("path");
  if (const JsonPlace* place = find("place")) body->place = compiler.CompileReference(*place, scope);
  if (const JsonPlace* edit = find("edit")) {
    body->edit_place = compiler.CompileReference(edit->At("replace"), scope);
    body->edit_text = compiler.CompileTemplate(edit->At("with"), scope).value_or(Template());
  }
  body->across = compiler.across();
  body->tree = compiler.tree();
  body->use = compiler.TakeUse();
  if (problems.size() != before) return nullptr;
  if (source.explained) body->conditions = CompileConditions(set, source, scope);
  return body;
}

}  // namespace yardmaster::rules
