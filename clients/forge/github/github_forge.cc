#include "clients/forge/github/github_forge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/github/github_answers.h"
#include "clients/forge/github/github_checks.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Issue addresses serve pull requests too.
ForgeAddress Subject(const ForgeSubject& subject) {
  return RepositoryAddress(subject.repository).Below(absl::StrCat("/issues/", subject.number), "/issues/{n}");
}

ForgeAddress Comment(const ForgeSubject& subject, std::string_view id) {
  return RepositoryAddress(subject.repository)
      .Below(absl::StrCat("/issues/comments/", Abs(id)), "/issues/comments/{id}");
}

nlohmann::json AddedLabels(const std::vector<std::string>& labels) { return {{"labels", labels}}; }

std::string PageQuery(int page) { return absl::StrCat("per_page=", kForgePageSize, "&page=", page); }

ForgeAddress Deliveries(std::string_view repository, std::string_view hook) {
  return RepositoryAddress(repository)
      .Below(absl::StrCat("/hooks/", Abs(hook), "/deliveries"), "/hooks/{id}/deliveries");
}

// A cursor of deliveries goes back into a query as it came.
bool IsCursor(std::string_view cursor) {
  return std::all_of(cursor.begin(), cursor.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.~%=").find(c) != std::string_view::npos;
  });
}

ForgePageInfo PageInfo(const ForgeAnswer& answer, size_t items, int) {
  ForgePageInfo info;
  info.items = items;
  info.more = github::HasNextLink(answer.Header("Link"));
  info.next = github::NextLinkQuery(answer.Header("Link"));
  return info;
}

constexpr RestApi kApi = {
    .labels = {1, 50},
    .max_comment_characters = 65'536,
    .subject = Subject,
    .comment = Comment,
    .added_labels = AddedLabels,
    .page_query = PageQuery,
    .comment_order = [](const ForgeSubject&) { return std::string_view(); },
    .page_info = PageInfo,
    .review_comment_order = {},
    .review_replies =
        [](const ForgeSubject& subject, const ForgeComment& comment) {
          return PullAddress(subject).Below(absl::StrCat("/comments/", comment.id, "/replies"),
                                            "/comments/{id}/replies");
        },
    .max_review_comments = github::kMaxReviewComments,
    .pull_heads =
        [](std::string_view repository, const ForgePullHead& head) {
          // Two forks of one owner differ by the repository's name, which only newer servers take.
          nlohmann::json named = {{"head", absl::StrCat(Abs(OwnerOf(head.repository)), ":", head.branch)}};
          if (NameOf(head.repository) != NameOf(repository)) named["head_repo"] = std::string(NameOf(head.repository));
          return std::vector<nlohmann::json>{std::move(named)};
        },
    .pulls_query =
        [](const ForgePullHead& head) {
          if (head.branch.empty()) return std::string("&state=open");
          return absl::StrCat("&state=open&head=",
                              UrlEncode(absl::StrCat(Abs(OwnerOf(head.repository)), ":", head.branch)));
        },
    .reviewers_path = "/requested_reviewers",
    .reviewers_body =
        [](const std::vector<std::string>& logins) {
          return nlohmann::json{{"reviewers", logins}};
        },
    .issue_tells_kind = true,
    .user = github::ParseUser,
    .repository = github::ParseRepository,
    .repositories = github::ParseRepositories,
    .repository_labels = github::ParseLabels,
    .issue = github::ParseIssue,
    .issues = github::ParseIssues,
    .written_comment = github::ParseComment,
    .comments = github::ParseComments,
    .access = github::ParseAccess,
    .pull = github::ParsePull,
    .pulls = github::ParsePulls,
    .made_pull = ParseMadePull,
    .pull_files = github::ParsePullFiles,
    .pull_commits = ParsePullCommits,
    .pull_history = github::ParseIssueEvents,
    .pull_history_address = [](const ForgeSubject& subject) { return Subject(subject).Below("/events"); },
    .review_comments = github::ParseReviewComments,
    .webhooks = github::ParseWebhooks,
    .scopes_header = "X-OAuth-Scopes",
};

}  // namespace

GitHubForge::GitHubForge(ForgePipeline pipeline, const Clock& clock) : RestAdapter(kApi, std::move(pipeline), clock) {}

