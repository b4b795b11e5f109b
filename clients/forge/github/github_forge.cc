#include "clients/forge/github/github_forge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/github/github_answers.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr LabelRules kLabelRules{1, kMaxGitHubLabelCharacters};

std::string IssueTarget(const ForgeSubject& subject) {
  return absl::StrCat(RepositoryTarget(subject.repository), "/issues/", subject.number);
}

std::string CommentTarget(const ForgeSubject& subject, std::string_view comment) {
  return absl::StrCat(RepositoryTarget(subject.repository), "/issues/comments/", Abs(comment));
}

std::string PageQuery(int page) { return absl::StrCat("per_page=", kForgePageSize, "&page=", page); }

// A cursor of deliveries goes back into a query as it came.
bool IsCursor(std::string_view cursor) {
  return std::all_of(cursor.begin(), cursor.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.~%=").find(c) != std::string_view::npos;
  });
}

std::optional<bool> MorePages(const ForgeAnswer& answer, size_t, int) {
  return github::HasNextLink(answer.Header("Link"));
}

}  // namespace

LabelRules GitHubForge::label_rules() const { return kLabelRules; }

absl::StatusOr<ForgeUser> GitHubForge::CurrentUser(const ForgeCall& call) {
  const Run run = Begin(call);
  if (app_ != nullptr) return app_->Account(run.deadline);
  return Read<ForgeUser>(run, "/user", "/user", github::ParseUser);
}

absl::StatusOr<ForgeRepository> GitHubForge::GetRepository(const ForgeCall& call, std::string_view repository) {
  if (absl::Status status = CheckRepository(repository); !status.ok()) return status;
  return Read<ForgeRepository>(Begin(call), "/repos/{repo}", RepositoryTarget(repository), github::ParseRepository);
}

absl::StatusOr<std::vector<ForgeLabel>> GitHubForge::RepositoryLabels(const ForgeCall& call,
                                                                      std::string_view repository) {
  return ReadLabels(call, repository, github::ParseLabels, PageQuery, MorePages);
}

absl::StatusOr<ForgeIssue> GitHubForge::GetIssue(const ForgeCall& call, const ForgeSubject& subject) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  return ReadIssue(Begin(call), subject);
}

absl::StatusOr<ForgeIssue> GitHubForge::ReadIssue(const Run& run, const ForgeSubject& subject) {
  absl::StatusOr<ForgeIssue> issue =
      Read<ForgeIssue>(run, "/repos/{repo}/issues/{n}", IssueTarget(subject), github::ParseIssue);
  if (!issue.ok()) return issue;
  // A transferred issue is answered by a redirect to another one.
  if (absl::Status status = CheckNumber(*issue, subject); !status.ok()) return status;
  return issue;
}

absl::StatusOr<ForgeCommentList> GitHubForge::ListComments(const ForgeCall& call, const ForgeSubject& subject) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  return ReadComments(Begin(call), subject);
}

absl::StatusOr<ForgeCommentList> GitHubForge::ReadComments(const Run& run, const ForgeSubject& subject) {
  ForgeCommentList list;
  size_t bytes = 0;
  bool fits = true;
  absl::StatusOr<bool> complete = ReadForgePages([&](int page) -> absl::StatusOr<ForgePageInfo> {
    ForgeAnswer answer;
    absl::StatusOr<std::vector<ForgeComment>> items = Read<std::vector<ForgeComment>>(
        run, "/repos/{repo}/issues/{n}/comments", absl::StrCat(IssueTarget(subject), "/comments?", PageQuery(page)),
        github::ParseComments, &answer);
    if (!items.ok()) return items.status();
    ForgePageInfo info{items->size(), items->empty() ? "" : items->front().id,
                       github::HasNextLink(answer.Header("Link"))};
    fits = AppendComments(*std::move(items), list, bytes);
    if (!fits) info.more = false;
    return info;
  });
  if (!complete.ok()) return complete.status();
  list.complete = *complete && fits;
  return list;
}

