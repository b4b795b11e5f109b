// The lists of a repository, which have the same addresses on all forges.
#include "absl/strings/str_split.h"
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::StatusOr<ForgeUser> RestAdapter::CurrentUser(const ForgeCall& call) {
  const Run run = Begin(call);
  ASSIGN_OR_RETURN(std::optional<ForgeUser> account, pipeline_.credentials->Account(run.deadline));
  if (account.has_value()) return *std::move(account);
  return Read<ForgeUser>(run, {"/user", "/user"}, api_.user);
}

absl::StatusOr<ForgeAccount> RestAdapter::GetAccount(const ForgeCall& call) {
  const Run run = Begin(call);
  ForgeAccount account;
  ASSIGN_OR_RETURN(account.permissions, pipeline_.credentials->Permissions(run.deadline));
  if (account.permissions.has_value()) {
    ASSIGN_OR_RETURN(account.user, CurrentUser(call));
    return account;
  }
  ForgeAnswer answer;
  ASSIGN_OR_RETURN(account.user, Read<ForgeUser>(run, {"/user", "/user"}, api_.user, &answer));
  if (!api_.scopes_header.empty() && OutgoingResponse{0, answer.headers, {}}.HasHeader(api_.scopes_header)) {
    account.scopes = absl::StrSplit(Abs(answer.Header(api_.scopes_header)), absl::ByAnyChar(", "), absl::SkipEmpty());
  }
  return account;
}

absl::StatusOr<ForgeRepository> RestAdapter::GetRepository(const ForgeCall& call, std::string_view repository) {
  RETURN_IF_ERROR(CheckRepository(repository));
  return Read<ForgeRepository>(Begin(call), RepositoryAddress(repository), api_.repository);
}

absl::StatusOr<std::vector<ForgeLabel>> RestAdapter::RepositoryLabels(const ForgeCall& call,
                                                                      std::string_view repository) {
  RETURN_IF_ERROR(CheckRepository(repository));
  std::vector<ForgeLabel> labels;
  ASSIGN_OR_RETURN(const bool complete,
                   ReadList(Begin(call), RepositoryAddress(repository).Below("/labels"), /*order=*/"",
                            api_.repository_labels, &ForgeLabel::name, AppendTo(labels)));
  if (complete) return labels;
  return MakeForgeStatus({ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
                         absl::StrCat(Abs(repository), " has more labels than are read: ", labels.size()));
}

absl::StatusOr<std::vector<ForgeWebhook>> RestAdapter::ListWebhooks(const ForgeCall& call,
                                                                    std::string_view repository) {
  RETURN_IF_ERROR(CheckRepository(repository));
  std::vector<ForgeWebhook> webhooks;
  // A list too long to read has enough of them.
  RETURN_IF_ERROR(ReadList(Begin(call), RepositoryAddress(repository).Below("/hooks"), /*order=*/"", api_.webhooks,
                           &ForgeWebhook::id, AppendTo(webhooks))
                      .status());
  return webhooks;
}

absl::StatusOr<std::vector<std::string>> RestAdapter::ListRepositories(const ForgeCall& call, std::string_view owner) {
  RETURN_IF_ERROR(CheckNamePart("owner", owner));
  const Run run = Begin(call);
  std::vector<ForgeRepository> repositories;
  const auto read = [&](std::string_view kind) {
    return ReadList(
        run, {absl::StrCat("/", Abs(kind), "/", Abs(owner), "/repos"), absl::StrCat("/", Abs(kind), "/{owner}/repos")},
        /*order=*/"", api_.repositories, &ForgeRepository::full_name, AppendTo(repositories));
  };
  absl::StatusOr<bool> complete = read("orgs");
  // No organisation: an account of a person.
  if (absl::IsNotFound(complete.status())) complete = read("users");
  if (!complete.ok()) return complete.status();
  std::vector<std::string> names;
  for (ForgeRepository& repository : repositories) {
    if (!repository.archived) names.push_back(std::move(repository.full_name));
  }
  return names;
}

absl::StatusOr<ForgeIssuePage> RestAdapter::ListIssues(const ForgeCall& call, std::string_view repository,
                                                       const ForgeIssueQuery& query) {
  if (!query.labels.empty()) {
    RETURN_IF_ERROR(CheckLabels(query.labels, api_.labels));
  }
  RETURN_IF_ERROR(CheckRepository(repository));
  ASSIGN_OR_RETURN(IssueCursor cursor, ParseIssueCursor(query.cursor));

  std::string labels;
  for (const std::string& label : query.labels) absl::StrAppend(&labels, labels.empty() ? "" : ",", UrlEncode(label));
  const std::string_view state = !query.state.has_value()            ? "all"
                                 : *query.state == ForgeState::kOpen ? "open"
                                                                     : "closed";
  std::string path = "/issues?";
  if (!cursor.query.empty()) {
    path += cursor.query;
  } else {
    if (!labels.empty()) absl::StrAppend(&path, "labels=", labels, "&");
    absl::StrAppend(&path, "state=", Abs(state), "&sort=created&direction=asc&", api_.page_query(cursor.page));
  }

  ForgeAnswer answer;
  ASSIGN_OR_RETURN(std::vector<ForgeIssue> issues,
                   Read<std::vector<ForgeIssue>>(Begin(call), RepositoryAddress(repository).Below(path, "/issues"),
                                                 api_.issues, &answer));
  ForgePageInfo info = api_.page_info(answer, issues.size(), cursor.page);
  if (!issues.empty()) info.first = absl::StrCat(issues.front().number);
  ForgeIssuePage page;
  page.next = NextIssueCursor(cursor, info);
  // The page before once more: nothing new.
  if (cursor.first_before.empty() || info.first != cursor.first_before) page.issues = std::move(issues);
  return page;
}

}  // namespace yardmaster
