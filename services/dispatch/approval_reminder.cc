#include "services/dispatch/approval_reminder.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/repository_name.h"
#include "services/core/short_commit.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"
#include "services/intake/event.h"
#include "services/intake/sweeps/announce.h"
#include "services/intake/written_actions.h"

namespace yardmaster::dispatch {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

constexpr int64_t kReminderDays = 3;
constexpr ForgeCall kReminderCall{.priority = ForgePriority::kSweep};

std::string WaitText(int64_t days) { return absl::StrCat(days, days == 1 ? " day" : " days"); }

// Since when a pull request waits; nullopt: it does not.
absl::StatusOr<std::optional<TimePoint>> WaitsSince(const JobEnvironment& env, const v1::Subject& subject,
                                                    const ForgePull& pull, TimePoint before) {
  const std::optional<TimePoint> opened = ForgeTime(pull.created_at);
  if (!opened.has_value() || *opened > before) return std::optional<TimePoint>();
  Forge& forge = env.intake.forges.find(subject.forge())->second->forge();
  const ForgeSubject there{subject.repository(), subject.number(), true};
  // Who may write needs nobody's leave.
  ASSIGN_OR_RETURN(const ForgeAccess access,
                   forge.GetPermission(kReminderCall, subject.repository(), pull.author.login));
  if (access.permission >= ForgePermission::kWrite) return std::optional<TimePoint>();
  ASSIGN_OR_RETURN(const std::vector<v1::Action> written,
                   WrittenActions(env.intake.ledger, subject, kApproveTestsKind));
  if (IsApproved(written, pull.head_sha)) return std::optional<TimePoint>();
  ASSIGN_OR_RETURN(const std::vector<ForgeCommit> commits, forge.ListPullCommits(kReminderCall, there));
  std::optional<TimePoint> committed;
  for (const ForgeCommit& commit : commits) {
    if (commit.sha == pull.head_sha) committed = ForgeTime(commit.committed_at);
  }
  ASSIGN_OR_RETURN(
      const store::SeenHead seen,
      env.intake.subjects.SeeHead(subject, pull.head_sha, env.intake.clock.Now(), store::HeadSource::kAnswer));
  const TimePoint since = HeadSince(*opened, committed, seen);
  return since > before ? std::optional<TimePoint>() : std::optional<TimePoint>(since);
}

absl::StatusOr<std::string> RemindIn(const JobEnvironment& env, const JobTurn& turn, const v1::Subject& repository) {
  ForgePulls* const pulls = env.intake.forges.find(repository.forge())->second->pulls();
  if (pulls == nullptr) return absl::UnavailableError("its pull requests can't be listed");
  const int64_t days = turn.schedule.days > 0 ? turn.schedule.days : kReminderDays;
  const TimePoint now = env.intake.clock.Now();
  ASSIGN_OR_RETURN(const std::vector<ForgePull> open, pulls->ListOpenPulls(kReminderCall, repository.repository()));
  const bool together = CheckSays(turn.schedule).ok();
  SaidText list;
  size_t waiting = 0;
  for (const ForgePull& pull : open) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    if (pull.draft || !ComesFromFork(pull, repository.repository())) continue;
    v1::Subject subject = repository;
    subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    subject.set_number(pull.number);
    ASSIGN_OR_RETURN(const std::optional<TimePoint> since,
                     WaitsSince(env, subject, pull, now - std::chrono::hours(24 * days)));
    if (!since.has_value()) continue;
    ++waiting;
    const int64_t waited = std::chrono::duration_cast<std::chrono::hours>(now - *since).count() / 24;
    const std::string which = EchoCode(absl::StrCat("#", pull.number));
    list.Append(absl::StrCat("- ", which, ", ", WaitText(waited), "\n"),
                absl::StrCat("- ", which, "，", waited, " 天\n"));
    if (together) continue;
    const std::string id = absl::StrCat("approval-", ShortDigestOf({SubjectKey(subject), pull.head_sha}));
    const std::string head = EchoCode(ShortCommit(pull.head_sha));
    RETURN_IF_ERROR(
        Announce(env.intake, subject, id, {}, {id, turn.schedule.language},
                 {absl::StrCat("This pull request comes from a fork, and its commit ", head, " has waited ",
                               WaitText(waited), " for somebody who may write to let it be tested: `/ok-to-test`."),
                  absl::StrCat("此 PR 来自 fork，其提交 ", head, " 已等待 ", waited,
                               " 天，需有写权限的人用 `/ok-to-test` 允许测试。")}));
  }
  if (together && waiting > 0) {
    const std::string name = EchoCode(QualifiedName(repository.forge(), repository.repository()));
    RETURN_IF_ERROR(
        TellOf(env, turn, repository, "", "approvals",
               {absl::StrCat("**Pull requests from forks of ", name, " that wait for `/ok-to-test`**\n\n", list.en),
                absl::StrCat("**", name, " 中等待 `/ok-to-test` 的 fork PR**\n\n", list.zh)})
            .status());
  }
  return absl::StrCat(open.size(), " open, ", waiting, " waiting");
}

}  // namespace

std::optional<TimePoint> ForgeTime(std::string_view text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, Abs(text), &time, &error)) return std::nullopt;
  return absl::ToChronoTime(time);
}

bool ComesFromFork(const ForgePull& pull, std::string_view repository) {
  return !pull.head_repository.empty() && !absl::EqualsIgnoreCase(pull.head_repository, Abs(repository));
}

TimePoint HeadSince(TimePoint opened, std::optional<TimePoint> committed, const store::SeenHead& seen) {
  const TimePoint earliest = std::max(opened, seen.not_before.value_or(opened));
  return std::clamp(committed.value_or(earliest), earliest, std::max(earliest, seen.not_after));
}

bool IsApproved(const std::vector<v1::Action>& written, std::string_view head) {
  return std::any_of(written.begin(), written.end(),
                     [&](const v1::Action& action) { return action.approve_tests().head() == head; });
}

absl::StatusOr<std::string> RemindOfApprovals(const JobEnvironment& env, const JobTurn& turn) {
  if (env.intake.config.dispatch.fork_policy != ForkPolicy::kApprove) {
    return std::string("no pull request waits for leave: dispatch.fork_policy is not \"approve\"");
  }
  return EachRepository(env.intake, turn, [&](const RepositoryConfig&, const v1::Subject& repository) {
    return RemindIn(env, turn, repository);
  });
}

}  // namespace yardmaster::dispatch
