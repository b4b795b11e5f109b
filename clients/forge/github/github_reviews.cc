// GitHub's calls for reviews: check runs, commit statuses, one review with several comments.
#include <nlohmann/json.hpp>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/github/github_checks.h"
#include "clients/forge/github/github_forge.h"
#include "clients/forge/http.h"
#include "clients/forge/names.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

ForgeAddress CheckRuns(std::string_view repository) { return RepositoryAddress(repository).Below("/check-runs"); }

ForgeAddress CommitAddress(std::string_view repository, std::string_view head) {
  return RepositoryAddress(repository).Below(absl::StrCat("/commits/", Abs(head)), "/commits/{sha}");
}

// A list that is cut must not pass for a whole one: what is missing would be written once more.
absl::Status TooManyChecks(std::string_view what) {
  return MakeForgeStatus({ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
                         absl::StrCat("the commit has more ", Abs(what), " than are read"));
}

// The answer to a check run that was written. Where it can't be understood, what happened is unknown.
absl::StatusOr<ForgeCheckRun> WrittenCheckRun(const ForgeAnswer& answer) {
  if (answer.error.has_value()) return answer.ToStatus();
  return github::ParseCheckRun(answer.body);
}

}  // namespace

absl::StatusOr<ForgeCheckRun> GitHubForge::CreateCheckRun(const ForgeCall& call, std::string_view repository,
                                                          const ForgeCheckRunWrite& write) {
  if (!has_check_runs()) return RestAdapter::CreateCheckRun(call, repository, write);
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(github::CheckCheckRun(write));
  return WrittenCheckRun(Post(Begin(call), CheckRuns(repository), github::CheckRunBody(write, /*is_new=*/true).dump()));
}

absl::StatusOr<ForgeCheckRun> GitHubForge::UpdateCheckRun(const ForgeCall& call, std::string_view repository,
                                                          std::string_view check_run, const ForgeCheckRunWrite& write) {
  if (!has_check_runs()) return RestAdapter::UpdateCheckRun(call, repository, check_run, write);
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckId("check run", check_run));
  RETURN_IF_ERROR(github::CheckCheckRun(write));
  return WrittenCheckRun(Patch(Begin(call), CheckRuns(repository).Below(absl::StrCat("/", Abs(check_run)), "/{id}"),
                               github::CheckRunBody(write, /*is_new=*/false).dump()));
}

template <typename Item>
absl::StatusOr<std::vector<Item>> GitHubForge::ListOfCommit(const ForgeCall& call, std::string_view repository,
                                                            std::string_view head, std::string_view path,
                                                            std::string_view query,
                                                            ForgeParser<std::vector<Item>> parse,
                                                            std::string_view what) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckCommit(head));
  std::vector<Item> items;
  ASSIGN_OR_RETURN(const bool complete, ReadList(Begin(call), CommitAddress(repository, head).Below(path), query, parse,
                                                 &Item::id, AppendTo(items)));
  if (!complete) return TooManyChecks(what);
  return items;
}

absl::StatusOr<std::vector<ForgeCheckRun>> GitHubForge::ListCheckRuns(const ForgeCall& call,
                                                                      std::string_view repository,
                                                                      std::string_view head, std::string_view name) {
  // Those of others can be read without an App, too.
  if (!has_check_runs() && !name.empty()) return RestAdapter::ListCheckRuns(call, repository, head, name);
  // Older ones of the same name, too.
  const std::string query = absl::StrCat("&filter=all", name.empty() ? "" : "&check_name=", UrlEncode(name));
  ASSIGN_OR_RETURN(std::vector<ForgeCheckRun> runs,
                   ListOfCommit(call, repository, head, "/check-runs", query, github::ParseCheckRuns, "check runs"));
  std::erase_if(runs, [name](const ForgeCheckRun& run) { return !name.empty() && run.name != name; });
  // Ids grow.
  const auto number = [](const ForgeCheckRun& run) {
    int64_t id = 0;
    return absl::SimpleAtoi(run.id, &id) ? id : 0;
  };
  absl::c_stable_sort(runs, [&](const ForgeCheckRun& a, const ForgeCheckRun& b) { return number(a) > number(b); });
  return runs;
}

absl::StatusOr<std::vector<ForgeCheckSuite>> GitHubForge::ListCheckSuites(const ForgeCall& call,
                                                                          std::string_view repository,
                                                                          std::string_view head) {
  return ListOfCommit(call, repository, head, "/check-suites", /*query=*/"", github::ParseCheckSuites, "check suites");
}

absl::Status GitHubForge::SetCommitStatus(const ForgeCall& call, std::string_view repository, std::string_view head,
                                          const ForgeCommitStatus& status) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckCommit(head));
  RETURN_IF_ERROR(github::CheckCommitStatus(status));
  return Post(Begin(call),
              RepositoryAddress(repository).Below(absl::StrCat("/statuses/", Abs(head)), "/statuses/{sha}"),
              github::CommitStatusBody(status).dump())
      .ToStatus();
}

absl::StatusOr<std::vector<ForgeCommitStatus>> GitHubForge::ListCommitStatuses(const ForgeCall& call,
                                                                               std::string_view repository,
                                                                               std::string_view head) {
  return ListOfCommit(call, repository, head, "/statuses", /*query=*/"", github::ParseCommitStatuses, "statuses");
}

absl::Status GitHubForge::SendReview(const Run& run, const ForgeSubject& subject, std::string_view commit,
                                     const std::vector<ForgeInlineComment>& comments) {
  return Post(run, PullAddress(subject).Below("/reviews"), github::ReviewBody(commit, comments).dump()).ToStatus();
}

}  // namespace yardmaster
