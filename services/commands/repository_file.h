// The file with which a repository, or an organisation for all of its repositories, says how the bot works there.
// Always read from the base branch: what a pull request changes in it holds when it is merged.
// rules/schema/repository.schema.json describes it.
//
// Precedence, key by key: repository > organisation > daemon. Which packs a repository may use and its mode come from
// the daemon's config alone: the file chooses among those packs, and may narrow "apply" to "dry-run".
#ifndef YARDMASTER_SERVICES_COMMANDS_REPOSITORY_FILE_H_
#define YARDMASTER_SERVICES_COMMANDS_REPOSITORY_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/review_settings.h"
#include "services/core/config/command_settings.h"
#include "services/core/config/review_config.h"
#include "services/core/problem.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster::commands {

// Where the file lies in a repository: ".github/yardmaster.json", ".gitcode/yardmaster.json".
std::string RepositoryFilePath(std::string_view forge);
// Repository and path of an organisation's defaults: "OWNER/.github" or "OWNER/.gitcode", and "yardmaster.json".
std::string OrganisationRepository(std::string_view forge, std::string_view owner);
inline constexpr std::string_view kOrganisationFilePath = "yardmaster.json";

struct RepositoryFile {
  std::optional<std::vector<std::string>> packs;  // chosen among those that the daemon allows; the first is the default
  rules::ReviewSettings review;
  ReviewNarrowing publishing;
  bool has_exemptions = false;  // also with an empty list: then the organisation's do not hold
  bool dry_run = false;         // narrowed
  CommandSettings commands;
};

// What a file is checked against.
struct RepositoryScope {
  // Packs that the daemon lets the repository use. Empty: any (a local check without a daemon; the file of an
  // organisation, which covers all of its repositories).
  std::vector<std::string> packs;
  // The packs in service, for ids of commands, rules and profiles; nullptr: these are checked in form only.
  const PackSet* loaded = nullptr;
  // What the daemon publishes of the repository's reviews; nullptr: anything may be said.
  const ReviewConfig* review = nullptr;
};

// Reads a file; `name` is used in problems. Strict: unknown keys, unknown rules, commands, packs and profiles are
// problems, each with pointer and line. nullopt if there was any: a file is used whole or not at all.
std::optional<RepositoryFile> ParseRepositoryFile(std::string_view name, std::string_view text,
                                                  const RepositoryScope& scope, Problems& problems);

// What is wrong with a file, sorted by line: for a pull request that changes it, before it is merged.
Problems ValidateRepositoryFile(std::string_view name, std::string_view text, const RepositoryScope& scope);

// What holds for a repository's reviews and packs; the commands stay apart, since permission.h needs to know which file
// said what.
RepositoryFile MergeRepositoryFiles(const RepositoryFile* repository, const RepositoryFile* organisation);

// The packs that a repository uses: those it chose among `allowed`, in its order; all of them where it chose none.
std::vector<std::string> PacksOf(const RepositoryFile& file, const std::vector<std::string>& allowed);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_REPOSITORY_FILE_H_
