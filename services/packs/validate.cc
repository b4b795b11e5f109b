#include "services/packs/validate.h"

#include <re2/re2.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/linters/linter_settings.h"
#include "rules/engine/pack/pack_model.h"
#include "rules/engine/pattern_cost.h"
#include "rules/engine/phrases/phrase_set.h"
#include "rules/engine/pipeline/profile.h"
#include "rules/engine/suites/load_suites.h"
#include "services/core/errors.h"
#include "services/core/limits.h"

namespace yardmaster {
namespace {

// True if the path is that of a file or folder of the pack, or of the whole
// folder.
bool Concerns(const std::string& path, const std::string& pack) {
  return path.find('/') == std::string::npos ? path == pack || path.empty() : path.starts_with(pack + "/");
}

}  // namespace

PacksFolder ReadPacksFolder(const std::filesystem::path& packs_dir) {
  PacksFolder folder;
  folder.files = rules::ReadPackFiles(packs_dir, folder.problems);
  return folder;
}

absl::Status ReplacePack(std::string_view name, const InlineFiles& files, PacksFolder& folder) {
  // Another character would reach into other packs' folders.
  static const RE2 kPlainName("[a-z0-9_.-]+");
  if (name.size() > kMaxNameBytes || !RE2::FullMatch(name, kPlainName))
    return errors::FieldInvalid("pack", "a name of lower-case letters, digits, \"-\", \"_\" and \".\"");
  if (files.size() > kMaxInlinePackFiles) return errors::OverLimit("files", files.size(), kMaxInlinePackFiles, "files");

  const std::string prefix = std::string(name) + "/";
  const auto begin = folder.files.lower_bound(prefix);
  auto end = begin;
  while (end != folder.files.end() && end->first.starts_with(prefix)) ++end;
  folder.files.erase(begin, end);
  // What was wrong with files that are no longer there does not matter.
  std::erase_if(folder.problems, [&](const Problem& problem) { return problem.file.starts_with(prefix); });
  for (const auto& [path, bytes] : files) {
    if (path.empty() || path.size() > kMaxNameBytes) {
      return errors::FieldInvalid("files.path", "a path inside the pack's folder");
    }
    if (!folder.files.emplace(prefix + std::string(path), bytes).second) {
      return errors::FieldInvalid("files.path", "every path once");
    }
  }
  return absl::OkStatus();
}

std::shared_ptr<const rules::CompiledPack> BuildPack(const PacksFolder& folder, std::string_view name,
                                                     Problems& problems) {
  Problems found;
  const std::vector<std::string> chain = rules::PackChain(folder.files, name);
  for (const Problem& problem : folder.problems) {
    const auto concerned = [&](const std::string& pack) { return Concerns(problem.file, pack); };
    if (absl::c_any_of(chain, concerned)) found.push_back(problem);
  }
  // A folder that can't be read at all has one problem, under its own name;
  // that each pack is missing then says nothing more.
  if (folder.files.empty() && !folder.problems.empty()) {
    found = folder.problems;
  } else {
    std::optional<rules::PackModel> model = rules::LoadPack(folder.files, name, found);
    if (model && found.empty()) {
      std::shared_ptr<const rules::CompiledPack> pack = rules::CompiledPack::Compile(*std::move(model), found);
      // Checks, suites, phrases, profiles and linters are read for their
      // problems.
      if (pack != nullptr) rules::LoadChecks(folder.files, name, found);
      if (pack != nullptr) rules::LoadSuites(folder.files, name, found);
      if (pack != nullptr) rules::LoadPipeline(folder.files, name, found);
      if (pack != nullptr) rules::LoadLinters(folder.files, name, found);
      if (pack != nullptr && !rules::PackWithPhrases(folder.files, name).empty()) {
        rules::PhraseSet::Load(folder.files, name, found);
      }
      if (pack != nullptr && found.empty()) return pack;
      rules::LocateProblems(folder.files, found);
    }
  }
  SortProblems(found);
  problems.insert(problems.end(), found.begin(), found.end());
  return nullptr;
}

Problems PackWarnings(const PacksFolder& folder, const rules::CompiledPack& pack) {
  Problems found = rules::CostlyPatterns(pack.model());
  // Inherited ones are told where the parent is checked.
  std::erase_if(found, [&](const Problem& problem) {
    return !problem.file.empty() && !Concerns(problem.file, pack.model().name);
  });
  rules::LocateProblems(folder.files, found);
  SortProblems(found);
  return found;
}

}  // namespace yardmaster
