// GitCode's answers → values. Pure. Its types are not stable: the number of an issue is a text, that of a pull request
// a number, names differ between the calls; every spelling that was seen is read. Errors are kBadAnswer and name the
// field.
#ifndef YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_ANSWERS_H_
#define YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_ANSWERS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/forge.h"
#include "clients/forge/forge_setup.h"

namespace yardmaster::gitcode {

// A part of answers.
ForgeComment ReadComment(const AnswerReader& comment);

absl::StatusOr<ForgeUser> ParseUser(std::string_view body);
absl::StatusOr<ForgeRepository> ParseRepository(std::string_view body);
absl::StatusOr<std::vector<ForgeRepository>> ParseRepositories(std::string_view body);
absl::StatusOr<std::vector<ForgeLabel>> ParseLabels(std::string_view body);
// Without `pull_request`: the caller knows what it asked for.
absl::StatusOr<ForgeIssue> ParseIssue(std::string_view body);
absl::StatusOr<std::vector<ForgeIssue>> ParseIssues(std::string_view body);
absl::StatusOr<ForgeComment> ParseComment(std::string_view body);
absl::StatusOr<std::vector<ForgeComment>> ParseComments(std::string_view body);
absl::StatusOr<std::vector<ForgeWebhook>> ParseWebhooks(std::string_view body);

absl::StatusOr<ForgeAccess> ParseAccess(std::string_view body);
absl::StatusOr<ForgePull> ParsePull(std::string_view body);
absl::StatusOr<std::vector<ForgePull>> ParsePulls(std::string_view body);
absl::StatusOr<std::vector<ForgePullFile>> ParsePullFiles(std::string_view body);
absl::StatusOr<std::vector<ForgeHistoryEntry>> ParsePullHistory(std::string_view body);
// Runs of Actions, as the forge lists them.
absl::StatusOr<std::vector<ForgePullRun>> ParsePullRuns(std::string_view body);
// Runs of pipelines as they were before Actions.
absl::StatusOr<std::vector<ForgePullRun>> ParsePullPipelines(std::string_view body);
// One run, with what failed in it.
absl::StatusOr<ForgePullRun> ParsePullRun(std::string_view body);
// Comments at lines, and those that answer them; of other kinds none.
absl::StatusOr<std::vector<ForgeReviewComment>> ParseReviewComments(std::string_view body);
// One comment; without a path: it is none at a line.
absl::StatusOr<ForgeReviewComment> ParseReviewComment(std::string_view body);

// An error, in any of the shapes that were seen.
struct ErrorBody {
  int code = 0;  // "error_code", if it is one of HTTP's; else 0
  std::string message;
};
// nullopt if the body is no such object. `success`: the answer came with 2xx; then only the words that nothing but an
// error has count, not "message".
std::optional<ErrorBody> ParseErrorBody(std::string_view body, bool success);

}  // namespace yardmaster::gitcode

#endif  // YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_ANSWERS_H_
