#include "rules/engine/code/module_paths.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kInit = "__init__.py";

// The folder around one.
std::string FolderAbove(std::string_view folder) {
  return folder.empty() ? "" : FolderOfPath(folder.substr(0, folder.size() - 1));
}

}  // namespace

std::string FolderOfPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1));
}

bool ModulePaths::Has(const std::string& path) const { return absl::c_binary_search(paths_, path); }

std::vector<std::string> ModulePaths::PackagesAround(const std::string& file) const {
  std::vector<std::string> packages;
  for (std::string folder = FolderOfPath(file); Has(folder + std::string(kInit)); folder = FolderAbove(folder)) {
    packages.push_back(folder + std::string(kInit));
    if (folder.empty()) break;
  }
  return packages;
}

std::optional<std::string> ModulePaths::FolderOfRoot(const std::string& importer, std::string_view root) {
  const auto there = [&](const std::string& folder) {
    return Has(absl::StrCat(folder, Abs(root), "/", Abs(kInit))) || Has(absl::StrCat(folder, Abs(root), ".py"));
  };
  std::string own = FolderOfPath(importer);
  while (!own.empty() && Has(own + std::string(kInit))) own = FolderAbove(own);
  if (there(own)) return own;
  const auto [it, added] = roots_.try_emplace(std::string(root));
  if (!added) return it->second;
  const std::string package = absl::StrCat(Abs(root), "/", Abs(kInit));
  for (const std::string& other : paths_) {
    if (other != package && !absl::EndsWith(other, "/" + package)) continue;
    std::string folder = other.substr(0, other.size() - package.size());
    if (!it->second || folder.size() < it->second->size()) it->second = std::move(folder);
  }
  return it->second;
}

std::vector<std::string> ModulePaths::Named(const std::string& importer, const ImportFact& import) {
  std::string place;
  if (import.level > 0) {
    place = FolderOfPath(importer);
    for (uint32_t i = 1; i < import.level; ++i) place = FolderAbove(place);
  } else {
    const std::string_view root = import.module.substr(0, import.module.find('.'));
    const std::optional<std::string> folder = FolderOfRoot(importer, root);
    if (!folder) return {};
    place = *folder;
  }
  const std::string module = absl::StrReplaceAll(Abs(import.module), {{".", "/"}});
  const std::string inside = module.empty() ? place : place + module + "/";
  std::vector<std::string> named;
  const auto add = [&](std::string file) {
    if (Has(file)) named.push_back(std::move(file));
  };
  if (!module.empty()) add(place + module + ".py");
  add(inside + std::string(kInit));
  if (import.form == "from") {
    add(absl::StrCat(inside, Abs(import.name), ".py"));
    add(absl::StrCat(inside, Abs(import.name), "/", Abs(kInit)));
  }
  return named;
}

}  // namespace yardmaster::rules
