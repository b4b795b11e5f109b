// GitHub's answers → values. Pure. Errors are kBadAnswer and name the field.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_ANSWERS_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_ANSWERS_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/forge.h"
#include "clients/forge/forge_setup.h"
#include "services/core/secret.h"

namespace yardmaster::github {

// Parts of answers.
ForgeUser ReadUser(const AnswerReader& user);
ForgeComment ReadComment(const AnswerReader& comment);

absl::StatusOr<ForgeUser> ParseUser(std::string_view body);
absl::StatusOr<ForgeRepository> ParseRepository(std::string_view body);
absl::StatusOr<std::vector<ForgeRepository>> ParseRepositories(std::string_view body);
absl::StatusOr<std::vector<ForgeLabel>> ParseLabels(std::string_view body);
absl::StatusOr<ForgeIssue> ParseIssue(std::string_view body);
absl::StatusOr<std::vector<ForgeIssue>> ParseIssues(std::string_view body);
absl::StatusOr<ForgeComment> ParseComment(std::string_view body);
absl::StatusOr<std::vector<ForgeComment>> ParseComments(std::string_view body);
absl::StatusOr<std::vector<ForgeHookDelivery>> ParseDeliveries(std::string_view body);
absl::StatusOr<std::vector<ForgeWebhook>> ParseWebhooks(std::string_view body);

absl::StatusOr<ForgeAccess> ParseAccess(std::string_view body);
absl::StatusOr<ForgePull> ParsePull(std::string_view body);
absl::StatusOr<std::vector<ForgePull>> ParsePulls(std::string_view body);
absl::StatusOr<std::vector<ForgePullFile>> ParsePullFiles(std::string_view body);
// Events of an issue or a pull request: labels and the merge queue. An event of a label has its name as content.
absl::StatusOr<std::vector<ForgeHistoryEntry>> ParseIssueEvents(std::string_view body);
// Checks that the rules of a branch require, each once.
absl::StatusOr<std::vector<std::string>> ParseBranchRules(std::string_view body);
// Those of its protection, as far as it is shown; none where it has none.
absl::StatusOr<std::vector<std::string>> ParseBranchProtection(std::string_view body);
// Whether a team's membership is active.
absl::StatusOr<bool> ParseMembership(std::string_view body);
// "id" of what was made.
absl::StatusOr<std::string> ParseId(std::string_view body);

// GET /app → the account that its installations write as: "slug[bot]".
absl::StatusOr<ForgeUser> ParseApp(std::string_view body);

// GET /app/installations/ID → what the App may do; nothing while it is suspended.
absl::StatusOr<ForgePermissions> ParseInstallation(std::string_view body);

struct InstallationToken {
  Secret token;
  std::chrono::system_clock::time_point expires_at;
};
absl::StatusOr<InstallationToken> ParseInstallationToken(std::string_view body);

// Header "Link": whether there is a next page; nullopt if the header is absent. Its URLs are never contacted.
std::optional<bool> HasNextLink(std::string_view link);
// The query of the next page's URL, without "?"; empty if there is none, or one that no forge would write.
std::string NextLinkQuery(std::string_view link);
// A parameter of the next page's URL, as it stands there; empty if there is none.
std::string NextLinkParameter(std::string_view link, std::string_view parameter);

}  // namespace yardmaster::github

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_ANSWERS_H_
