#include "services/dispatch/engines/engines.h"

#include "services/dispatch/engines/local_engine.h"

namespace yardmaster::dispatch {
namespace {

const std::vector<const Engine*>& AllEngines() {
  static const LocalEngine kLocal;
  static const auto* const kEngines = new std::vector<const Engine*>{&kLocal};
  return *kEngines;
}

}  // namespace

const Engine* FindEngine(std::string_view name) {
  for (const Engine* engine : AllEngines()) {
    if (engine->name() == name) return engine;
  }
  return nullptr;
}

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (const Engine* engine : AllEngines()) names.emplace_back(engine->name());
  return names;
}

}  // namespace yardmaster::dispatch
