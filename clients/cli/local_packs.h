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
#include "services/core/problem.h"
#include "services/packs/registry/pack_registry.h"
#include "services/packs/validate.h"
#include "yardmaster/v1/rules.pb.h"

namespace yardmaster::cli {

// The files of all packs: --packs, YARD_PACKS, and the usual places (services/core/packs_dir.h). nullopt after saying
// why: kUsage.
std::optional<PacksFolder> LocalPacksFolder(Session& session);

// All packs of that folder, compiled. nullptr after saying what is wrong: kUsage.
std::shared_ptr<const PackSet> CompileLocalPacks(Session& session);

// The rules with that id in that folder; nullopt, without a word, if there are none or the folder has no valid packs.
std::optional<v1::ShowRuleResponse> FindLocalRule(Session& session, std::string_view id);

// One pack, compiled. On failure returns nullptr, has said why, and `code` is kNegative for an unknown pack, kUsage for
// a bad one.
std::shared_ptr<const rules::CompiledPack> CompileLocalPack(Session& session, const PacksFolder& folder,
                                                            std::string_view name, ExitCode& code);

// A pack by its own folder.
struct PackAtFolder {
  std::string name;    // the folder's name
  PacksFolder folder;  // its files and those of the packs that it extends
};

// True if `argument` names a folder with a pack.json in it.
bool IsPackFolder(const std::string& argument);

// Reads the pack in `dir` and what it extends: from beside it, else from the usual places; with --packs only from
// there.
PackAtFolder ReadPackAt(Session& session, const std::string& dir);

// The files of the pack itself, to send them to a server. Views into `pack`.
InlineFiles OwnFiles(const PackAtFolder& pack);

// What is known about a pack before a default is chosen among several.
struct PackChoice {
  std::string name;
  std::string extends;
  bool has_rubric = false;
};

// The pack for a verb that was not told which: the only one with a rubric that does not refine another one with a
// rubric. nullopt after asking for --pack.
std::optional<std::string> DefaultPack(Session& session, const std::vector<PackChoice>& packs);

// Problems on stderr, one a line.
void ReportProblems(Session& session, const Problems& problems);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_
