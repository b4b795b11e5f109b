// The lists of a repository, which have the same addresses on all forges.
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::StatusOr<ForgeRepository> RestAdapter::GetRepository(const ForgeCall& call, std::string_view repository) {
  RETURN_IF_ERROR(CheckRepository(repository));
  return Read<ForgeRepository>(Begin(call), RepositoryAddress(repository), api_.repository);
}

absl::StatusOr<std::vector<ForgeLabel>> RestAdapter::RepositoryLabels(const ForgeCall& call,
                                                                      std::string_view repository) {
  RETURN_IF_ERROR(CheckRepository(repository));
  const Run run = Begin(call);
  std::vector<ForgeLabel> labels;
  std::string first_before;
  absl::StatusOr<bool> complete = ReadForgePages([&](int page) -> absl::StatusOr<ForgePageInfo> {
    ForgeAnswer answer;
    ASSIGN_OR_RETURN(
        std::vector<ForgeLabel> items,
        Read<std::vector<ForgeLabel>>(
            run, RepositoryAddress(repository).Below(absl::StrCat("/labels?", api_.page_query(page)), "/labels"),
            api_.repository_labels, &answer));
    ForgePageInfo info{items.size(), items.empty() ? "" : items.front().name,
                       api_.more_pages(answer, items.size(), page)};
    // The page before once more: nothing new.
    if (!first_before.empty() && info.first == first_before) return info;
    first_before = info.first;
    for (ForgeLabel& label : items) labels.push_back(std::move(label));
    return info;
  });
  if (!complete.ok()) return complete.status();
  if (!*complete) {
    return MakeForgeStatus({ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
                           absl::StrCat(Abs(repository), " has more labels than are read: ", labels.size()));
  }
  return labels;
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
  if (!labels.empty()) absl::StrAppend(&path, "labels=", labels, "&");
  absl::StrAppend(&path, "state=", Abs(state), "&sort=created&direction=asc&", api_.page_query(cursor.page));

  ForgeAnswer answer;
  ASSIGN_OR_RETURN(std::vector<ForgeIssue> issues,
                   Read<std::vector<ForgeIssue>>(Begin(call), RepositoryAddress(repository).Below(path, "/issues"),
                                                 api_.issues, &answer));
  ForgePageInfo info{issues.size(), issues.empty() ? "" : absl::StrCat(issues.front().number),
                     api_.more_pages(answer, issues.size(), cursor.page)};
  ForgeIssuePage page;
  page.next = NextIssueCursor(cursor, info);
  // The page before once more: nothing new.
  if (cursor.first_before.empty() || info.first != cursor.first_before) page.issues = std::move(issues);
  return page;
}

}  // namespace yardmaster
