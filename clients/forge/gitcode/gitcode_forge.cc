#include "clients/forge/gitcode/gitcode_forge.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/gitcode/gitcode_answers.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

ForgeAddress Subject(const ForgeSubject& subject) {
  const std::string_view kind = subject.pull_request ? "/pulls/" : "/issues/";
  return RepositoryAddress(subject.repository)
      .Below(absl::StrCat(Abs(kind), subject.number), absl::StrCat(Abs(kind), "{n}"));
}

// Comments of issues and those of pull requests have their own addresses.
ForgeAddress Comment(const ForgeSubject& subject, std::string_view id) {
  const std::string_view kind = subject.pull_request ? "/pulls/comments/" : "/issues/comments/";
  return RepositoryAddress(subject.repository).Below(absl::StrCat(Abs(kind), Abs(id)), absl::StrCat(Abs(kind), "{id}"));
}

// A bare array.
nlohmann::json AddedLabels(const std::vector<std::string>& labels) { return labels; }

// The same order has two names.
std::string_view CommentOrder(const ForgeSubject& subject) {
  return subject.pull_request ? "&direction=asc" : "&order=asc";
}

std::string PageQuery(int page) { return absl::StrCat("page=", page, "&per_page=", kForgePageSize); }

// Header total_page: says that a full page is the last one. It is not trusted to say that there are more: a short page
// ends the list whatever it says.
ForgePageInfo PageInfo(const ForgeAnswer& answer, size_t items, int page) {
  ForgePageInfo info;
  info.items = items;
  int total = 0;
  const bool last = absl::SimpleAtoi(Abs(answer.Header("total_page")), &total) && total >= 1 && page >= total;
  if (last || items < static_cast<size_t>(kForgePageSize)) info.more = false;
  return info;
}

ForgeAddress Runs(std::string_view repository) {
  ForgeAddress runs = RepositoryAddress(repository).Below("/actions/runs");
  runs.api_version = "v8";
  return runs;
}

ForgeAddress Pipelines(const ForgeSubject& subject) {
  return RepositoryAddress(subject.repository)
      .Below(absl::StrCat("/merge_requests/", subject.number, "/pipeline"), "/merge_requests/{n}/pipeline");
}

absl::Status Unsupported(std::string_view message) {
  return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt}, message);
}

absl::Status NoDeliveries() { return Unsupported("GitCode keeps no record of webhook deliveries"); }

constexpr RestApi kApi = {
    .labels = {2, 20},
    .max_comment_characters = 65'535,
    .subject = Subject,
    .comment = Comment,
    .added_labels = AddedLabels,
    .page_query = PageQuery,
    .comment_order = CommentOrder,
    .page_info = PageInfo,
    .review_comment_order = "&direction=asc&comment_type=diff_comment",
    .review_replies =
        [](const ForgeSubject& subject, const ForgeComment& comment) {
          const std::string& discussion = comment.discussion.empty() ? comment.id : comment.discussion;
          return PullAddress(subject).Below(absl::StrCat("/discussions/", discussion, "/comments"),
                                            "/discussions/{id}/comments");
        },
    .max_review_comments = 1,
    .pull_heads =
        [](std::string_view, const ForgePullHead& head) {
          const std::string by_owner = absl::StrCat(Abs(OwnerOf(head.repository)), ":", head.branch);
          return std::vector<nlohmann::json>{{{"head", by_owner}, {"fork_path", head.repository}},
                                             {{"head", by_owner}},
                                             {{"head", absl::StrCat(head.repository, ":", head.branch)}}};
        },
    .pulls_query = [](const ForgePullHead&) { return std::string("&state=open"); },
    .reviewers_path = "/approval_reviewers",
    .reviewers_body =
        [](const std::vector<std::string>& logins) {
          return nlohmann::json{{"reviewers", absl::StrJoin(logins, ",")}, {"add", true}};
        },
    .issue_tells_kind = false,
    .user = gitcode::ParseUser,
    .repository = gitcode::ParseRepository,
    .repositories = gitcode::ParseRepositories,
    .repository_labels = gitcode::ParseLabels,
    .issue = gitcode::ParseIssue,
    .issues = gitcode::ParseIssues,
    .written_comment = gitcode::ParseComment,
    .comments = gitcode::ParseComments,
    .access = gitcode::ParseAccess,
    .pull = gitcode::ParsePull,
    .pulls = gitcode::ParsePulls,
    .made_pull = ParseMadePull,
    .pull_files = gitcode::ParsePullFiles,
    .pull_commits = ParsePullCommits,
    .pull_history = gitcode::ParsePullHistory,
    .pull_history_address = [](const ForgeSubject& subject) { return PullAddress(subject).Below("/operate_logs"); },
    .review_comments = gitcode::ParseReviewComments,
    .webhooks = gitcode::ParseWebhooks,
    .scopes_header = {},
};

}  // namespace

GitCodeForge::GitCodeForge(ForgePipeline pipeline, const Clock& clock)
    : RestAdapter(kApi, std::move(pipeline), clock) {}

absl::StatusOr<bool> GitCodeForge::IsTeamMember(const ForgeCall&, std::string_view, std::string_view,
                                                std::string_view) {
  return Unsupported("GitCode has no teams");
}

absl::StatusOr<std::string> GitCodeForge::AddReaction(const ForgeCall&, const ForgeSubject&, std::string_view,
                                                      ForgeReaction) {
  return Unsupported("GitCode has no reactions");
}

absl::StatusOr<std::vector<ForgePullRun>> GitCodeForge::ListPullRuns(const ForgeCall& call,
                                                                     const ForgeSubject& subject) {
  RETURN_IF_ERROR(CheckSubject(subject));
  std::vector<ForgePullRun> runs;
  RETURN_IF_ERROR(ReadList(Begin(call), Runs(subject.repository), absl::StrCat("&pull_request_id=", subject.number),
                           gitcode::ParsePullRuns, &ForgePullRun::id, AppendTo(runs))
                      .status());
  if (runs.empty()) {
    const absl::Status pipelines = ReadList(Begin(call), Pipelines(subject), "&type=report_pipeline",
                                            gitcode::ParsePullPipelines, &ForgePullRun::id, AppendTo(runs))
                                       .status();
    // A repository that never had them has no such address.
    if (!pipelines.ok() && !absl::IsNotFound(pipelines)) return pipelines;
  }
  absl::c_stable_sort(runs, [](const ForgePullRun& a, const ForgePullRun& b) { return a.number > b.number; });
  return runs;
}

absl::StatusOr<ForgePullRun> GitCodeForge::GetPullRun(const ForgeCall& call, std::string_view repository,
                                                      std::string_view run) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckId("run", run));
  return Read<ForgePullRun>(Begin(call), Runs(repository).Below(absl::StrCat("/", Abs(run)), "/{id}"),
                            gitcode::ParsePullRun);
}

absl::StatusOr<ForgeHookDeliveryPage> GitCodeForge::ListHookDeliveries(const ForgeCall&, std::string_view,
                                                                       std::string_view, std::string_view) {
  return NoDeliveries();
}

absl::Status GitCodeForge::Redeliver(const ForgeCall&, std::string_view, std::string_view, std::string_view) {
  return NoDeliveries();
}

}  // namespace yardmaster
