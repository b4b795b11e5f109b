#include "clients/cli/local_packs.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/errors.h"
#include "services/core/packs_dir.h"
#include "services/packs/answers.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<fs::path> PacksDir(Session& session) {
  return LocatePacksDir(session.options.packs, session.env.variable("YARD_PACKS"), session.env.executable);
}

// --packs and so on; nullopt after saying why.
std::optional<fs::path> LocalPacksDir(Session& session) {
  absl::StatusOr<fs::path> dir = PacksDir(session);
  if (dir.ok()) return *std::move(dir);
  session.output.Error(std::string(dir.status().message()));
  return std::nullopt;
}

}  // namespace

std::optional<PacksFolder> LocalPacksFolder(Session& session) {
  const std::optional<fs::path> dir = LocalPacksDir(session);
  if (!dir.has_value()) return std::nullopt;
  PacksFolder folder = ReadPacksFolder(*dir);
  if (!folder.files.empty() || folder.problems.empty()) return folder;
  session.output.Error("the packs in '" + dir->string() + "' can't be read:");
  ReportProblems(session, folder.problems);
  return std::nullopt;
}

std::shared_ptr<const PackSet> CompileLocalPacks(Session& session) {
  const std::optional<fs::path> dir = LocalPacksDir(session);
  if (!dir.has_value()) return nullptr;
  Problems problems;
  std::shared_ptr<const PackSet> packs = LoadPackSet(*dir, problems);
  if (packs == nullptr) {
    session.output.Error("the packs in '" + dir->string() + "' are not valid:");
    ReportProblems(session, problems);
  }
  return packs;
}

std::optional<v1::ShowRuleResponse> FindLocalRule(Session& session, std::string_view id) {
  const absl::StatusOr<fs::path> dir = PacksDir(session);
  return dir.ok() ? FindRule(*dir, id) : std::nullopt;
}

std::shared_ptr<const rules::CompiledPack> CompileLocalPack(Session& session, const PacksFolder& folder,
                                                            std::string_view name, ExitCode& code) {
  const std::vector<std::string> names = rules::PackNames(folder.files);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    session.output.Error(std::string(errors::PackUnknown(name, known).message()));
    code = ExitCode::kNegative;
    return nullptr;
  }
  Problems problems;
  std::shared_ptr<const rules::CompiledPack> pack = BuildPack(folder, name, problems);
  if (pack == nullptr) {
    session.output.Error("the pack '" + std::string(name) + "' is not valid:");
    ReportProblems(session, problems);
    code = ExitCode::kUsage;
  }
  return pack;
}

bool IsPackFolder(const std::string& argument) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(argument) / "pack.json", ignored);
}

PackAtFolder ReadPackAt(Session& session, const std::string& dir) {
  PackAtFolder pack;
  std::error_code ignored;
  const fs::path root = fs::canonical(dir, ignored);
  pack.name = root.filename().string();
  pack.folder.files = rules::ReadPackFolder(root, pack.folder.problems);

  // Parents, one after the other: each may extend another one.
  std::optional<PacksFolder> usual;
  for (size_t i = 0; i < rules::kMaxExtendsDepth; ++i) {
    const std::string next = rules::PackChain(pack.folder.files, pack.name).back();
    if (pack.folder.files.find(next + "/pack.json") != pack.folder.files.end()) break;
    const fs::path beside = root.parent_path() / next;
    if (session.options.packs.empty() && next.find('/') == std::string::npos && IsPackFolder(beside.string())) {
      pack.folder.files.merge(rules::ReadPackFolder(beside, pack.folder.problems));
      continue;
    }
    if (!usual.has_value()) {
      const absl::StatusOr<fs::path> packs_dir = PacksDir(session);
      usual = packs_dir.ok() ? ReadPacksFolder(*packs_dir) : PacksFolder();
    }
    bool found = false;
    for (const auto& [path, bytes] : usual->files) {
      if (!path.starts_with(next + "/")) continue;
      found = pack.folder.files.emplace(path, bytes).second || found;
    }
    // That it is missing is the loader's to say.
    if (!found) break;
  }
  return pack;
}

InlineFiles OwnFiles(const PackAtFolder& pack) {
  InlineFiles files;
  const std::string prefix = pack.name + "/";
  for (const auto& [path, bytes] : pack.folder.files) {
    if (path.starts_with(prefix)) files.emplace_back(std::string_view(path).substr(prefix.size()), bytes);
  }
  return files;
}

std::optional<std::string> DefaultPack(Session& session, const std::vector<PackChoice>& packs) {
  const auto has_rubric = [&](const std::string& name) {
    return std::any_of(packs.begin(), packs.end(),
                       [&](const PackChoice& pack) { return pack.name == name && pack.has_rubric; });
  };
  std::vector<std::string> candidates;
  std::string all;
  for (const PackChoice& pack : packs) {
    if (!pack.has_rubric) continue;
    all += (all.empty() ? "" : ", ") + pack.name;
    if (!has_rubric(pack.extends)) candidates.push_back(pack.name);
  }
  if (candidates.size() == 1) {
    session.output.Note("pack: " + candidates.front() + " (--pack names another)");
    return candidates.front();
  }
  if (candidates.empty()) {
    session.output.Error("there is no pack with a rubric, so nothing can be triaged");
  } else {
    session.output.Error("which pack? Name one with --pack: " + all);
  }
  return std::nullopt;
}

void ReportProblems(Session& session, const Problems& problems) {
  for (const Problem& problem : problems) session.output.Hint(problem.ToString());
}

}  // namespace yardmaster::cli
