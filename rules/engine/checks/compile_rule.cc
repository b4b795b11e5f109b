#include "rules/engine/checks/compile_rule.h"

#include <optional>
#include <vector>

namespace yardmaster::rules {

std::unique_ptr<const RuleBody> CompileRuleBody(const CheckSet::Impl& set, const RuleSource& source,
                                                Problems& problems) {
  const size_t before = problems.size();
  CheckCompiler compiler(set, set.groups, problems);
  compiler.SetDocument(source.document);
  NameScope scope = source.scope;
  auto body = std::make_unique<RuleBody>();
  const auto find = [&](const char* key) -> const std::pair<const nlohmann::json*, std::string>* {
    const auto found = source.keys.find(key);
    return found == source.keys.end() ? nullptr : &found->second;
  };

  // Named values may name one another whatever their order: references first, so that their kind is known.
  if (const auto* lets = find("let")) {
    for (const auto& [name, value] : lets->first->items()) scope.lets.push_back({name, std::nullopt});
    Problems unused;
    CheckCompiler quiet(set, set.groups, unused);
    quiet.SetDocument(source.document);
    for (int pass = 0; pass < 3; ++pass) {
      size_t i = 0;
      for (const auto& [name, value] : lets->first->items()) {
        StaticType type;
        const auto operand = quiet.CompileOperand(value, "", scope, &type);
        if (operand != nullptr && type.known && type.type == FieldType::kRow) scope.lets[i].table = type.table;
        ++i;
      }
    }
    for (const auto& [name, value] : lets->first->items()) {
      body->lets.push_back(compiler.CompileOperand(value, PointerJoin(lets->second, name), scope));
    }
  }
  const auto clause = [&](const char* key) -> std::unique_ptr<Clause> {
    const auto* part = find(key);
    return part == nullptr ? nullptr : compiler.CompileClause(*part->first, part->second, scope);
  };
  body->where = clause("where");
  body->exempt = clause("exempt");
  const auto text = [&](const char* key) {
    const auto* part = find(key);
    if (part == nullptr) return Template();
    auto out = compiler.CompileTemplate(part->first->get<std::string>(), part->second, scope);
    return out ? std::move(*out) : Template();
  };
  body->message = text("message");
  body->message_zh = text("message_zh");
  body->fix = text("fix");
  body->fix_zh = text("fix_zh");
  if (find("path") != nullptr) body->path = text("path");
  if (const auto* place = find("place")) {
    StaticType type;
    body->place = compiler.CompilePath(place->first->get<std::string>(), place->second, scope, type);
    if (body->place && (!type.known || type.type != FieldType::kRow)) {
      compiler.Add(place->second, "expected the path of a reference");
    }
  }
  if (const auto* edit = find("edit")) {
    StaticType type;
    const std::string at = PointerJoin(edit->second, "replace");
    body->edit_place = compiler.CompilePath(edit->first->at("replace").get<std::string>(), at, scope, type);
    if (body->edit_place && (!type.known || type.type != FieldType::kRow)) {
      compiler.Add(at, "expected the path of a reference");
    }
    auto with =
        compiler.CompileTemplate(edit->first->at("with").get<std::string>(), PointerJoin(edit->second, "with"), scope);
    if (with) body->edit_text = std::move(*with);
  }
  body->across = compiler.across();
  return problems.size() == before ? std::move(body) : nullptr;
}

}  // namespace yardmaster::rules
