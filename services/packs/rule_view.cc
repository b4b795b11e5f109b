#include "services/packs/rule_view.h"

#include <nlohmann/json.hpp>

namespace yardmaster {
namespace {

using nlohmann::json;

std::string Dump(const json& object) {
  return object.empty() ? "" : object.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace

RuleView ViewOf(const v1::RuleInfo& rule) {
  RuleView view;
  json rest = json::parse(rule.json(), nullptr, false);
  if (!rest.is_object()) {
    view.written = rule.json();
    return view;
  }
  rest.erase("id");
  for (const char* key :
       {"title", "severity", "description", "because", "reason", "usage", "help", "message", "fix", "source"}) {
    const auto it = rest.find(key);
    if (it == rest.end()) continue;
    // Texts of commands come in two languages.
    const json& text = it->is_object() ? it->value("en", *it) : *it;
    if (!text.is_string()) continue;
    view.prose.emplace_back(key, text.get<std::string>());
    rest.erase(it);
  }
  json cases = json::object();
  for (const char* key : {"bad", "good"}) {
    if (rule.kind() != "check" || !rest.contains(key)) continue;
    cases[key] = rest[key];
    rest.erase(key);
  }
  view.written = Dump(rest);
  view.cases = Dump(cases);
  return view;
}

}  // namespace yardmaster
