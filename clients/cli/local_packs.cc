#include "clients/cli/local_packs.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "services/core/errors.h"
#include "services/core/packs_dir.h"

namespace yardmaster::cli {

std::optional<std::filesystem::path> LocalPacksDir(Session& session) {
  absl::StatusOr<std::filesystem::path> dir =
      LocatePacksDir(session.options.packs, session.env.variable("YARD_PACKS"), session.env.executable);
  if (dir.ok()) return *std::move(dir);
  session.output.Error(std::string(dir.status().message()));
  return std::nullopt;
}

std::optional<rules::PackFiles> LocalPackFiles(Session& session) {
  const std::optional<std::filesystem::path> dir = LocalPacksDir(session);
  if (!dir.has_value()) return std::nullopt;
  rules::Problems problems;
  rules::PackFiles files = rules::ReadPackFiles(*dir, problems);
  if (problems.empty()) return files;
  session.output.Error("the packs in '" + dir->string() + "' can't be read:");
  ReportProblems(session, problems);
  return std::nullopt;
}

std::shared_ptr<const rules::CompiledPack> CompileLocalPack(Session& session, const rules::PackFiles& files, std::string_view name,
                                                            ExitCode& code) {
  const std::vector<std::string> names = rules::PackNames(files);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    session.output.Error(std::string(errors::PackUnknown(name, known).message()));
    code = ExitCode::kNegative;
    return nullptr;
  }
  rules::Problems problems;
  std::optional<rules::PackModel> model = rules::LoadPack(files, name, problems);
  std::shared_ptr<const rules::CompiledPack> pack;
  if (model.has_value()) pack = rules::CompiledPack::Compile(*std::move(model), problems);
  if (pack == nullptr) {
    session.output.Error("the pack '" + std::string(name) + "' is not valid:");
    rules::SortProblems(problems);
    ReportProblems(session, problems);
    code = ExitCode::kUsage;
  }
  return pack;
}

std::optional<std::string> DefaultPack(Session& session, const std::vector<PackChoice>& packs) {
  const auto has_rubric = [&](const std::string& name) {
    return std::any_of(packs.begin(), packs.end(), [&](const PackChoice& pack) { return pack.name == name && pack.has_rubric; });
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

void ReportProblems(Session& session, const rules::Problems& problems) {
  for (const rules::Problem& problem : problems) session.output.Hint(problem.ToString());
}

}  // namespace yardmaster::cli
