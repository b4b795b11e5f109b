#include "tests/support/fakeforge/operation.h"

#include <algorithm>
#include <charconv>

namespace yardmaster::fakeforge {
namespace {

struct Pattern {
  std::string_view method;
  std::string_view path;  // "#" a number, "*" one part, "**" the rest
  Kind kind;
  bool github;
  bool gitcode;
};

// Below /repos/OWNER/NAME.
constexpr Pattern kRepositoryPatterns[] = {
    {"GET", "", Kind::kRepository, true, true},
    {"GET", "labels", Kind::kRepositoryLabels, true, true},
    {"GET", "issues", Kind::kIssues, true, true},
    {"GET", "issues/#", Kind::kSubject, true, true},
    {"GET", "pulls/#", Kind::kSubject, true, true},
    {"GET", "pulls", Kind::kPulls, true, true},
    {"POST", "pulls", Kind::kCreatePull, true, true},
    {"PATCH", "pulls/#", Kind::kEditPull, true, true},
    {"POST", "pulls/#/requested_reviewers", Kind::kAskForReview, true, false},
    {"POST", "pulls/#/approval_reviewers", Kind::kAskForReview, false, true},
    {"GET", "issues/#/comments", Kind::kComments, true, true},
    {"POST", "issues/#/comments", Kind::kAddComment, true, true},
    {"POST", "issues/#/labels", Kind::kAddLabels, true, true},
    {"DELETE", "issues/#/labels/*", Kind::kRemoveLabel, true, true},
    {"GET", "pulls/#/comments", Kind::kComments, false, true},
    {"POST", "pulls/#/comments", Kind::kAddComment, false, true},
    {"GET", "pulls/#/labels", Kind::kSubjectLabels, false, true},
    {"POST", "pulls/#/labels", Kind::kAddLabels, false, true},
    {"DELETE", "pulls/#/labels/*", Kind::kRemoveLabel, false, true},
    {"PATCH", "issues/comments/*", Kind::kEditComment, true, true},
    {"PATCH", "pulls/comments/*", Kind::kEditComment, false, true},
    {"POST", "issues/comments/*/reactions", Kind::kReact, true, false},
    {"POST", "issues/#/reactions", Kind::kReact, true, false},
    {"GET", "pulls/#/comments", Kind::kReviewComments, true, false},
    {"POST", "pulls/#/reviews", Kind::kCreateReview, true, false},
    {"POST", "pulls/#/comments/*/replies", Kind::kReply, true, false},
    {"GET", "pulls/comments/*", Kind::kReviewComment, false, true},
    {"POST", "pulls/#/discussions/*/comments", Kind::kReply, false, true},
    {"POST", "check-runs", Kind::kCreateCheck, true, false},
    {"PATCH", "check-runs/#", Kind::kUpdateCheck, true, false},
    {"GET", "commits/*/check-runs", Kind::kChecks, true, false},
    {"GET", "commits/*/check-suites", Kind::kCheckSuites, true, false},
    {"POST", "statuses/*", Kind::kSetStatus, true, false},
    {"GET", "commits/*/statuses", Kind::kStatuses, true, false},
    {"GET", "pulls/#/files", Kind::kFiles, true, true},
    {"GET", "pulls/#/commits", Kind::kCommits, true, true},
    {"GET", "pulls/#/operate_logs", Kind::kHistory, false, true},
    {"GET", "issues/#/events", Kind::kHistory, true, false},
    {"GET", "rules/branches/*", Kind::kBranchRules, true, false},
    {"GET", "branches/*", Kind::kBranch, true, false},
    {"GET", "actions/runs", Kind::kPullRuns, false, true},
    {"GET", "actions/runs/*", Kind::kPullRun, false, true},
    {"GET", "merge_requests/#/pipeline", Kind::kPullPipelines, false, true},
    {"GET", "contents/**", Kind::kContents, true, true},
    {"GET", "collaborators/*/permission", Kind::kPermission, true, true},
    {"GET", "hooks", Kind::kHooks, true, true},
    {"GET", "hooks/#/deliveries", Kind::kDeliveries, true, false},
    {"POST", "hooks/#/deliveries/*/attempts", Kind::kRedeliver, true, false},
};

bool ReadNumber(std::string_view text, int64_t& number) {
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && rest == text.data() + text.size() && number > 0;
}

bool Matches(std::string_view pattern, const std::vector<std::string>& parts, size_t at, Operation& operation) {
  while (!pattern.empty()) {
    const size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view expected = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
    if (at >= parts.size()) return false;
    if (expected == "**") {
      for (std::string& argument = operation.argument; at < parts.size(); ++at) {
        argument += (argument.empty() ? "" : "/") + parts[at];
      }
      return true;
    }
    if (expected == "#") {
      if (!ReadNumber(parts[at], operation.number)) return false;
    } else if (expected == "*") {
      operation.argument = parts[at];
    } else if (parts[at] != expected) {
      return false;
    }
    ++at;
  }
  return at == parts.size();
}

// What an App asks about itself.
std::optional<Operation> FindAppOperation(std::string_view method, const std::vector<std::string>& parts) {
  Operation operation{Kind::kApp};
  if (method == "GET" && parts.size() == 1) return operation;
  if (method == "GET" && Matches("app/installations/#", parts, 0, operation)) {
    operation.kind = Kind::kInstallation;
    return operation;
  }
  if (method == "POST" && Matches("app/installations/#/access_tokens", parts, 0, operation)) {
    operation.kind = Kind::kInstallationToken;
    return operation;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Operation> FindOperation(std::string_view method, const std::vector<std::string>& parts, bool github) {
  if (method == "GET" && parts.size() == 1 && parts[0] == "user") return Operation{Kind::kUser};
  if (github && method == "GET" && parts.size() == 1 && parts[0] == "rate_limit") return Operation{Kind::kRateLimit};
  if (github && method == "GET" && parts.size() == 6 && parts[0] == "orgs" && parts[2] == "teams" &&
      parts[4] == "memberships") {
    Operation operation{Kind::kMembership};
    operation.argument = parts[1] + "/" + parts[3] + "/" + parts[5];
    return operation;
  }
  if (github && !parts.empty() && parts[0] == "app") return FindAppOperation(method, parts);
  if (parts.size() < 3 || parts[0] != "repos") return std::nullopt;
  for (const Pattern& pattern : kRepositoryPatterns) {
    if (pattern.method != method || !(github ? pattern.github : pattern.gitcode)) continue;
    Operation operation{pattern.kind};
    operation.repository = parts[1] + "/" + parts[2];
    if (!Matches(pattern.path, parts, 3, operation)) continue;
    operation.pull = pattern.path.substr(0, 5) == "pulls";
    return operation;
  }
  return std::nullopt;
}

}  // namespace yardmaster::fakeforge
