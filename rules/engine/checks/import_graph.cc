#include "rules/engine/checks/import_graph.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kInit = "__init__.py";

// "" for what lies at the root, else with a "/" at the end.
std::string Folder(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1));
}

// The folder around one.
std::string Above(std::string_view folder) { return folder.empty() ? "" : Folder(folder.substr(0, folder.size() - 1)); }

bool Runs(const ImportFact& import) {
  return import.place.function == kNoRow && import.place.block == kNoRow && import.place.guard == Guard::kNone &&
         import.form != "include";
}

std::string_view RootOf(std::string_view module) { return module.substr(0, module.find('.')); }

}  // namespace

std::optional<std::string> ImportGraph::FolderOfRoot(const std::string& path, std::string_view root, TreeSide side) {
  const auto there = [&](const std::string& folder) {
    return files_.Has(absl::StrCat(folder, Abs(root), "/", Abs(kInit)), side) ||
           files_.Has(absl::StrCat(folder, Abs(root), ".py"), side);
  };
  std::string own = Folder(path);
  while (!own.empty() && files_.Has(own + std::string(kInit), side)) own = Above(own);
  if (there(own)) return own;
  const auto [it, added] = roots_.try_emplace({std::string(root), side});
  if (!added) return it->second;
  const std::string package = absl::StrCat(Abs(root), "/", Abs(kInit));
  for (const std::string& other : files_.Paths(side)) {
    if (other != package && !absl::EndsWith(other, "/" + package)) continue;
    std::string folder = other.substr(0, other.size() - package.size());
    if (!it->second || folder.size() < it->second->size()) it->second = std::move(folder);
  }
  return it->second;
}

ImportGraph::Paths ImportGraph::Named(const std::string& path, const ImportFact& import, TreeSide side) {
  std::string place;
  if (import.level > 0) {
    place = Folder(path);
    for (uint32_t i = 1; i < import.level; ++i) place = Above(place);
  } else {
    const std::optional<std::string> folder = FolderOfRoot(path, RootOf(import.module), side);
    if (!folder) return {};
    place = *folder;
  }
  const std::string module = absl::StrReplaceAll(Abs(import.module), {{".", "/"}});
  const std::string inside = module.empty() ? place : place + module + "/";
  Paths named;
  const auto add = [&](std::string file) {
    if (files_.Has(file, side)) named.push_back(std::move(file));
  };
  if (!module.empty()) add(place + module + ".py");
  add(inside + std::string(kInit));
  if (import.form == "from") {
    add(absl::StrCat(inside, Abs(import.name), ".py"));
    add(absl::StrCat(inside, Abs(import.name), "/", Abs(kInit)));
  }
  return named;
}

const std::vector<const Unit*>& ImportGraph::LoadedBy(const Unit& unit, RowIndex row, TreeSide side,
                                                      absl::FunctionRef<bool()> step) {
  const std::string path = files_.PathOf(unit);
  const auto known = loaded_.find({path, row, side});
  if (known != loaded_.end()) return known->second;

  std::vector<const Unit*> loaded;
  std::set<std::string> seen;
  Paths waiting;
  const auto load = [&](const std::string& file) {
    for (std::string folder = Folder(file); files_.Has(folder + std::string(kInit), side); folder = Above(folder)) {
      if (seen.insert(folder + std::string(kInit)).second) waiting.push_back(folder + std::string(kInit));
      if (folder.empty()) break;
    }
    if (seen.insert(file).second) waiting.push_back(file);
  };
  if (row == kNoRow) {
    load(path);
  } else {
    for (const std::string& named : Named(path, unit.facts().imports[row], side)) load(named);
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
      for (const std::string& named : Named(file, import, side)) load(named);
    }
  }
  absl::c_sort(loaded, [](const Unit* a, const Unit* b) { return a->path() < b->path(); });
  return loaded_.emplace(std::tuple(path, row, side), std::move(loaded)).first->second;
}

}  // namespace yardmaster::rules
