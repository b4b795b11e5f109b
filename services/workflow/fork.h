// The fork of a clone: which repositories its remotes are, and the forge on which they are.
#ifndef YARDMASTER_SERVICES_WORKFLOW_FORK_H_
#define YARDMASTER_SERVICES_WORKFLOW_FORK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "clients/forge/forge_pulls.h"
#include "clients/git/git_remotes.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

// References outlive it.
struct Fork {
  const GitRemotes& remotes;
  Forge& forge;
  ForgePulls& pulls;
  std::string upstream;                 // "owner/name": where pull requests go
  std::string origin;                   // "owner/name": where branches are pushed to
  std::string pull_ref;                 // where git finds the head of a pull request, "{}" being its number
  std::vector<std::string> hosts = {};  // of the forge: HOST or HOST:PORT, lower case
  std::string token_page = {};          // where people make tokens; empty: not known
  // Where the forge's repositories keep the template of a pull request's text.
  std::vector<std::string_view> templates = {};
};

// "352", "#352", "owner/name#352" or the address of a pull request. INVALID_ARGUMENT: it is none of these;
// FAILED_PRECONDITION: it is one of another forge, or of another repository than upstream.
absl::StatusOr<int64_t> PullNumber(const std::string& text, const Fork& fork);

// "refs/pull/7/head"
std::string PullRef(const Fork& fork, int64_t number);

// How commands call a forge: somebody waits.
ForgeCall CommandCall();

// What the forge calls the fork now: repositories are renamed. As the remote says where the forge does not tell.
std::string OriginNow(const Fork& fork);

// Open pull requests of a branch of ours, and the name under which the forge has the fork.
struct OwnPulls {
  std::string origin;
  std::vector<ForgePull> pulls;  // oldest first
};
absl::StatusOr<OwnPulls> FindOwnPulls(const Fork& fork, const std::string& branch);

// An open pull request of ours. NOT_FOUND or FAILED_PRECONDITION, with what is wrong, where there is none, it is not
// open, or its branch is not known to be of our fork.
absl::StatusOr<ForgePull> OwnOpenPull(int64_t number, const Fork& fork);

// The result of a command whose call to the forge failed: refused where the forge said no, else kFailed.
absl::StatusOr<Result> ForgeRefused(const Fork& fork, Result result, const absl::Status& status);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_FORK_H_
