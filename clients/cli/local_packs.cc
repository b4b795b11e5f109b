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

absl::StatusOr<fs::path> LocalPacksDir(const Session& session) {
  absl::StatusOr<fs::path> dir =
      LocatePacksDir(session.options.packs, session.env.variable("YARD_PACKS"), session.env.executable);
  return dir.ok() ? dir : UsageError(dir.status().message());
}

absl::StatusOr<PacksFolder> LocalPacksFolder(const Session& session) {
  ASSIGN_OR_RETURN(const fs::path dir, LocalPacksDir(session));
  PacksFolder folder = ReadPacksFolder(dir);
  if (!folder.files.empty() || folder.problems.empty()) return folder;
  return ProblemsError(absl::StrCat("the packs in '", dir.string(), "' can't be read:"), folder.problems);
}

absl::StatusOr<PacksFolder> SuitePacksFolder(const Session& session) {
  ASSIGN_OR_RETURN(PacksFolder folder, LocalPacksFolder(session));
  const absl::StatusOr<fs::path> own = LocalPacksDir(session);
  const absl::StatusOr<fs::path> shipped = LocatePacksDir("", "", session.env.executable);
  if (!own.ok() || !shipped.ok() || *own == *shipped) return folder;
  const std::vector<std::string> names = rules::PackNames(folder.files);
  PacksFolder added = ReadPacksFolder(*shipped);
  for (auto& [path, bytes] : added.files) {
    if (!absl::c_linear_search(names, path.substr(0, path.find('/')))) folder.files.emplace(path, std::move(bytes));
  }
  return folder;
}

absl::StatusOr<std::shared_ptr<const PackSet>> CompileLocalPacks(const Session& session) {
  ASSIGN_OR_RETURN(const fs::path dir, LocalPacksDir(session));
  Problems problems;
  std::shared_ptr<const PackSet> packs = LoadPackSet(dir, problems);
  if (packs != nullptr) return packs;
  return ProblemsError(absl::StrCat("the packs in '", dir.string(), "' are not valid:"), problems);
}

std::optional<v1::ShowRuleResponse> FindLocalRule(const Session& session, std::string_view id) {
  const absl::StatusOr<fs::path> dir = LocalPacksDir(session);
  return dir.ok() ? FindRule(*dir, id) : std::nullopt;
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
      const absl::StatusOr<fs::path> packs_dir = LocalPacksDir(session);
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
