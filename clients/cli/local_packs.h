// Packs for work without a server.
#ifndef YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_
#define YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/session.h"
#include "rules/engine/compiled_pack.h"
#include "services/core/problem.h"
#include "services/packs/registry/pack_registry.h"
#include "services/packs/validate.h"
#include "yardmaster/v1/rules.pb.h"

namespace yardmaster::cli {

// The folders with the packs: each --packs, else YARD_PACKS, else the usual places (services/core/packs_dir.h). Never
// empty. A pack of an earlier folder goes before one of the same name.
absl::StatusOr<std::vector<std::filesystem::path>> LocalPacksDirs(const Session& session);

// The files of all packs in those folders.
absl::StatusOr<PacksFolder> LocalPacksFolder(const Session& session);

// The same for suites, with the packs beside it that come with Yardmaster: their signatures count for suites of one's
// own.
absl::StatusOr<PacksFolder> SuitePacksFolder(const Session& session);

// All packs of those folders, compiled.
absl::StatusOr<std::shared_ptr<const PackSet>> CompileLocalPacks(const Session& session);

// The rules with that id there; nullopt, and no error, if there are none or the packs are not valid.
std::optional<v1::ShowRuleResponse> FindLocalRule(const Session& session, std::string_view id);

// One pack, compiled. That there is none of that name is a negative answer, that it is bad an error of usage.
absl::StatusOr<std::shared_ptr<const rules::CompiledPack>> CompileLocalPack(const PacksFolder& folder,
                                                                            std::string_view name);

// There is no pack of that name, but these.
absl::Status PackUnknown(std::string_view name, const std::vector<std::string>& known);

// A pack by its own folder.
struct PackAtFolder {
  std::string name;    // the folder's name
  PacksFolder folder;  // its files and those of the packs that it extends
};

// True if `argument` names a folder with a pack.json in it.
bool IsPackFolder(const std::string& argument);

// Reads the pack in `dir` and what it extends: from beside it, else from the usual places; with --packs only from
// there.
PackAtFolder ReadPackAt(const Session& session, const std::string& dir);

// Adds the files of the pack itself, to send them to a server.
void AddOwnFiles(const PackAtFolder& pack, google::protobuf::RepeatedPtrField<v1::PackFile>& files);

// What is known about a pack before a default is chosen among several.
struct PackChoice {
  std::string name;
  std::string extends;
  bool has_rubric = false;
};

// The pack for a verb that was not told which: the only one with a rubric that does not refine another one with a
// rubric. If there are several, an error asks for --pack.
absl::StatusOr<std::string> DefaultPack(Session& session, const std::vector<PackChoice>& packs);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_LOCAL_PACKS_H_
