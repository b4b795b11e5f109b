// How a command of the workflow ended.
#ifndef YARDMASTER_SERVICES_WORKFLOW_RESULT_H_
#define YARDMASTER_SERVICES_WORKFLOW_RESULT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_clone.h"

namespace yardmaster::workflow {

struct Step {
  std::string id;
  std::string state;  // "done", "planned", "left"
  std::string detail;
};

struct PushedRef {
  std::string remote;
  GitRefChange change;
  bool forced = false;  // what was there is not contained in what is there now
};

struct PullRequest {
  int64_t number = 0;
  std::string url;
  // Of `status` only.
  std::string title = {};
  std::string state = {};  // "open", "draft", "merged", "closed", "unknown"
  std::string author = {};
  std::string head = {};  // "owner/name:branch"
  std::string base = {};
  std::vector<std::string> labels = {};
  std::vector<std::string> reviewers = {};  // logins
  // Where its gate stands by its labels: the pack whose profile says so, and the phase ("P2_RUNNING"); empty: no pack
  // has one for the repository.
  std::string gate_pack = {};
  std::string gate_phase = {};
  std::string created_at = {};  // as the forge writes them
  std::string updated_at = {};
  int64_t commits = 0;
  int64_t files = 0;
  int64_t additions = 0;
  int64_t deletions = 0;
};

struct CommitMessage {
  std::string subject;
  std::string body;

  std::string text() const { return body.empty() ? subject + "\n" : subject + "\n\n" + body + "\n"; }
};

struct Result {
  // kRefused and kConflict: nothing has changed. kFailed: a remote or a forge can't be reached, or does not let us.
  enum class Outcome : uint8_t { kDone, kNothing, kRefused, kConflict, kFailed };

  std::string command;
  Outcome outcome = Outcome::kDone;
  std::string reason;
  std::string fix;
  std::string branch;
  std::string id;                  // of the operation that `undo` takes back; empty: there is none
  std::vector<GitRefChange> refs;  // those that moved, or would
  std::vector<std::string> backups;
  std::vector<PushedRef> pushed;
  std::optional<PullRequest> pull;
  std::vector<std::string> untracked;
  std::vector<Step> steps;
  std::optional<CommitMessage> message;  // gen-commit-msg only
  nlohmann::ordered_json analysis;       // pr --analyze-only only, see analyze.h; null elsewhere
};

// The result of a command that has changed nothing.
Result Refuse(Result result, std::string reason, std::string fix);
// What the user can change, or somebody else did, is a refusal, and what can't be reached is kFailed; the rest stays an
// error.
absl::StatusOr<Result> RefuseOrFail(Result result, const absl::Status& status);

// The object that `--json` prints; ids of refs that are absent are null.
nlohmann::ordered_json ToJson(const Result& result);
std::string ToText(const Result& result);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_RESULT_H_
