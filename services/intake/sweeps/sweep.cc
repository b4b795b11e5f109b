#include "services/intake/sweeps/sweep.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/forge/forge_error.h"
#include "clients/forge/labels.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/intake/backoff.h"
#include "services/intake/pipeline/request.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::DeliveryState;

// Between looks at a delivery that is being worked on.
constexpr milliseconds kLook{50};
constexpr milliseconds kLongestLook{2'000};
// Failures in a row to list a page, until the sweep is given up.
constexpr int kMaxListFailures = 10;
// Issues of one queue; what is beyond waits for the next sweep.
constexpr size_t kMaxListed = 200'000;

class Sweep {
 public:
  Sweep(const SweepEnvironment& env, const SweepTarget& target, int64_t limit, const SweepPause& pause,
        const std::function<void(const SweepProgress&)>& report)
      : env_(env), target_(target), limit_(limit), pause_(pause), report_(report), name_(SweepName(target)) {}

  absl::Status Run();

 private:
  absl::Status Begin();
  // The pack that the repository's own file chooses, else the target's.
  absl::StatusOr<std::string> ChoosePack();
  // Numbers of the issues that lack the marker, ascending, whatever the order in which the forge lists them.
  absl::StatusOr<std::set<int64_t>> List();
  // A page of the list, patiently.
  absl::StatusOr<ForgeIssuePage> ListPage(const ForgeIssueQuery& query);
  bool IsMarked(const ForgeIssue& issue) const;
  // Hands one subject over and waits until its work is finished, or postponed.
  absl::Status HandOver(int64_t number);
  void Report() {
    if (report_ != nullptr) report_(progress_);
  }

  const SweepEnvironment& env_;
  const SweepTarget& target_;
  const int64_t limit_;
  const SweepPause& pause_;
  const std::function<void(const SweepProgress&)>& report_;
  const std::string name_;
  Forge* forge_ = nullptr;
  std::shared_ptr<const rules::CompiledPack> pack_;
  int64_t behind_ = 0;  // subjects up to this number were handed over by a sweep that was cut short
  SweepProgress progress_;
};

absl::StatusOr<std::string> Sweep::ChoosePack() {
  const RepositoryConfig* entry = env_.intake.config.FindRepository(target_.forge, target_.repository);
  if (target_.named || entry == nullptr || entry->packs.size() < 2) return target_.pack;
  v1::Subject issues;
  issues.set_forge(target_.forge);
  issues.set_repository(target_.repository);
  issues.set_kind(v1::SUBJECT_KIND_ISSUE);
  std::vector<PackRoute> routes;
  for (const std::string& pack : entry->packs) {
    if (env_.intake.find_pack(pack) != nullptr) routes.push_back({pack, nullptr, Trigger::kNone, false, {}});
  }
  if (routes.empty()) return target_.pack;
  SubjectRun run(env_.intake, issues, /*delivery=*/0, ForgePriority::kSweep);
  Outcome outcome = run.Open();
  if (outcome.done()) outcome = run.Choose(routes, v1::MODE_APPLY, /*named=*/false);
  if (!outcome.done()) return errors::ForgeUnusable(target_.forge, outcome.reason);
  return run.route().pack;
}

absl::Status Sweep::Begin() {
  const auto account = env_.intake.forges.find(target_.forge);
  if (account == env_.intake.forges.end()) return errors::FieldInvalid("forge", "a forge of the configuration");
  forge_ = &account->second->forge();
  ASSIGN_OR_RETURN(const std::string pack, ChoosePack());
  pack_ = env_.intake.find_pack(pack);
  if (pack_ == nullptr) return errors::PackUnknown(pack, {});
  ASSIGN_OR_RETURN(const std::optional<store::Schedule> before, env_.schedules.Get(name_));
  if (before.has_value() && !absl::SimpleAtoi(before->cursor, &behind_)) behind_ = 0;
  return env_.schedules.Start(name_);
}

bool Sweep::IsMarked(const ForgeIssue& issue) const {
  const auto& guardrails = pack_->model().guardrails;
  return guardrails.has_value() &&
         absl::c_any_of(guardrails->markers, [&](const std::string& marker) { return HasLabel(issue.labels, marker); });
}

absl::StatusOr<ForgeIssuePage> Sweep::ListPage(const ForgeIssueQuery& query) {
  for (int failures = 1;; ++failures) {
    absl::StatusOr<ForgeIssuePage> page =
        forge_->ListIssues({.priority = ForgePriority::kSweep}, target_.repository, query);
    if (page.ok()) return page;
    const std::optional<ForgeError> error = ForgeErrorOf(page.status());
    if (!error.has_value() || !error->Transient() || failures == kMaxListFailures) return page.status();
    const auto jitter = static_cast<uint64_t>(env_.intake.clock.Now().time_since_epoch().count());
    if (!pause_(BackoffDelay({}, failures, jitter, error->retry_after))) {
      return absl::CancelledError("the sweep was stopped");
    }
  }
}

absl::StatusOr<std::set<int64_t>> Sweep::List() {
  ForgeIssueQuery query;
  query.state = ForgeState::kOpen;
  if (!pack_->model().entry_label.empty()) query.labels.push_back(pack_->model().entry_label);
  std::set<int64_t> numbers;
  do {
    ASSIGN_OR_RETURN(const ForgeIssuePage page, ListPage(query));
    for (const ForgeIssue& issue : page.issues) {
      if (!issue.pull_request && issue.number > behind_ && !IsMarked(issue)) numbers.insert(issue.number);
    }
    query.cursor = page.next;
  } while (!query.cursor.empty() && numbers.size() < kMaxListed);
  return numbers;
}

absl::Status Sweep::HandOver(int64_t number) {
  SubjectRequest request;
  request.subject = SubjectOf(target_.forge, {target_.repository, number, /*pull_request=*/false});
  request.origin = v1::Event::ORIGIN_SWEEP;
  request.pack = pack_->model().name;
  progress_.subject = request.subject;
  Report();
  store::Inbox& inbox = env_.intake.inbox;
  ASSIGN_OR_RETURN(const store::AddResult added, inbox.AddAndWait(MakeRequest(request, NewId("sweep-"))));
  for (milliseconds look = kLook;; look = std::min(look * 2, kLongestLook)) {
    ASSIGN_OR_RETURN(const store::Delivery delivery, inbox.Get(added.id));
    const bool in_backoff = delivery.state == DeliveryState::kReceived && delivery.attempts > 0;
    if (delivery.state != DeliveryState::kReceived || in_backoff) {
      ++(in_backoff                                  ? progress_.deferred
         : delivery.state == DeliveryState::kDone    ? progress_.done
         : delivery.state == DeliveryState::kIgnored ? progress_.ignored
                                                     : progress_.failed);
      progress_.subject.Clear();
      Report();
      return env_.schedules.SetCursor(name_, absl::StrCat(number));
    }
    // The delivery stays in the inbox: the pipe goes on with it even if nobody waits.
    if (!pause_(look)) return absl::CancelledError("the sweep was stopped");
  }
}

absl::Status Sweep::Run() {
  RETURN_IF_ERROR(Begin());
  ASSIGN_OR_RETURN(const std::set<int64_t> numbers, List());
  for (const int64_t number : numbers) {
    if (limit_ > 0 && progress_.found == limit_) {
      env_.intake.logger.Info("sweep interrupted at its limit", {{"sweep", name_}, {"summary", progress_.Summary()}});
      return absl::OkStatus();
    }
    ++progress_.found;
    RETURN_IF_ERROR(HandOver(number));
  }
  env_.intake.logger.Info("sweep finished", {{"sweep", name_}, {"summary", progress_.Summary()}});
  return env_.schedules.Finish(name_, progress_.Summary());
}

}  // namespace

