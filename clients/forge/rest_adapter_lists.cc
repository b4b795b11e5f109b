// The lists of a repository, which have the same addresses on all forges.
#include "clients/forge/limits.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"

namespace yardmaster {

absl::StatusOr<std::vector<ForgeLabel>> RestAdapter::ReadLabels(const ForgeCall& call, std::string_view repository,
                                                                Parser<std::vector<ForgeLabel>> parse,
                                                                PageQueryFn page_query, MorePagesFn more) {
  if (absl::Status status = CheckRepository(repository); !status.ok()) return status;
  const Run run = Begin(call);
  std::vector<ForgeLabel> labels;
  std::string first_before;
  absl::StatusOr<bool> complete = ReadForgePages([&](int page) -> absl::StatusOr<ForgePageInfo> {
    ForgeAnswer answer;
    absl::StatusOr<std::vector<ForgeLabel>> items = Read<std::vector<ForgeLabel>>(
        run, "/repos/{repo}/labels", absl::StrCat(RepositoryTarget(repository), "/labels?", page_query(page)), parse,
        &answer);
    if (!items.ok()) return items.status();
    ForgePageInfo info{items->size(), items->empty() ? "" : items->front().name, more(answer, items->size(), page)};
    // The page before once more: nothing new.
    if (!first_before.empty() && info.first == first_before) return info;
    first_before = info.first;
    for (ForgeLabel& label : *items) labels.push_back(std::move(label));
    return info;
  });
  if (!complete.ok()) return complete.status();
  if (!*complete) {
    return MakeForgeStatus({ForgeReason::kTooLarge, ForgeOutcome::kRefused, 0, std::nullopt},
                           absl::StrCat(Abs(repository), " has more labels than are read: ", labels.size()));
  }
  return labels;
}

absl::StatusOr<ForgeIssuePage> RestAdapter::ReadIssues(const ForgeCall& call, std::string_view repository,
                                                       const ForgeIssueQuery& query,
                                                       Parser<std::vector<ForgeIssue>> parse, PageQueryFn page_query,
                                                       MorePagesFn more) {
  if (absl::Status status = CheckRepository(repository); !status.ok()) return status;
  absl::StatusOr<IssueCursor> cursor = ParseIssueCursor(query.cursor);
  if (!cursor.ok()) return cursor.status();

  std::string labels;
  for (const std::string& label : query.labels) absl::StrAppend(&labels, labels.empty() ? "" : ",", UrlEncode(label));
  const std::string_view state = !query.state.has_value()            ? "all"
                                 : *query.state == ForgeState::kOpen ? "open"
                                                                     : "closed";
  std::string target = absl::StrCat(RepositoryTarget(repository), "/issues?");
  if (!labels.empty()) absl::StrAppend(&target, "labels=", labels, "&");
  absl::StrAppend(&target, "state=", Abs(state), "&sort=created&direction=asc&", page_query(cursor->page));

  ForgeAnswer answer;
  absl::StatusOr<std::vector<ForgeIssue>> issues =
      Read<std::vector<ForgeIssue>>(Begin(call), "/repos/{repo}/issues", target, parse, &answer);
  if (!issues.ok()) return issues.status();
  ForgePageInfo info{issues->size(), issues->empty() ? "" : absl::StrCat(issues->front().number),
                     more(answer, issues->size(), cursor->page)};
  ForgeIssuePage page;
  page.next = NextIssueCursor(*cursor, info);
  // The page before once more: nothing new.
  if (cursor->first_before.empty() || info.first != cursor->first_before) page.issues = *std::move(issues);
  return page;
}

}  // namespace yardmaster
