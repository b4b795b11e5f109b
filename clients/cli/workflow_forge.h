// The remotes of a developer's clone and the forge on which they are: found by
// their addresses, reached with her own token.
#ifndef YARDMASTER_CLIENTS_CLI_WORKFLOW_FORGE_H_
#define YARDMASTER_CLIENTS_CLI_WORKFLOW_FORGE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cli/environment.h"
#include "clients/forge/http.h"
#include "clients/forge/make_forge.h"
#include "clients/git/git_program.h"
#include "clients/git/git_remotes.h"
#include "services/core/clock.h"
#include "services/workflow/fork.h"

namespace yardmaster::cli {

// The installed git for a command of the workflow in `repo`.
std::unique_ptr<GitProgram> MakeWorkflowGit(const std::filesystem::path& repo, const Environment& env);

// "owner/name" of the main repository of a clone: upstream, else origin; empty:
// neither is on a server.
absl::StatusOr<std::string> MainRepositoryOf(const std::filesystem::path& repo, const Environment& env);

// What commands need that only push and fetch. `remotes` leans on `git`.
struct ConnectedRemotes {
  std::unique_ptr<GitProgram> git;
  std::unique_ptr<GitRemotes> remotes;
};

// `config`: the user's file with forges of her own; empty:
// $XDG_CONFIG_HOME/yardmaster/config.json, if it is there. Git gets the token
// that she names (user_forges.h) for those of origin and upstream that are
// reached by HTTPS and are on a forge; any other server is left to git and its
// credential helpers.
absl::StatusOr<ConnectedRemotes> ConnectRemotes(const std::filesystem::path& repo, const std::string& config,
                                                const Environment& env);

// The same with the forge and the two repositories of a fork. Members lean on
// earlier ones.
struct ConnectedFork {
  ConnectedRemotes clone;
  std::unique_ptr<HttpClient> http;
  SystemClock clock;
  SystemWaiter waiter;
  std::unique_ptr<StoppableForge> client;
  std::optional<workflow::Fork> fork;
  // Why there is no fork, in place of all but `clone`.
  std::optional<workflow::Result> refused;
};

// Where no token is named, the forge is asked with what git's credential
// helpers know of its host.
absl::StatusOr<std::unique_ptr<ConnectedFork>> ConnectFork(const std::filesystem::path& repo, const std::string& config,
                                                           const Environment& env);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_WORKFLOW_FORGE_H_