std::string SweepProgress::Summary() const {
  std::string out = absl::StrCat(found, " found, ", done, " done, ", ignored, " ignored, ", failed, " failed");
  if (deferred > 0) absl::StrAppend(&out, ", ", deferred, " deferred");
  return out;
}

std::string SweepProgress::ChineseSummary() const {
  std::string out =
      absl::StrCat("找到 ", found, " 个，完成 ", done, " 个，跳过 ", ignored, " 个，失败 ", failed, " 个");
  if (deferred > 0) absl::StrAppend(&out, "，推迟 ", deferred, " 个");
  return out;
}

SweepProgress ReadSummary(std::string_view summary) {
  SweepProgress progress;
  for (const absl::string_view part : absl::StrSplit(Abs(summary), ", ")) {
    const std::pair<absl::string_view, absl::string_view> count = absl::StrSplit(part, absl::MaxSplits(' ', 1));
    for (const auto& [word, number] : {std::pair("found", &progress.found), std::pair("done", &progress.done),
                                       std::pair("ignored", &progress.ignored), std::pair("failed", &progress.failed),
                                       std::pair("deferred", &progress.deferred)}) {
      if (count.second == word && !absl::SimpleAtoi(count.first, number)) *number = 0;
    }
  }
  return progress;
}

std::string SweepName(const SweepTarget& target) {
  return absl::StrCat("sweep ", QualifiedName(target.forge, absl::AsciiStrToLower(target.repository)), " ",
                      target.pack);
}

absl::Status RunSweep(const SweepEnvironment& environment, const SweepTarget& target, int64_t limit,
                      const SweepPause& pause, const std::function<void(const SweepProgress&)>& report) {
  return Sweep(environment, target, limit, pause, report).Run();
}

}  // namespace yardmaster
