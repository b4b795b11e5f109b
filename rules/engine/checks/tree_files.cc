#include "rules/engine/checks/tree_files.h"

#include <optional>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/file_roles.h"
#include "services/core/absl_view.h"
#include "services/core/glob.h"

namespace yardmaster::rules {

const std::vector<std::string>& TreeFiles::Paths(TreeSide side) {
  if (tree_ != nullptr) return tree_->Paths(side);
  const auto [it, added] = paths_.try_emplace(side);
  if (added) it->second = PathsOf("**", side);
  return it->second;
}

bool TreeFiles::Has(const std::string& path, TreeSide side) { return absl::c_binary_search(Paths(side), path); }

std::string TreeFiles::PathOf(const Unit& unit) const {
  const bool reviewed =
      absl::c_any_of(units_, [&](const auto& one) { return one.get() == &unit || one->base.get() == &unit; });
  return reviewed ? folder_ + unit.path() : unit.path();
}

std::vector<std::string> TreeFiles::PathsOf(const std::string& glob, TreeSide side) const {
  std::vector<std::string> paths;
  const std::string_view fixed = std::string_view(glob).substr(0, glob.find_first_of("*?"));
  const auto take = [&](const std::string& path) {
    if (fixed.size() == glob.size() ? path == glob : MatchesGlob(glob, path)) paths.push_back(path);
  };
  if (tree_ == nullptr) {
    for (const auto& unit : units_) {
      const Unit* at = side == TreeSide::kBase && !unit->untouched ? unit->base.get() : unit.get();
      if (at != nullptr && !at->gone()) take(at->path());
    }
    absl::c_sort(paths);
    return paths;
  }
  const std::vector<std::string>& all = tree_->Paths(side);
  // A glob without a folder is about names anywhere.
  const bool sorted = absl::StrContains(glob, '/');
  for (auto it = sorted ? absl::c_lower_bound(all, fixed) : all.begin(); it != all.end(); ++it) {
    if (sorted && !it->starts_with(fixed)) break;
    take(*it);
  }
  return paths;
}

const Unit* TreeFiles::FileAt(const std::string& path, TreeSide side, bool parsed) {
  for (const auto& unit : units_) {
    const Unit* at = side == TreeSide::kBase && !unit->untouched ? unit->base.get() : unit.get();
    if (at == nullptr || folder_ + at->path() != path || at->gone()) continue;
    // Of files that no check looks at, a review of a change has no text.
    if (tree_ == nullptr || !at->facts().text.empty()) return at;
    break;
  }
  if (tree_ == nullptr) return nullptr;
  const auto [it, added] = read_.try_emplace({path, side, parsed});
  if (!added) return it->second.get();
  if (read_.size() > kMaxTreeFiles || bytes_ > kMaxTreeBytes) {
    limit_ = absl::StrCat("checks ask for more files of the tree than are read (", kMaxTreeFiles, " files, ",
                          kMaxTreeBytes / 1024 / 1024, " MiB); they see less than there is");
    return nullptr;
  }
  std::optional<std::string> text = tree_->Read(side, path);
  if (!text.has_value()) return nullptr;
  bytes_ += text->size();
  const auto parse = [&] {
    return sources_ == nullptr ? SourceFile::Read(path, *std::move(text), parse_limit_)
                               : sources_->Read(path, *std::move(text), parse_limit_);
  };
  auto unit = std::make_unique<Unit>(parsed ? parse() : SourceFile::Unparsed(path, *std::move(text)));
  unit->judged = false;
  unit->untouched = true;
  AssignRole(checks_, "", "", *unit);
  it->second = std::move(unit);
  return it->second.get();
}

const std::vector<const Unit*>& TreeFiles::Find(const std::string& glob, TreeSide side, bool parsed) {
  const auto [it, added] = found_.try_emplace({glob, side, parsed});
  if (added) {
    const std::vector<std::string> paths = PathsOf(glob, side);
    if (tree_ != nullptr && paths.size() <= kMaxTreeFiles) tree_->Prefetch(side, paths);
    for (const std::string& path : paths) {
      if (const Unit* unit = FileAt(path, side, parsed); unit != nullptr) it->second.push_back(unit);
    }
  }
  return it->second;
}

}  // namespace yardmaster::rules
