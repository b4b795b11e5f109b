#include "services/packs/registry/shadow_packs.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

// The files of the packs folder with the shadow's own in the place of the pack's.
rules::PackFiles FilesWithShadow(const rules::PackFiles& files, const ShadowConfig& shadow, Problems& problems) {
  const std::string prefix = shadow.pack + "/";
  rules::PackFiles all;
  for (const auto& [path, bytes] : files) {
    if (!path.starts_with(prefix)) all.emplace(path, bytes);
  }
  for (auto& [path, bytes] : rules::ReadPackFolder(shadow.folder, problems)) {
    all.emplace(prefix + path.substr(path.find('/') + 1), std::move(bytes));
  }
  return all;
}

// "FILE:LINE: what", with the path of the shadow's own files.
std::string InShadow(const ShadowConfig& shadow, const Problem& problem) {
  const std::string prefix = shadow.pack + "/";
  std::string file = problem.file;
  if (file.starts_with(prefix)) file = (shadow.folder / file.substr(prefix.size())).string();
  return absl::StrCat(file, problem.line == 0 ? "" : absl::StrCat(":", problem.line), ": ",
                      problem.pointer.empty() ? "" : problem.pointer + ": ", problem.message);
}

}  // namespace

ShadowSources ShadowsOf(const Config& config) {
  ShadowSources sources;
  sources.config_file = config.file;
  for (const RepositoryConfig& repository : config.repositories) {
    if (repository.shadow.has_value()) sources.shadows.push_back(*repository.shadow);
  }
  return sources;
}

std::shared_ptr<const PackSet> WithShadows(const std::shared_ptr<const PackSet>& packs, const rules::PackFiles& files,
                                           const ShadowSources& sources, Problems& problems) {
  if (packs == nullptr || sources.shadows.empty()) return packs;
  PackSet::Shadows shadows;
  Problems told;
  for (const ShadowConfig& shadow : sources.shadows) {
    // Several repositories may name the same one.
    if (shadows.count(shadow.Key()) > 0) continue;
    Problems found;
    const rules::PackFiles all = FilesWithShadow(files, shadow, found);
    std::shared_ptr<const rules::CompiledPack> pack;
    std::shared_ptr<const rules::CheckSet> checks;
    if (found.empty()) {
      std::optional<rules::PackModel> model = rules::LoadPack(all, shadow.pack, found);
      if (model.has_value()) pack = rules::CompiledPack::Compile(*std::move(model), found);
      checks = rules::LoadChecks(all, shadow.pack, found);
    }
    if (!found.empty() || pack == nullptr) {
      rules::LocateProblems(all, found);
      SortProblems(found);
      std::string text = absl::StrCat("the revision of the pack \"", shadow.pack, "\" in ", shadow.folder.string(),
                                      " can't run in the shadow");
      for (const Problem& problem : found) absl::StrAppend(&text, "\n  ", InShadow(shadow, problem));
      told.push_back({sources.config_file.string(), shadow.pointer, shadow.line, 0, std::move(text)});
      continue;
    }
    shadows[shadow.Key()] = packs->Replacing(shadow.pack, std::move(pack), std::move(checks));
  }
  if (!told.empty()) {
    problems.insert(problems.end(), told.begin(), told.end());
    return nullptr;
  }
  return packs->With(std::move(shadows));
}

std::shared_ptr<const PackSet> ShadowFor(const Config& config, const PackSet& packs, std::string_view forge,
                                         std::string_view repository, std::string_view pack) {
  const RepositoryConfig* entry = config.FindRepository(forge, repository);
  if (entry == nullptr || !entry->shadow.has_value() || entry->shadow->pack != pack) return nullptr;
  std::shared_ptr<const PackSet> shadow = packs.FindShadow(entry->shadow->Key());
  if (shadow == nullptr) return nullptr;
  const std::shared_ptr<const rules::CompiledPack> in_service = packs.Find(pack);
  const std::shared_ptr<const rules::CompiledPack> beside = shadow->Find(pack);
  if (in_service == nullptr || beside == nullptr) return nullptr;
  return in_service->model().revision == beside->model().revision ? nullptr : shadow;
}

}  // namespace yardmaster
