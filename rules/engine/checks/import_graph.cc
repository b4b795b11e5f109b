#include "rules/engine/checks/import_graph.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

bool Runs(const ImportFact& import) {
  return import.place.function == kNoRow && import.place.block == kNoRow && import.place.guard == Guard::kNone &&
         import.form != "include";
}

}  // namespace

ModulePaths& ImportGraph::Modules(TreeSide side) {
  return modules_.try_emplace(side, files_.Paths(side)).first->second;
}

const std::vector<const Unit*>& ImportGraph::LoadedBy(const Unit& unit, RowIndex row, TreeSide side,
                                                      absl::FunctionRef<bool()> step) {
  const std::string path = files_.PathOf(unit);
  const auto known = loaded_.find({path, row, side});
  if (known != loaded_.end()) return known->second;

  std::vector<const Unit*> loaded;
  std::set<std::string> seen;
  std::vector<std::string> waiting;
  ModulePaths& modules = Modules(side);
  const auto load = [&](const std::string& file) {
    for (std::string& package : modules.PackagesAround(file)) {
      if (seen.insert(package).second) waiting.push_back(std::move(package));
    }
    if (seen.insert(file).second) waiting.push_back(file);
  };
  if (row == kNoRow) {
    load(path);
  } else {
    for (const std::string& named : modules.Named(path, unit.facts().imports[row])) load(named);
  }
  while (!waiting.empty()) {
    if (!step()) return ended_;
    const std::string file = std::move(waiting.back());
    waiting.pop_back();
    const Unit* one = files_.Parsed(file, side);
    if (one == nullptr) continue;
    loaded.push_back(one);
    for (const ImportFact& import : one->facts().imports) {
      if (!Runs(import)) continue;
      for (const std::string& named : modules.Named(file, import)) load(named);
    }
  }
  absl::c_sort(loaded, [](const Unit* a, const Unit* b) { return a->path() < b->path(); });
  return loaded_.emplace(std::tuple(path, row, side), std::move(loaded)).first->second;
}

}  // namespace yardmaster::rules
