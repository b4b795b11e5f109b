#include "services/packs/backtest_job.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/core/defang.h"
#include "services/core/errors.h"
#include "services/core/problem.h"
#include "services/core/status_macros.h"
#include "services/intake/sweeps/announce.h"
#include "services/packs/answers.h"
#include "services/packs/validate.h"

namespace yardmaster {
namespace {

constexpr int64_t kBacktestIssues = 200;
constexpr int64_t kBacktestPage = 200;
constexpr size_t kMaxChangesTold = 20;
constexpr size_t kRevisionCharacters = 12;

// Numbers of the issues that were decided about last, the newest first.
absl::StatusOr<std::vector<int64_t>> LastIssues(store::Decisions& decisions, const v1::Subject& repository,
                                                size_t most) {
  const store::DecisionFilter filter;
  std::vector<int64_t> numbers;
  std::set<int64_t> known;
  store::PageRequest page{0, kBacktestPage};
  do {
    ASSIGN_OR_RETURN(const store::Page<store::Decision> rows, decisions.List(filter, page));
    for (const store::Decision& one : rows.items) {
      if (!IsOfRepository(one.subject, repository) || one.subject.kind() != v1::SUBJECT_KIND_ISSUE ||
          one.subject.number() == 0)
        continue;
      if (numbers.size() < most && known.insert(one.subject.number()).second) numbers.push_back(one.subject.number());
    }
    page.before = rows.next;
  } while (page.before != 0 && numbers.size() < most);
  return numbers;
}

std::string LabelList(std::string_view sign, const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) absl::StrAppend(&text, " ", std::string(sign), EchoCode(label));
  return text;
}

absl::StatusOr<std::string> BacktestRepository(const JobEnvironment& env, const JobTurn& turn,
                                               const rules::CompiledPack& base, const rules::CompiledPack& candidate,
                                               const v1::Subject& repository) {
  const size_t most = static_cast<size_t>(turn.schedule.issues > 0 ? turn.schedule.issues : kBacktestIssues);
  ASSIGN_OR_RETURN(const std::vector<int64_t> last, LastIssues(env.store.decisions(), repository, most));
  std::vector<int64_t> numbers;
  std::vector<ForgeIssue> issues;
  Forge& forge = env.intake.forges.find(repository.forge())->second->forge();
  for (const int64_t number : last) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    absl::StatusOr<ForgeIssue> issue =
        forge.GetIssue({.priority = ForgePriority::kSweep}, {repository.repository(), number, false});
    if (!issue.ok()) {
      const std::optional<ForgeError> error = ForgeErrorOf(issue.status());
      if (error.has_value() && error->reason == ForgeReason::kNotFound) continue;
      return issue.status();
    }
    numbers.push_back(number);
    issues.push_back(*std::move(issue));
  }
  const auto text_of = [&](size_t i) {
    rules::IssueText text;
    text.title = issues[i].title;
    text.body = issues[i].body;
    text.author = issues[i].author.login;
    return text;
  };
  ASSIGN_OR_RETURN(const BacktestResult result, RunBacktest(base, candidate, issues.size(), text_of, [&turn] {
                     return turn.stopping() ? absl::CancelledError("cut short") : absl::OkStatus();
                   }));
  const std::string& pack = base.model().name;
  RETURN_IF_ERROR(TellOf(env, turn, repository, "", "backtest",
                         BacktestText(pack, base.model().revision, candidate.model().revision, result, numbers))
                      .status());
  return absl::StrCat(result.cases, " issues, ", result.issues.size(), " would come out differently");
}

}  // namespace