absl::StatusOr<ForgeIssuePage> GitHubForge::ListIssues(const ForgeCall& call, std::string_view repository,
                                                       const ForgeIssueQuery& query) {
  if (!query.labels.empty()) {
    if (absl::Status status = CheckLabels(query.labels, kLabelRules); !status.ok()) return status;
  }
  return ReadIssues(call, repository, query, github::ParseIssues, PageQuery, MorePages);
}

absl::StatusOr<ForgeLabelsWritten> GitHubForge::AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                                          const std::vector<std::string>& labels) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckLabels(labels, kLabelRules); !status.ok()) return status;
  const Run run = Begin(call);
  // POST appends; PUT would replace and is never sent.
  const nlohmann::json body = {{"labels", labels}};
  const ForgeAnswer answer =
      Post(run, "/repos/{repo}/issues/{n}/labels", absl::StrCat(IssueTarget(subject), "/labels"), body.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  ForgeLabelsWritten written;
  absl::StatusOr<ForgeIssue> issue = ReadIssue(run, subject);
  if (issue.ok()) {
    written.shown = std::move(issue->labels);
  } else {
    written.read_back = issue.status();
  }
  return written;
}

absl::StatusOr<ForgeCommentWritten> GitHubForge::AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                            std::string_view body) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckComment(body, kMaxGitHubCommentCharacters); !status.ok()) return status;
  const Run run = Begin(call);
  const nlohmann::json json = {{"body", body}};
  const ForgeAnswer answer =
      Post(run, "/repos/{repo}/issues/{n}/comments", absl::StrCat(IssueTarget(subject), "/comments"), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  absl::StatusOr<ForgeComment> answered = github::ParseComment(answer.body);
  return FindWritten(answered.ok() ? std::optional(*std::move(answered)) : std::nullopt, body,
                     ReadComments(run, subject));
}

absl::StatusOr<ForgeAccess> GitHubForge::GetPermission(const ForgeCall& call, std::string_view repository,
                                                       std::string_view login) {
  return ReadPermission(call, repository, login, github::ParseAccess);
}

absl::StatusOr<bool> GitHubForge::IsTeamMember(const ForgeCall& call, std::string_view organisation,
                                               std::string_view team, std::string_view login) {
  if (absl::Status status = CheckNamePart("organisation", organisation); !status.ok()) return status;
  if (absl::Status status = CheckNamePart("team", team); !status.ok()) return status;
  if (absl::Status status = CheckLogin(login); !status.ok()) return status;
  absl::StatusOr<bool> active =
      Read<bool>(Begin(call), "/orgs/{org}/teams/{team}/memberships/{user}",
                 absl::StrCat("/orgs/", Abs(organisation), "/teams/", Abs(team), "/memberships/", UrlEncode(login)),
                 github::ParseMembership);
  if (absl::IsNotFound(active.status())) return false;
  return active;
}

absl::StatusOr<std::optional<ForgeFile>> GitHubForge::GetFile(const ForgeCall& call, std::string_view repository,
                                                              std::string_view path, std::string_view ref) {
  return ReadFile(call, repository, path, ref, ParseForgeFile);
}

absl::StatusOr<ForgePull> GitHubForge::GetPull(const ForgeCall& call, const ForgeSubject& subject) {
  return ReadPull(call, subject, github::ParsePull);
}

absl::StatusOr<ForgePullFileList> GitHubForge::ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) {
  return ReadPullFiles(call, subject, github::ParsePullFiles, PageQuery, MorePages);
}

absl::StatusOr<ForgeCommentWritten> GitHubForge::EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                             std::string_view comment, std::string_view body) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckId("comment", comment); !status.ok()) return status;
  if (absl::Status status = CheckComment(body, kMaxGitHubCommentCharacters); !status.ok()) return status;
  const Run run = Begin(call);
  const nlohmann::json json = {{"body", body}};
  const ForgeAnswer answer =
      Patch(run, "/repos/{repo}/issues/comments/{id}", CommentTarget(subject, comment), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  absl::StatusOr<ForgeComment> answered = github::ParseComment(answer.body);
  return FindEdited(answered.ok() ? std::optional(*std::move(answered)) : std::nullopt, comment,
                    ReadComments(run, subject));
}

