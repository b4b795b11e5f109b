// The forge of a developer's clone: found by the address of its remotes, reached with her own token.
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

// A forge and the two repositories of a fork. Members lean on earlier ones.
struct ConnectedFork {
  std::unique_ptr<GitProgram> git;
  std::unique_ptr<HttpClient> http;
  SystemClock clock;
  SystemWaiter waiter;
  std::unique_ptr<StoppableForge> client;
  std::unique_ptr<GitRemotes> remotes;
  std::optional<workflow::Fork> fork;
  // Why there is no fork, in place of all but `git`.
  std::optional<workflow::Result> refused;
};

// `config`: the user's file with forges of her own; empty: $XDG_CONFIG_HOME/yardmaster/config.json, if it is there. The
// token is that of the file, else of GITCODE_TOKEN or GITHUB_TOKEN, else what git's credential helpers know.
absl::StatusOr<std::unique_ptr<ConnectedFork>> ConnectFork(const std::filesystem::path& repo, const std::string& config,
                                                           const Environment& env);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_WORKFLOW_FORGE_H_