absl::StatusOr<bool> GitHubForge::IsTeamMember(const ForgeCall& call, std::string_view organisation,
                                               std::string_view team, std::string_view login) {
  RETURN_IF_ERROR(CheckNamePart("organisation", organisation));
  RETURN_IF_ERROR(CheckNamePart("team", team));
  RETURN_IF_ERROR(CheckLogin(login));
  absl::StatusOr<bool> active =
      Read<bool>(Begin(call),
                 {absl::StrCat("/orgs/", Abs(organisation), "/teams/", Abs(team), "/memberships/", UrlEncode(login)),
                  "/orgs/{org}/teams/{team}/memberships/{user}"},
                 github::ParseMembership);
  if (absl::IsNotFound(active.status())) return false;
  return active;
}

absl::StatusOr<std::vector<std::string>> GitHubForge::ListRequiredChecks(const ForgeCall& call,
                                                                         std::string_view repository,
                                                                         std::string_view branch) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckRef(branch));
  const Run run = Begin(call);
  const std::string name = UrlEncode(branch);
  // Rulesets, and the older protection of the branch: either may be in use, or both.
  ASSIGN_OR_RETURN(std::vector<std::string> required,
                   Read<std::vector<std::string>>(
                       run, RepositoryAddress(repository).Below("/rules/branches/" + name, "/rules/branches/{branch}"),
                       github::ParseBranchRules));
  ASSIGN_OR_RETURN(const std::vector<std::string> protection,
                   Read<std::vector<std::string>>(
                       run, RepositoryAddress(repository).Below("/branches/" + name, "/branches/{branch}"),
                       github::ParseBranchProtection));
  for (const std::string& check : protection) {
    if (std::find(required.begin(), required.end(), check) == required.end()) required.push_back(check);
  }
  return required;
}

absl::StatusOr<std::string> GitHubForge::AddReaction(const ForgeCall& call, const ForgeSubject& subject,
                                                     std::string_view comment, ForgeReaction reaction) {
  RETURN_IF_ERROR(CheckSubject(subject));
  if (!comment.empty()) {
    RETURN_IF_ERROR(CheckId("comment", comment));
  }
  const nlohmann::json json = {{"content", ForgeReactionName(reaction)}};
  const ForgeAddress text = comment.empty() ? Subject(subject) : Comment(subject, comment);
  const ForgeAnswer answer = Post(Begin(call), text.Below("/reactions"), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  // 200 (it was there) or 201: done, whatever the body says.
  return github::ParseId(answer.body).value_or("");
}

absl::StatusOr<ForgeHookDeliveryPage> GitHubForge::ListHookDeliveries(const ForgeCall& call,
                                                                      std::string_view repository,
                                                                      std::string_view hook, std::string_view cursor) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckId("hook", hook));
  if (!IsCursor(cursor)) {
    return InvalidForgeInput("not a cursor of this client");
  }
  std::string query = absl::StrCat("?per_page=", kForgePageSize);
  if (!cursor.empty()) absl::StrAppend(&query, "&cursor=", Abs(cursor));
  ForgeAnswer answer;
  ASSIGN_OR_RETURN(std::vector<ForgeHookDelivery> deliveries,
                   Read<std::vector<ForgeHookDelivery>>(Begin(call), Deliveries(repository, hook).Below(query, ""),
                                                        github::ParseDeliveries, &answer));
  ForgeHookDeliveryPage page;
  page.deliveries = std::move(deliveries);
  page.next = github::NextLinkParameter(answer.Header("Link"), "cursor");
  // A cursor that does not move would never end.
  if (page.deliveries.empty() || page.next == cursor || !IsCursor(page.next)) page.next.clear();
  return page;
}

absl::Status GitHubForge::Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                                    std::string_view delivery) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckId("hook", hook));
  RETURN_IF_ERROR(CheckId("delivery", delivery));
  const ForgeAddress attempts =
      Deliveries(repository, hook).Below(absl::StrCat("/", Abs(delivery), "/attempts"), "/{n}/attempts");
  return Post(Begin(call), attempts, "").ToStatus();
}

}  // namespace yardmaster
