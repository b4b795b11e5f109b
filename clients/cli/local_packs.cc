#include "clients/cli/local_packs.h"

#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/exit_code.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/packs_dir.h"
#include "services/core/status_macros.h"
#include "services/packs/answers.h"

namespace yardmaster::cli {
namespace fs = std::filesystem;

namespace {

// The packs of `added` that `folder` has not.
void AddPacks(PacksFolder added, PacksFolder& folder) {
  const std::vector<std::string> names = rules::PackNames(folder.files);
  const auto is_there = [&](const std::string& path) {
    return absl::c_linear_search(names, path.substr(0, path.find('/')));
  };
  for (auto& [path, bytes] : added.files) {
    if (!is_there(path)) folder.files.emplace(path, std::move(bytes));
  }
  for (Problem& problem : added.problems) {
    if (!is_there(problem.file)) folder.problems.push_back(std::move(problem));
  }
}

std::string DirList(const std::vector<fs::path>& dirs) {
  return absl::StrCat(
      "'", absl::StrJoin(dirs, "', '", [](std::string* out, const fs::path& dir) { *out += dir.string(); }), "'");
}

}  // namespace

absl::StatusOr<std::vector<fs::path>> LocalPacksDirs(const Session& session) {
  std::vector<fs::path> dirs(session.options.packs.begin(), session.options.packs.end());
  if (!dirs.empty()) return dirs;
  const absl::StatusOr<fs::path> dir = LocatePacksDir("", session.env.variable("YARD_PACKS"), session.env.executable);
  if (!dir.ok()) return UsageError(dir.status().message());
  dirs.push_back(*dir);
  return dirs;
}

absl::StatusOr<PacksFolder> LocalPacksFolder(const Session& session) {
  ASSIGN_OR_RETURN(const std::vector<fs::path> dirs, LocalPacksDirs(session));
  PacksFolder folder;
  for (const fs::path& dir : dirs) {
    PacksFolder one = ReadPacksFolder(dir);
    // A folder that can't be read at all is an error even beside others.
    if (one.files.empty() && !one.problems.empty()) {
      return ProblemsError(absl::StrCat("the packs in '", dir.string(), "' can't be read:"), one.problems);
    }
    AddPacks(std::move(one), folder);
  }
  return folder;
}

absl::StatusOr<PacksFolder> SuitePacksFolder(const Session& session) {
  ASSIGN_OR_RETURN(PacksFolder folder, LocalPacksFolder(session));
  const absl::StatusOr<std::vector<fs::path>> own = LocalPacksDirs(session);
  const absl::StatusOr<fs::path> shipped = LocatePacksDir("", "", session.env.executable);
  if (!own.ok() || !shipped.ok() || absl::c_linear_search(*own, *shipped)) return folder;
  PacksFolder added = ReadPacksFolder(*shipped);
  added.problems.clear();
  AddPacks(std::move(added), folder);
  return folder;
}

absl::StatusOr<std::shared_ptr<const PackSet>> CompileLocalPacks(const Session& session) {
  ASSIGN_OR_RETURN(const std::vector<fs::path> dirs, LocalPacksDirs(session));
  Problems problems;
  std::shared_ptr<const PackSet> packs;
  if (dirs.size() == 1) {
    packs = LoadPackSet(dirs.front(), problems);
  } else {
    ASSIGN_OR_RETURN(PacksFolder folder, LocalPacksFolder(session));
    packs = LoadPackSet(folder.files, std::move(folder.problems), problems);
  }
  if (packs != nullptr) return packs;
  return ProblemsError(absl::StrCat("the packs in ", DirList(dirs), " are not valid:"), problems);
}

std::optional<v1::ShowRuleResponse> FindLocalRule(const Session& session, std::string_view id) {
  const absl::StatusOr<std::vector<fs::path>> dirs = LocalPacksDirs(session);
  if (!dirs.ok()) return std::nullopt;
  for (const fs::path& dir : *dirs) {
    if (std::optional<v1::ShowRuleResponse> found = FindRule(dir, id); found.has_value()) return found;
  }
  return std::nullopt;
}

absl::StatusOr<std::shared_ptr<const rules::CompiledPack>> CompileLocalPack(const PacksFolder& folder,
                                                                            std::string_view name) {
  const std::vector<std::string> names = rules::PackNames(folder.files);
  if (!absl::c_linear_search(names, name)) return PackUnknown(name, names);
  Problems problems;
  std::shared_ptr<const rules::CompiledPack> pack = BuildPack(folder, name, problems);
  if (pack != nullptr) return pack;
  return ProblemsError(absl::StrCat("the pack '", Abs(name), "' is not valid:"), problems);
}

absl::Status PackUnknown(std::string_view name, const std::vector<std::string>& known) {
  return errors::PackUnknown(name, std::vector<std::string_view>(known.begin(), known.end()));
}

bool IsPackFolder(const std::string& argument) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(argument) / "pack.json", ignored);
}

PackAtFolder ReadPackAt(const Session& session, const std::string& dir) {
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
      absl::StatusOr<PacksFolder> packs = LocalPacksFolder(session);
      usual = packs.ok() ? *std::move(packs) : PacksFolder();
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

void AddOwnFiles(const PackAtFolder& pack, google::protobuf::RepeatedPtrField<v1::PackFile>& files) {
  const std::string prefix = pack.name + "/";
  for (const auto& [path, bytes] : pack.folder.files) {
    if (!path.starts_with(prefix)) continue;
    v1::PackFile& file = *files.Add();
    file.set_path(path.substr(prefix.size()));
    file.set_content(bytes);
  }
}

absl::StatusOr<std::string> DefaultPack(Session& session, const std::vector<PackChoice>& packs) {
  const auto has_rubric = [&](const std::string& name) {
    return absl::c_any_of(packs, [&](const PackChoice& pack) { return pack.name == name && pack.has_rubric; });
  };
  std::vector<std::string> candidates;
  std::vector<std::string> all;
  for (const PackChoice& pack : packs) {
    if (!pack.has_rubric) continue;
    all.push_back(pack.name);
    if (!has_rubric(pack.extends)) candidates.push_back(pack.name);
  }
  if (candidates.empty()) return UsageError("there is no pack with a rubric, so nothing can be triaged");
  if (candidates.size() > 1) {
    return UsageError(absl::StrCat("which pack? Name one with --pack: ", absl::StrJoin(all, ", ")));
  }
  session.output.Note(absl::StrCat("pack: ", candidates.front(), " (--pack names another)"));
  return candidates.front();
}

}  // namespace yardmaster::cli
