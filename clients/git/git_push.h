// Refs of a git server that are moved: only from the value that they are expected to have.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_PUSH_H_
#define YARDMASTER_CLIENTS_GIT_GIT_PUSH_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_http.h"
#include "clients/git/receive_pack.h"

namespace yardmaster {

// How a push ended. Errors of calls are for what passes by itself, or can't be told.
struct PushOutcome {
  enum class State : uint8_t {
    kDone,
    kMoved,    // the ref was not where it was expected
    kRefused,  // the server does not let us, or does not take it
  };
  State state = State::kDone;
  std::string reason;  // kMoved: where the ref is, empty if it is gone; kRefused: in words
};

// Thread-safe. Calls block.
class GitPusher {
 public:
  virtual ~GitPusher() = default;
  // Where its refs are, as the server tells a writer, and what else it has, under the name ".have". Errors are those of
  // GitRemote.
  virtual absl::StatusOr<std::vector<GitRef>> Refs(const std::string& repository) = 0;
  // Moves a ref. `maybe_done` is set with an error after which it may have been moved.
  virtual absl::StatusOr<PushOutcome> Push(const std::string& repository, const RefMove& move, std::string_view pack,
                                           bool& maybe_done) = 0;
};

// Where a ref is; empty: it is not among them.
std::string PlaceOf(const std::vector<GitRef>& refs, const std::string& ref);

class HttpGitPusher final : public GitPusher {
 public:
  explicit HttpGitPusher(GitEnvironment environment) : env_(std::move(environment)) {}
  absl::StatusOr<std::vector<GitRef>> Refs(const std::string& repository) override;
  absl::StatusOr<PushOutcome> Push(const std::string& repository, const RefMove& move, std::string_view pack,
                                   bool& maybe_done) override;

 private:
  const GitEnvironment env_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_PUSH_H_
