#include "clients/cli/review_packs.h"

#include <filesystem>
#include <map>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/local_packs.h"
#include "rules/engine/checks/rule_names.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/status_macros.h"
#include "services/review/file_sets.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

// Reads a pack and what it extends, and compiles its checks.
absl::StatusOr<std::shared_ptr<const rules::CheckSet>> LoadOne(const Session& session, const fs::path& folder) {
  PackAtFolder pack = ReadPackAt(session, folder.string());
  Problems problems = pack.folder.problems;
  std::shared_ptr<const rules::CheckSet> checks =
      rules::LoadChecks(pack.folder.files, pack.name, problems, rules::ChecksFor::kReviews);
  if (checks == nullptr || !problems.empty()) {
    rules::LocateProblems(pack.folder.files, problems);
    return ProblemsError(absl::StrCat("the pack '", pack.name, "' is not valid:"), problems);
  }
  if (session.env.kept != nullptr) session.env.kept->push_back(checks);
  return checks;
}

bool HasChecks(const fs::path& pack) {
  std::error_code ignored;
  return fs::is_directory(pack / "checks", ignored);
}

// The packs below the folders, by name; the first folder that has a name counts.
std::map<std::string, fs::path> PacksIn(const std::vector<fs::path>& dirs) {
  std::map<std::string, fs::path> packs;
  for (const fs::path& dir : dirs) {
    std::error_code error;
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
      if (IsPackFolder(it->path().string())) packs.emplace(it->path().filename().string(), it->path());
    }
  }
  return packs;
}

absl::StatusOr<CheckSets> LoadNamedPacks(const Session& session, const std::vector<std::string>& names) {
  CheckSets sets;
  for (const std::string& name : names) {
    fs::path folder = name;
    if (!IsPackFolder(name)) {
      ASSIGN_OR_RETURN(const std::vector<fs::path> dirs, LocalPacksDirs(session));
      const std::map<std::string, fs::path> known = PacksIn(dirs);
      const auto found = known.find(name);
      if (found == known.end()) {
        std::vector<std::string> known_names;
        known_names.reserve(known.size());
        for (const auto& [pack, unused] : known) known_names.push_back(pack);
        return PackUnknown(name, known_names);
      }
      folder = found->second;
    }
    ASSIGN_OR_RETURN(sets.emplace_back(), LoadOne(session, folder));
    if (sets.back()->checks().empty()) {
      return UsageError(absl::StrCat("the pack '", sets.back()->pack(), "' has no checks to review with"));
    }
  }
  return sets;
}

}  // namespace

absl::StatusOr<CheckSets> LoadReviewPacks(Session& session, const std::vector<std::string>& names,
                                          const std::vector<std::string>& paths, PackNotes notes) {
  if (!names.empty()) return LoadNamedPacks(session, names);
  ASSIGN_OR_RETURN(const std::vector<fs::path> dirs, LocalPacksDirs(session));
  CheckSets sets;
  std::vector<std::string> all;
  for (const auto& [name, folder] : PacksIn(dirs)) {
    if (!HasChecks(folder)) continue;
    ASSIGN_OR_RETURN(sets.emplace_back(), LoadOne(session, folder));
    all.push_back(name);
  }
  if (sets.empty() && notes == PackNotes::kTell)
    return UsageError("there is no pack with checks, so nothing can be reviewed");
  if (sets.size() > 1) {
    std::erase_if(sets, [&](const std::shared_ptr<const rules::CheckSet>& checks) {
      const RoleTable roles(*checks);
      return absl::c_none_of(paths, [&](const std::string& path) { return !roles.Match(path).role.empty(); });
    });
  }
  if (sets.empty() && notes == PackNotes::kTell) {
    return UsageError(absl::StrCat("which pack? Name one with --pack: ", absl::StrJoin(all, ", ")));
  }
  if (sets.size() == 1 && notes == PackNotes::kTell) {
    session.output.Note(absl::StrCat("pack: ", sets.front()->pack(), " (--pack names another)"));
  }
  return sets;
}

absl::Status CheckRules(const std::vector<std::string>& rules, const CheckSets& packs) {
  for (const std::string& rule : rules) {
    const bool known = absl::c_any_of(packs, [&](const auto& pack) {
      return absl::c_any_of(pack->checks(), [&](const rules::CheckInfo& check) { return IsNamed(check, rule); });
    });
    if (!known) return NegativeError(absl::StrCat("there is no check '", rule, "' in the packs"));
  }
  return absl::OkStatus();
}

}  // namespace yardmaster::cli
