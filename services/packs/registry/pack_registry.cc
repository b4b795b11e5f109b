#include "services/packs/registry/pack_registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/compiled_parts.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pack/schema_validator.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/packs/registry/shadow_packs.h"

namespace yardmaster {

std::shared_ptr<const rules::CompiledPack> PackSet::Find(std::string_view name) const {
  auto it = packs_.find(name);
  return it == packs_.end() ? nullptr : it->second;
}

std::shared_ptr<const rules::CheckSet> PackSet::FindChecks(std::string_view name) const {
  auto it = checks_.find(name);
  return it == checks_.end() ? nullptr : it->second;
}

std::shared_ptr<const rules::PhraseSet> PackSet::FindPhrases(std::string_view name) const {
  auto it = phrases_.find(name);
  return it == phrases_.end() ? nullptr : it->second;
}

std::shared_ptr<const rules::PipelineProfile> PackSet::FindPipeline(std::string_view name) const {
  const auto it = pipelines_.find(name);
  return it == pipelines_.end() ? nullptr : it->second;
}

std::shared_ptr<const PackSet> PackSet::FindShadow(std::string_view key) const {
  const auto it = shadows_.find(key);
  return it == shadows_.end() ? nullptr : it->second;
}

std::shared_ptr<const PackSet> PackSet::Replacing(const std::string& name,
                                                  std::shared_ptr<const rules::CompiledPack> pack,
                                                  std::shared_ptr<const rules::CheckSet> checks) const {
  auto replaced = std::make_shared<PackSet>(packs_, checks_, phrases_, pipelines_);
  replaced->packs_[name] = std::move(pack);
  replaced->checks_[name] = std::move(checks);
  return replaced;
}

std::shared_ptr<const PackSet> PackSet::With(Shadows shadows) const {
  auto all = std::make_shared<PackSet>(*this);
  all->shadows_ = std::move(shadows);
  return all;
}

absl::Status UnknownPack(const PackSet& packs, std::string_view name) {
  std::vector<std::string_view> known;
  known.reserve(packs.packs().size());
  for (const auto& [pack, unused] : packs.packs()) known.push_back(pack);
  return errors::PackUnknown(name, known);
}

absl::StatusOr<std::shared_ptr<const rules::CompiledPack>> FindPack(const PackSet& packs, std::string_view name) {
  if (name.empty()) return errors::FieldMissing("pack");
  if (name.size() > kMaxNameBytes) return errors::OverLimit("pack", name.size(), kMaxNameBytes, "bytes");
  if (std::shared_ptr<const rules::CompiledPack> pack = packs.Find(name); pack != nullptr) return pack;
  return UnknownPack(packs, name);
}

namespace {

std::shared_ptr<const PackSet> LoadWithShadows(const std::filesystem::path& packs_dir, const ShadowSources& shadows,
                                               Problems& problems) {
  Problems found;
  const rules::PackFiles files = rules::ReadPackFiles(packs_dir, found);
  if (rules::PackNames(files).empty() && found.empty()) {
    found.push_back({packs_dir.string(), "", 0, 0, "there is no pack here: expected folders with a pack.json"});
  }
  return WithShadows(LoadPackSet(files, std::move(found), problems), files, shadows, problems);
}

}  // namespace

std::shared_ptr<const PackSet> LoadPackSet(const std::filesystem::path& packs_dir, Problems& problems) {
  return LoadWithShadows(packs_dir, {}, problems);
}

std::shared_ptr<const PackSet> LoadPackSet(const rules::PackFiles& files, Problems found, Problems& problems) {
  const std::vector<std::string> names = rules::PackNames(files);
  // Packs are compiled side by side, since the start waits for them; what several of them inherit is read and compiled
  // once. A bad one does not stop the others, so that all problems of all packs are told at once.
  struct Result {
    std::shared_ptr<const rules::CompiledPack> pack;
    std::shared_ptr<const rules::CheckSet> checks;
    std::shared_ptr<const rules::PhraseSet> phrases;
    std::shared_ptr<const rules::PipelineProfile> pipeline;
    Problems problems;
  };
  std::vector<Result> results(names.size());
  rules::PackLoader loader(files);
  rules::CompiledParts shared;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < names.size(); i = next.fetch_add(1)) {
      std::optional<rules::PackModel> model = loader.Load(names[i], results[i].problems);
      if (!model.has_value()) continue;
      results[i].pack = rules::CompiledPack::Compile(*std::move(model), shared, results[i].problems);
      results[i].checks = rules::LoadChecks(files, names[i], results[i].problems);
      results[i].pipeline = rules::LoadPipeline(files, names[i], results[i].problems);
      // Suites are no part of what a daemon answers: who runs them reads and checks them, and so does `rules validate`.
      // A pack without phrases of its own shares those of another one; see below.
      if (rules::PackWithPhrases(files, names[i]) == names[i]) {
        results[i].phrases = rules::PhraseSet::Load(files, names[i], results[i].problems);
      }
    }
  };
  {
    const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxPackLoadThreads);
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < std::min(cores, names.size()); ++i) helpers.emplace_back(work);
    work();
  }
  rules::SchemaValidator::Get().Forget();
  PackSet::Packs packs;
  PackSet::Checks checks;
  PackSet::Pipelines pipelines;
  for (size_t i = 0; i < names.size(); ++i) {
    found.insert(found.end(), results[i].problems.begin(), results[i].problems.end());
    if (results[i].pack != nullptr) packs.emplace(names[i], std::move(results[i].pack));
    if (results[i].checks != nullptr) checks.emplace(names[i], std::move(results[i].checks));
    if (results[i].pipeline != nullptr) pipelines.emplace(names[i], std::move(results[i].pipeline));
  }
  PackSet::Phrases phrases;
  for (const std::string& name : names) {
    const auto owner = absl::c_find(names, rules::PackWithPhrases(files, name));
    if (owner != names.end()) phrases.emplace(name, results[static_cast<size_t>(owner - names.begin())].phrases);
  }
  if (!found.empty()) {
    rules::LocateProblems(files, found);
    // A problem of a pack shows up once for each pack that extends it.
    SortProblems(found);
    problems.insert(problems.end(), found.begin(), found.end());
    return nullptr;
  }
  return std::make_shared<const PackSet>(std::move(packs), std::move(checks), std::move(phrases), std::move(pipelines));
}

