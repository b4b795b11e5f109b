// Packs for work without a server.
#ifndef YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_
#define YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cli/options.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack_loader.h"
#include "rules/engine/problem.h"

namespace yardmaster::cli {

// --packs, YARD_PACKS, and the usual places (services/core/packs_dir.h). nullopt after saying why: kUsage.
std::optional<std::filesystem::path> LocalPacksDir(Session& session);

// All files of that folder. nullopt after saying what is wrong: kUsage.
std::optional<rules::PackFiles> LocalPackFiles(Session& session);

// One pack, compiled. On failure returns nullptr, has said why, and `code` is kNegative for an unknown pack, kUsage for a bad one.
std::shared_ptr<const rules::CompiledPack> CompileLocalPack(Session& session, const rules::PackFiles& files, std::string_view name,
                                                            ExitCode& code);

// What is known about a pack before a default is chosen among several.
struct PackChoice {
  std::string name;
  std::string extends;
  bool has_rubric = false;
};

// The pack for a verb that was not told which: the only one with a rubric that does not refine another one with a rubric. nullopt after
// asking for --pack.
std::optional<std::string> DefaultPack(Session& session, const std::vector<PackChoice>& packs);

// Problems on stderr, one a line.
void ReportProblems(Session& session, const rules::Problems& problems);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_
