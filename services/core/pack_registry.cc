#include "services/core/pack_registry.h"

#include <utility>

#include "rules/engine/pack_loader.h"

namespace yardmaster {

std::shared_ptr<const rules::CompiledPack> PackSet::Find(std::string_view name) const {
  auto it = packs_.find(name);
  return it == packs_.end() ? nullptr : it->second;
}

std::shared_ptr<const PackSet> LoadPackSet(const std::filesystem::path& packs_dir, rules::Problems& problems) {
  rules::Problems found;
  const rules::PackFiles files = rules::ReadPackFiles(packs_dir, found);
  const std::vector<std::string> names = rules::PackNames(files);
  if (names.empty() && found.empty()) {
    found.push_back({packs_dir.string(), "", 0, 0, "there is no pack here: expected folders with a pack.json"});
  }
  // Go on after a bad pack: all problems of all packs are told at once.
  PackSet::Packs packs;
  for (const std::string& name : names) {
    std::optional<rules::PackModel> model = rules::LoadPack(files, name, found);
    if (!model.has_value()) continue;
    std::shared_ptr<const rules::CompiledPack> pack = rules::CompiledPack::Compile(*std::move(model), found);
    if (pack != nullptr) packs.emplace(name, std::move(pack));
  }
  if (!found.empty()) {
    rules::LocateProblems(files, found);
    // A problem of a pack shows up once for each pack that extends it.
    rules::SortProblems(found);
    problems.insert(problems.end(), found.begin(), found.end());
    return nullptr;
  }
  return std::make_shared<const PackSet>(std::move(packs));
}

std::unique_ptr<PackRegistry> PackRegistry::Open(std::filesystem::path packs_dir, rules::Problems& problems) {
  std::shared_ptr<const PackSet> packs = LoadPackSet(packs_dir, problems);
  if (packs == nullptr) return nullptr;
  return std::make_unique<PackRegistry>(std::move(packs_dir), std::move(packs));
}

PackRegistry::PackRegistry(std::filesystem::path packs_dir, std::shared_ptr<const PackSet> packs)
    : packs_dir_(std::move(packs_dir)), current_(std::move(packs)) {}

std::shared_ptr<const PackSet> PackRegistry::Current() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return current_;
}

rules::Problems PackRegistry::Reload() {
  std::lock_guard<std::mutex> one_at_a_time(reload_mutex_);
  rules::Problems problems;
  std::shared_ptr<const PackSet> packs = LoadPackSet(packs_dir_, problems);
  std::shared_ptr<const PackSet> in_service;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    last_problems_ = problems;
    if (packs != nullptr) current_.swap(packs);
    in_service = current_;
  }
  // `packs` now holds the old ones, if any: they go when their last user lets go.
  packs.reset();
  if (listener_) listener_(problems, *in_service);
  return problems;
}

rules::Problems PackRegistry::LastReloadProblems() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return last_problems_;
}

}  // namespace yardmaster