std::unique_ptr<PackRegistry> PackRegistry::Open(std::filesystem::path packs_dir, Problems& problems,
                                                 ShadowSources shadows) {
  std::shared_ptr<const PackSet> packs = LoadWithShadows(packs_dir, shadows, problems);
  if (packs == nullptr) return nullptr;
  return std::make_unique<PackRegistry>(std::move(packs_dir), std::move(packs), std::move(shadows));
}

PackRegistry::PackRegistry(std::filesystem::path packs_dir, std::shared_ptr<const PackSet> packs, ShadowSources shadows)
    : packs_dir_(std::move(packs_dir)), shadows_(std::move(shadows)), current_(std::move(packs)) {
  CompileQueries(current_);
}

void PackRegistry::CompileQueries(std::shared_ptr<const PackSet> packs) {
  const bool any =
      packs != nullptr && absl::c_any_of(packs->checks(), [](const auto& entry) { return entry.second->queries(); });
  if (!any) return;
  // Those of the last load first come to their end.
  queries_ = std::jthread([packs = std::move(packs)](const std::stop_token& stop) {
    for (const auto& [name, checks] : packs->checks()) {
      if (!stop.stop_requested()) checks->CompileQueries();
    }
  });
}

std::shared_ptr<const PackSet> PackRegistry::Current() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return current_;
}

Problems PackRegistry::Reload() {
  std::lock_guard<std::mutex> one_at_a_time(reload_mutex_);
  Problems problems;
  std::shared_ptr<const PackSet> packs = LoadWithShadows(packs_dir_, shadows_, problems);
  std::shared_ptr<const PackSet> in_service;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    last_problems_ = problems;
    if (packs != nullptr) current_.swap(packs);
    in_service = current_;
  }
  // `packs` now holds the old ones, if any: they go when their last user lets go.
  packs.reset();
  if (problems.empty()) CompileQueries(in_service);
  if (listener_) listener_(problems, *in_service);
  return problems;
}

Problems PackRegistry::LastReloadProblems() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return last_problems_;
}

}  // namespace yardmaster
