// Check runs, commit statuses and reviews as GitHub writes them: bodies of requests, and answers → values. Pure.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_CHECKS_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_CHECKS_H_

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge.h"

namespace yardmaster::github {

// The button of a finished check run; its webhook names it.
inline constexpr std::string_view kRerunAction = "rerun";
// Of one review. GitHub names no limit; larger ones are known to time out.
inline constexpr size_t kMaxReviewComments = 30;

// What GitHub would refuse: INVALID_ARGUMENT, kNotSent.
absl::Status CheckCheckRun(const ForgeCheckRunWrite& write);
absl::Status CheckCommitStatus(const ForgeCommitStatus& status);

// With `head_sha` only for a new one.
nlohmann::json CheckRunBody(const ForgeCheckRunWrite& write, bool is_new);
nlohmann::json CommitStatusBody(const ForgeCommitStatus& status);
nlohmann::json ReviewBody(std::string_view commit, const std::vector<ForgeInlineComment>& comments);

absl::StatusOr<ForgeCheckRun> ParseCheckRun(std::string_view body);
absl::StatusOr<std::vector<ForgeCheckRun>> ParseCheckRuns(std::string_view body);
absl::StatusOr<std::vector<ForgeCheckSuite>> ParseCheckSuites(std::string_view body);
absl::StatusOr<std::vector<ForgeCommitStatus>> ParseCommitStatuses(std::string_view body);
absl::StatusOr<std::vector<ForgeReviewComment>> ParseReviewComments(std::string_view body);

}  // namespace yardmaster::github

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_CHECKS_H_