absl::StatusOr<std::string> GitHubForge::AddReaction(const ForgeCall& call, const ForgeSubject& subject,
                                                     std::string_view comment, ForgeReaction reaction) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (!comment.empty()) {
    if (absl::Status status = CheckId("comment", comment); !status.ok()) return status;
  }
  const nlohmann::json json = {{"content", ForgeReactionName(reaction)}};
  const ForgeAnswer answer = comment.empty()
                                 ? Post(Begin(call), "/repos/{repo}/issues/{n}/reactions",
                                        absl::StrCat(IssueTarget(subject), "/reactions"), json.dump())
                                 : Post(Begin(call), "/repos/{repo}/issues/comments/{id}/reactions",
                                        absl::StrCat(CommentTarget(subject, comment), "/reactions"), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  // 200 (it was there) or 201: done, whatever the body says.
  return github::ParseId(answer.body).value_or("");
}

absl::StatusOr<ForgeLabelsWritten> GitHubForge::RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                            std::string_view label) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckLabelPart(label); !status.ok()) return status;
  const Run run = Begin(call);
  const ForgeAnswer answer = Delete(run, "/repos/{repo}/issues/{n}/labels/{label}",
                                    absl::StrCat(IssueTarget(subject), "/labels/", UrlEncode(label)));
  if (answer.error.has_value() && answer.error->reason != ForgeReason::kNotFound) return answer.ToStatus();
  return LabelRemoved(answer, ReadIssue(run, subject));
}

absl::StatusOr<ForgeHookDeliveryPage> GitHubForge::ListHookDeliveries(const ForgeCall& call,
                                                                      std::string_view repository,
                                                                      std::string_view hook, std::string_view cursor) {
  if (absl::Status status = CheckRepository(repository); !status.ok()) return status;
  if (absl::Status status = CheckId("hook", hook); !status.ok()) return status;
  if (!IsCursor(cursor)) {
    return MakeForgeStatus({ForgeReason::kInvalidInput, ForgeOutcome::kNotSent, 0, std::nullopt},
                           "not a cursor of this client");
  }
  std::string target =
      absl::StrCat(RepositoryTarget(repository), "/hooks/", Abs(hook), "/deliveries?per_page=", kForgePageSize);
  if (!cursor.empty()) absl::StrAppend(&target, "&cursor=", Abs(cursor));
  ForgeAnswer answer;
  absl::StatusOr<std::vector<ForgeHookDelivery>> deliveries = Read<std::vector<ForgeHookDelivery>>(
      Begin(call), "/repos/{repo}/hooks/{id}/deliveries", target, github::ParseDeliveries, &answer);
  if (!deliveries.ok()) return deliveries.status();
  ForgeHookDeliveryPage page;
  page.deliveries = *std::move(deliveries);
  page.next = github::NextLinkParameter(answer.Header("Link"), "cursor");
  // A cursor that does not move would never end.
  if (page.deliveries.empty() || page.next == cursor || !IsCursor(page.next)) page.next.clear();
  return page;
}

absl::Status GitHubForge::Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                                    std::string_view delivery) {
  if (absl::Status status = CheckRepository(repository); !status.ok()) return status;
  if (absl::Status status = CheckId("hook", hook); !status.ok()) return status;
  if (absl::Status status = CheckId("delivery", delivery); !status.ok()) return status;
  const std::string target =
      absl::StrCat(RepositoryTarget(repository), "/hooks/", Abs(hook), "/deliveries/", Abs(delivery), "/attempts");
  return Post(Begin(call), "/repos/{repo}/hooks/{id}/deliveries/{n}/attempts", target, "").ToStatus();
}

}  // namespace yardmaster
