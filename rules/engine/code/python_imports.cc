// Imports, and the names that they bind.
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/code/python_walker.h"

namespace yardmaster::rules {

void PythonReader::Import(Kind kind) {
  std::string_view module;
  uint32_t level = 0;
  if (kind == kFutureImport) module = "__future__";
  const ByteSpan span = SpanOf(Current());
  const auto add = [&](std::string_view name, std::string_view alias, ByteSpan where) {
    CountRow();
    ImportFact& fact = facts_.imports.emplace_back();
    fact.span = kind == kImportNode ? where : span;
    fact.place = place_;
    fact.form = kind == kImportNode ? "import" : "from";
    fact.top = level_ == Level::kModule && place_.guard == Guard::kNone && !facts_.statements[place_.statement].nested;
    fact.level = level;
    fact.alias = alias;
    if (kind == kImportNode) {
      fact.module = name;
      fact.bound = alias.empty() ? name.substr(0, name.find('.')) : alias;
      facts_.aliases[fact.bound] = alias.empty() ? fact.bound : name;
    } else {
      fact.module = module;
      fact.name = name;
      fact.bound = alias.empty() ? name : alias;
      if (name == "*") return;
      std::string full(level, '.');
      full += module;
      if (!module.empty()) full += '.';
      full += name;
      facts_.aliases[fact.bound] = Keep(std::move(full));
    }
  };
  ForEachChild([&] {
    const TSNode node = Current();
    const TSFieldId field = CurrentField();
    if (!ts_node_is_named(node)) return;
    const std::string_view type = ts_node_type(node);
    if (field == g_.module_name) {
      module = TextOf(node);
      while (!module.empty() && (module.front() == '.' || module.front() == ' ')) {
        level += module.front() == '.';
        module.remove_prefix(1);
      }
    } else if (type == "wildcard_import") {
      add("*", {}, SpanOf(node));
    } else if (type == "aliased_import") {
      const TSNode name = ts_node_child_by_field_id(node, g_.name);
      const TSNode alias = ts_node_child_by_field_id(node, g_.alias);
      if (!ts_node_is_null(name) && !ts_node_is_null(alias)) add(TextOf(name), TextOf(alias), SpanOf(node));
    } else if (field == g_.name) {
      add(TextOf(node), {}, SpanOf(node));
    }
  });
}

}  // namespace yardmaster::rules