SaidText BacktestText(const std::string& pack, const std::string& base, const std::string& candidate,
                      const BacktestResult& result, const std::vector<int64_t>& numbers) {
  const std::string old_revision = base.substr(0, kRevisionCharacters);
  const std::string new_revision = candidate.substr(0, kRevisionCharacters);
  SaidText text{absl::StrCat("**Backtest of ", EchoCode(pack), "**: `", old_revision, "` in service, `", new_revision,
                             "` new, the last ", result.cases, " issues: ", result.issues.size(),
                             " would come out differently\n"),
                absl::StrCat("**", EchoCode(pack), " 回测**：现用 `", old_revision, "`，新版 `", new_revision,
                             "`，最近 ", result.cases, " 个 issue 中 ", result.issues.size(), " 个结果会不同\n")};
  bool first = true;
  for (const LabelChange& label : result.labels) {
    if (label.added == 0 && label.removed == 0) continue;
    if (first) {
      text.Append("\n| label | in service | new | only new | only in service |\n|---|---|---|---|---|\n",
                  "\n| 标签 | 现用 | 新版 | 仅新版 | 仅现用 |\n|---|---|---|---|---|\n");
    }
    first = false;
    const std::string row = absl::StrCat("| ", TableCell(EchoCode(label.label)), " | ", label.base, " | ",
                                         label.candidate, " | ", label.added, " | ", label.removed, " |\n");
    text.Append(row);
  }
  if (!result.issues.empty()) text.Append("\n");
  for (size_t i = 0; i < std::min(result.issues.size(), kMaxChangesTold); ++i) {
    const IssueChange& change = result.issues[i];
    const std::string line =
        absl::StrCat("- ", EchoCode(absl::StrCat("#", change.index < numbers.size() ? numbers[change.index] : 0)), ":",
                     LabelList("+", change.added), LabelList("−", change.removed));
    const bool other = change.base_template != change.candidate_template;
    text.Append(absl::StrCat(line, other ? " another comment" : "", "\n"),
                absl::StrCat(line, other ? " 评论不同" : "", "\n"));
  }
  if (result.issues.size() > kMaxChangesTold) {
    const size_t more = result.issues.size() - kMaxChangesTold;
    text.Append(absl::StrCat("- and ", more, " more\n"), absl::StrCat("- 还有 ", more, " 个\n"));
  }
  return text;
}

absl::StatusOr<std::string> BacktestPack(const JobEnvironment& env, const JobTurn& turn) {
  RETURN_IF_ERROR(CheckSays(turn.schedule));
  const std::string& name = turn.schedule.pack;
  if (name.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the schedule \"", turn.schedule.name, "\" names no \"pack\": give it PACK or PACK@FOLDER"));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CompiledPack> base, FindPack(*env.packs.Current(), name));
  const PacksFolder folder =
      ReadPacksFolder(turn.schedule.pack_folder.empty() ? env.packs.packs_dir() : turn.schedule.pack_folder);
  Problems problems;
  const std::shared_ptr<const rules::CompiledPack> candidate = BuildPack(folder, name, problems);
  if (candidate == nullptr) return errors::PackInvalid(name, ProblemLines(problems));
  const std::string compared = absl::StrCat(base->model().revision, " ", candidate->model().revision);
  if (base->model().revision == candidate->model().revision) return std::string("there is no new revision");
  const std::string kept = absl::StrCat("backtest of ", turn.schedule.name);
  ASSIGN_OR_RETURN(const std::optional<store::Schedule> before, env.store.schedules().Get(kept));
  if (before.has_value() && before->cursor == compared) return std::string("these revisions were compared before");
  ASSIGN_OR_RETURN(
      std::string summary,
      EachRepository(env.intake, turn,
                     [&](const RepositoryConfig& entry, const v1::Subject& repository) -> absl::StatusOr<std::string> {
                       if (std::find(entry.packs.begin(), entry.packs.end(), name) == entry.packs.end()) {
                         return std::string("does not use the pack");
                       }
                       return BacktestRepository(env, turn, *base, *candidate, repository);
                     }));
  RETURN_IF_ERROR(env.store.schedules().SetCursor(kept, compared));
  return summary;
}

}  // namespace yardmaster
