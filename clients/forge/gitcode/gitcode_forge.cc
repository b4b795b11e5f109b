#include "clients/forge/gitcode/gitcode_forge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "clients/forge/gitcode/gitcode_answers.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr LabelRules kLabelRules{kMinGitCodeLabelCharacters, kMaxGitCodeLabelCharacters};

std::string SubjectTarget(const ForgeSubject& subject) {
  return absl::StrCat(RepositoryTarget(subject.repository), subject.pull_request ? "/pulls/" : "/issues/",
                      subject.number);
}

// The routes of both kinds, for metrics.
std::string SubjectRoute(const ForgeSubject& subject, std::string_view rest) {
  return absl::StrCat("/repos/{repo}/", subject.pull_request ? "pulls" : "issues", "/{n}", Abs(rest));
}

std::string PageQuery(int page) { return absl::StrCat("page=", page, "&per_page=", kForgePageSize); }

// Header total_page: says that a full page is the last one. It is not trusted to say that there are more: a short page
// ends the list whatever it says.
std::optional<bool> MorePages(const ForgeAnswer& answer, size_t items, int page) {
  if (items < static_cast<size_t>(kForgePageSize)) return false;
  const std::string_view text = answer.Header("total_page");
  int total = 0;
  if (text.empty() || !absl::SimpleAtoi(Abs(text), &total) || total < 1) return std::nullopt;
  if (page >= total) return false;
  return std::nullopt;
}

// Oldest first, also where the server ignores the order that was asked for. Only if every time can be read.
void SortByTime(std::vector<ForgeComment>& comments) {
  std::vector<std::pair<absl::Time, size_t>> times;
  times.reserve(comments.size());
  for (size_t i = 0; i < comments.size(); ++i) {
    absl::Time time;
    if (!absl::ParseTime(absl::RFC3339_full, comments[i].created_at, &time, nullptr)) return;
    times.emplace_back(time, i);
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (std::is_sorted(times.begin(), times.end(), earlier)) return;
  std::stable_sort(times.begin(), times.end(), earlier);
  std::vector<ForgeComment> sorted;
  sorted.reserve(comments.size());
  for (const auto& [time, index] : times) sorted.push_back(std::move(comments[index]));
  comments = std::move(sorted);
}

// Comments of issues and those of pull requests have their own addresses.
std::string CommentTarget(const ForgeSubject& subject, std::string_view comment) {
  return absl::StrCat(RepositoryTarget(subject.repository),
                      subject.pull_request ? "/pulls/comments/" : "/issues/comments/", Abs(comment));
}

absl::Status Unsupported(std::string_view message) {
  return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt}, message);
}

absl::Status NoDeliveries() { return Unsupported("GitCode keeps no record of webhook deliveries"); }

}  // namespace

LabelRules GitCodeForge::label_rules() const { return kLabelRules; }

absl::StatusOr<ForgeUser> GitCodeForge::CurrentUser(const ForgeCall& call) {
  return Read<ForgeUser>(Begin(call), "/user", "/user", gitcode::ParseUser);
}

absl::StatusOr<ForgeRepository> GitCodeForge::GetRepository(const ForgeCall& call, std::string_view repository) {
  if (absl::Status status = CheckRepository(repository); !status.ok()) return status;
  return Read<ForgeRepository>(Begin(call), "/repos/{repo}", RepositoryTarget(repository), gitcode::ParseRepository);
}

absl::StatusOr<std::vector<ForgeLabel>> GitCodeForge::RepositoryLabels(const ForgeCall& call,
                                                                       std::string_view repository) {
  return ReadLabels(call, repository, gitcode::ParseLabels, PageQuery, MorePages);
}

absl::StatusOr<ForgeIssue> GitCodeForge::GetIssue(const ForgeCall& call, const ForgeSubject& subject) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  return ReadIssue(Begin(call), subject);
}

absl::StatusOr<ForgeIssue> GitCodeForge::ReadIssue(const Run& run, const ForgeSubject& subject) {
  absl::StatusOr<ForgeIssue> issue =
      Read<ForgeIssue>(run, SubjectRoute(subject, ""), SubjectTarget(subject), gitcode::ParseIssue);
  if (!issue.ok()) return issue;
  if (absl::Status status = CheckNumber(*issue, subject); !status.ok()) return status;
  issue->pull_request = subject.pull_request;
  return issue;
}

absl::StatusOr<ForgeCommentList> GitCodeForge::ListComments(const ForgeCall& call, const ForgeSubject& subject) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  return ReadComments(Begin(call), subject);
}

absl::StatusOr<ForgeCommentList> GitCodeForge::ReadComments(const Run& run, const ForgeSubject& subject) {
  // The same order has two names.
  const std::string_view order = subject.pull_request ? "&direction=asc" : "&order=asc";
  ForgeCommentList list;
  size_t bytes = 0;
  bool fits = true;
  absl::StatusOr<bool> complete = ReadForgePages([&](int page) -> absl::StatusOr<ForgePageInfo> {
    ForgeAnswer answer;
    absl::StatusOr<std::vector<ForgeComment>> items =
        Read<std::vector<ForgeComment>>(run, SubjectRoute(subject, "/comments"),
                                        absl::StrCat(SubjectTarget(subject), "/comments?", PageQuery(page), Abs(order)),
                                        gitcode::ParseComments, &answer);
    if (!items.ok()) return items.status();
    ForgePageInfo info{items->size(), items->empty() ? "" : items->front().id, MorePages(answer, items->size(), page)};
    fits = AppendComments(*std::move(items), list, bytes);
    if (!fits) info.more = false;
    return info;
  });
  if (!complete.ok()) return complete.status();
  SortByTime(list.comments);
  list.complete = *complete && fits;
  return list;
}

