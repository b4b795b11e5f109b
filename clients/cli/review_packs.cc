#include "clients/cli/review_packs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "absl/status/statusor.h"
#include "clients/cli/local_packs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/errors.h"
#include "services/core/packs_dir.h"
#include "services/review/file_sets.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

// Reads a pack and what it extends, and compiles its checks; nullptr after saying what is wrong.
std::shared_ptr<const rules::CheckSet> LoadOne(Session& session, const fs::path& folder) {
  PackAtFolder pack = ReadPackAt(session, folder.string());
  Problems problems = pack.folder.problems;
  std::shared_ptr<const rules::CheckSet> checks =
      rules::LoadChecks(pack.folder.files, pack.name, problems, rules::ChecksFor::kReviews);
  if (checks != nullptr && problems.empty()) {
    if (session.env.kept != nullptr) session.env.kept->push_back(checks);
    return checks;
  }
  rules::LocateProblems(pack.folder.files, problems);
  session.output.Error("the pack '" + pack.name + "' is not valid:");
  ReportProblems(session, problems);
  return nullptr;
}

bool HasChecks(const fs::path& pack) {
  std::error_code ignored;
  return fs::is_directory(pack / "checks", ignored);
}

// The packs below `dir`, by name.
std::vector<std::string> PacksIn(const fs::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    if (IsPackFolder(it->path().string())) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

CheckSets LoadReviewPacks(Session& session, const std::vector<std::string>& names,
                          const std::vector<std::string>& paths, ExitCode& code, PackNotes notes) {
  code = ExitCode::kUsage;
  const absl::StatusOr<fs::path> dir =
      LocatePacksDir(session.options.packs, session.env.variable("YARD_PACKS"), session.env.executable);
  CheckSets sets;
  // 1. By name.
  for (const std::string& name : names) {
    fs::path folder = name;
    if (!IsPackFolder(name)) {
      if (!dir.ok()) {
        session.output.Error(std::string(dir.status().message()));
        return {};
      }
      folder = *dir / name;
      if (name.find('/') != std::string::npos || !IsPackFolder(folder.string())) {
        const std::vector<std::string> known = PacksIn(*dir);
        const std::vector<std::string_view> views(known.begin(), known.end());
        session.output.Error(std::string(errors::PackUnknown(name, views).message()));
        code = ExitCode::kNegative;
        return {};
      }
    }
    std::shared_ptr<const rules::CheckSet> checks = LoadOne(session, folder);
    if (checks == nullptr) return {};
    if (checks->checks().empty()) {
      session.output.Error("the pack '" + checks->pack() + "' has no checks to review with");
      return {};
    }
    sets.push_back(std::move(checks));
  }
  if (!sets.empty()) return sets;

  // 2. Whatever there is.
  if (!dir.ok()) {
    session.output.Error(std::string(dir.status().message()));
    return {};
  }
  std::string all;
  for (const std::string& name : PacksIn(*dir)) {
    if (!HasChecks(*dir / name)) continue;
    std::shared_ptr<const rules::CheckSet> checks = LoadOne(session, *dir / name);
    if (checks == nullptr) return {};
    all += (all.empty() ? "" : ", ") + name;
    sets.push_back(std::move(checks));
  }
  if (sets.empty()) {
    session.output.Error("there is no pack with checks, so nothing can be reviewed");
    return {};
  }
  if (sets.size() > 1) {
    std::erase_if(sets, [&](const std::shared_ptr<const rules::CheckSet>& checks) {
      const RoleTable roles(*checks);
      return std::none_of(paths.begin(), paths.end(),
                          [&](const std::string& path) { return !roles.Match(path).role.empty(); });
    });
  }
  if (sets.empty() && notes == PackNotes::kQuiet) {
    code = ExitCode::kDone;
  } else if (sets.empty()) {
    session.output.Error("which pack? Name one with --pack: " + all);
  } else if (sets.size() == 1 && notes == PackNotes::kTell) {
    session.output.Note("pack: " + sets.front()->pack() + " (--pack names another)");
  }
  return sets;
}

}  // namespace yardmaster::cli