absl::StatusOr<ForgeIssuePage> GitCodeForge::ListIssues(const ForgeCall& call, std::string_view repository,
                                                        const ForgeIssueQuery& query) {
  if (!query.labels.empty()) {
    if (absl::Status status = CheckLabels(query.labels, kLabelRules); !status.ok()) return status;
  }
  return ReadIssues(call, repository, query, gitcode::ParseIssues, PageQuery, MorePages);
}

absl::StatusOr<ForgeLabelsWritten> GitCodeForge::AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                                           const std::vector<std::string>& labels) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckLabels(labels, kLabelRules); !status.ok()) return status;
  const Run run = Begin(call);
  // A bare array; POST appends, PUT would replace and is never sent.
  const nlohmann::json body = labels;
  const ForgeAnswer answer =
      Post(run, SubjectRoute(subject, "/labels"), absl::StrCat(SubjectTarget(subject), "/labels"), body.dump());
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

absl::StatusOr<ForgeCommentWritten> GitCodeForge::AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                             std::string_view body) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckComment(body, kMaxGitCodeCommentCharacters); !status.ok()) return status;
  const Run run = Begin(call);
  const nlohmann::json json = {{"body", body}};
  const ForgeAnswer answer =
      Post(run, SubjectRoute(subject, "/comments"), absl::StrCat(SubjectTarget(subject), "/comments"), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  absl::StatusOr<ForgeComment> answered = gitcode::ParseComment(answer.body);
  return FindWritten(answered.ok() ? std::optional(*std::move(answered)) : std::nullopt, body,
                     ReadComments(run, subject));
}

absl::StatusOr<ForgeAccess> GitCodeForge::GetPermission(const ForgeCall& call, std::string_view repository,
                                                        std::string_view login) {
  return ReadPermission(call, repository, login, gitcode::ParseAccess);
}

absl::StatusOr<bool> GitCodeForge::IsTeamMember(const ForgeCall&, std::string_view, std::string_view,
                                                std::string_view) {
  return Unsupported("GitCode has no teams");
}

absl::StatusOr<std::optional<ForgeFile>> GitCodeForge::GetFile(const ForgeCall& call, std::string_view repository,
                                                               std::string_view path, std::string_view ref) {
  return ReadFile(call, repository, path, ref, ParseForgeFile);
}

absl::StatusOr<ForgePull> GitCodeForge::GetPull(const ForgeCall& call, const ForgeSubject& subject) {
  return ReadPull(call, subject, gitcode::ParsePull);
}

absl::StatusOr<ForgePullFileList> GitCodeForge::ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) {
  return ReadPullFiles(call, subject, gitcode::ParsePullFiles, PageQuery, MorePages);
}

absl::StatusOr<ForgeCommentWritten> GitCodeForge::EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                              std::string_view comment, std::string_view body) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckId("comment", comment); !status.ok()) return status;
  if (absl::Status status = CheckComment(body, kMaxGitCodeCommentCharacters); !status.ok()) return status;
  const Run run = Begin(call);
  const nlohmann::json json = {{"body", body}};
  const ForgeAnswer answer =
      Patch(run, subject.pull_request ? "/repos/{repo}/pulls/comments/{id}" : "/repos/{repo}/issues/comments/{id}",
            CommentTarget(subject, comment), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  absl::StatusOr<ForgeComment> answered = gitcode::ParseComment(answer.body);
  return FindEdited(answered.ok() ? std::optional(*std::move(answered)) : std::nullopt, comment,
                    ReadComments(run, subject));
}

absl::StatusOr<std::string> GitCodeForge::AddReaction(const ForgeCall&, const ForgeSubject&, std::string_view,
                                                      ForgeReaction) {
  return Unsupported("GitCode has no reactions");
}

absl::StatusOr<ForgeLabelsWritten> GitCodeForge::RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                             std::string_view label) {
  if (absl::Status status = CheckSubject(subject); !status.ok()) return status;
  if (absl::Status status = CheckLabelPart(label); !status.ok()) return status;
  const Run run = Begin(call);
  const ForgeAnswer answer = Delete(run, SubjectRoute(subject, "/labels/{label}"),
                                    absl::StrCat(SubjectTarget(subject), "/labels/", UrlEncode(label)));
  if (answer.error.has_value() && answer.error->reason != ForgeReason::kNotFound) return answer.ToStatus();
  return LabelRemoved(answer, ReadIssue(run, subject));
}

absl::StatusOr<ForgeHookDeliveryPage> GitCodeForge::ListHookDeliveries(const ForgeCall&, std::string_view,
                                                                       std::string_view, std::string_view) {
  return NoDeliveries();
}

absl::Status GitCodeForge::Redeliver(const ForgeCall&, std::string_view, std::string_view, std::string_view) {
  return NoDeliveries();
}

}  // namespace yardmaster
