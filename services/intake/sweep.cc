#include "services/intake/sweep.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/status_macros.h"
#include "services/intake/backoff.h"
#include "services/intake/request.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using store::DeliveryState;

// Between looks at a delivery that is being worked on.
constexpr milliseconds kLook{50};
constexpr milliseconds kLongestLook{2'000};
// Failures in a row to list a page, until the sweep is given up.
constexpr int kMaxListFailures = 10;

class Sweep {
 public:
  Sweep(const SweepEnvironment& env, const SweepTarget& target, int64_t limit, const SweepPause& pause,
        const std::function<void(const SweepProgress&)>& report)
      : env_(env), target_(target), limit_(limit), pause_(pause), report_(report), name_(SweepName(target)) {}

  absl::Status Run();

 private:
  absl::Status Begin();
  // A page of the list, patiently.
  absl::StatusOr<ForgeIssuePage> List(const ForgeIssueQuery& query);
  bool IsMarked(const ForgeIssue& issue) const;
  // Hands one subject over and waits until its work is finished.
  absl::Status HandOver(const ForgeIssue& issue);
  void Report() {
    if (report_ != nullptr) report_(progress_);
  }

  const SweepEnvironment& env_;
  const SweepTarget& target_;
  const int64_t limit_;
  const SweepPause& pause_;
  const std::function<void(const SweepProgress&)>& report_;
  const std::string name_;
  ForgeSide* side_ = nullptr;
  std::shared_ptr<const rules::CompiledPack> pack_;
  int64_t behind_ = 0;  // subjects up to this number were handed over by a sweep that was cut short
  SweepProgress progress_;
};

absl::Status Sweep::Begin() {
  const auto side = env_.forges.find(target_.forge);
  if (side == env_.forges.end()) return errors::FieldInvalid("forge", "a forge of the configuration");
  side_ = side->second;
  std::string pack = target_.pack;
  if (!target_.named && env_.choose_pack != nullptr) {
    ASSIGN_OR_RETURN(const std::string chosen, env_.choose_pack(target_));
    if (!chosen.empty()) pack = chosen;
  }
  pack_ = env_.find_pack(pack);
  if (pack_ == nullptr) return errors::PackUnknown(pack, {});
  ASSIGN_OR_RETURN(const std::optional<store::Schedule> before, env_.schedules.Get(name_));
  if (before.has_value() && !before->cursor.empty()) {
    if (!absl::SimpleAtoi(before->cursor, &behind_)) behind_ = 0;
  }
  return env_.schedules.Start(name_);
}

bool Sweep::IsMarked(const ForgeIssue& issue) const {
  const auto& guardrails = pack_->model().guardrails;
  if (!guardrails.has_value()) return false;
  return std::any_of(guardrails->markers.begin(), guardrails->markers.end(), [&](const std::string& marker) {
    return std::find(issue.labels.begin(), issue.labels.end(), marker) != issue.labels.end();
  });
}

absl::StatusOr<ForgeIssuePage> Sweep::List(const ForgeIssueQuery& query) {
  ForgeCall call;
  call.priority = ForgePriority::kSweep;
  for (int failures = 1;; ++failures) {
    absl::StatusOr<ForgeIssuePage> page = side_->forge().ListIssues(call, target_.repository, query);
    if (page.ok()) return page;
    const std::optional<ForgeError> error = ForgeErrorOf(page.status());
    if (!error.has_value() || !error->Transient() || failures == kMaxListFailures) return page.status();
    const milliseconds wait = BackoffDelay(
        {}, failures, static_cast<uint64_t>(env_.clock.Now().time_since_epoch().count()), error->retry_after);
    if (!pause_(wait)) return absl::CancelledError("the sweep was stopped");
  }
}

absl::Status Sweep::HandOver(const ForgeIssue& issue) {
  SubjectRequest request;
  request.subject.set_forge(target_.forge);
  request.subject.set_repository(target_.repository);
  request.subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  request.subject.set_number(issue.number);
  request.origin = v1::Event::ORIGIN_SWEEP;
  request.pack = pack_->model().name;
  progress_.subject = request.subject;
  Report();
  ASSIGN_OR_RETURN(const store::AddResult added, env_.inbox.AddAndWait(MakeRequest(request, NewId("sweep-"))));
  for (milliseconds look = kLook;; look = std::min(look * 2, kLongestLook)) {
    const absl::StatusOr<store::Delivery> delivery = env_.inbox.Get(added.id);
    if (!delivery.ok()) return delivery.status();
    if (delivery->state != DeliveryState::kReceived) {
      switch (delivery->state) {
        case DeliveryState::kDone:
          ++progress_.done;
          break;
        case DeliveryState::kIgnored:
          ++progress_.ignored;
          break;
        default:
          ++progress_.failed;
          break;
      }
      progress_.subject.Clear();
      Report();
      return env_.schedules.SetCursor(name_, std::to_string(issue.number));
    }
    // The delivery stays in the inbox: the pipe goes on with it even if nobody waits.
    if (!pause_(look)) return absl::CancelledError("the sweep was stopped");
  }
}

absl::Status Sweep::Run() {
  RETURN_IF_ERROR(Begin());
  ForgeIssueQuery query;
  query.state = ForgeState::kOpen;
  if (!pack_->model().entry_label.empty()) query.labels.push_back(pack_->model().entry_label);
  int64_t handed_over = 0;
  // All pages first would be simpler, but a queue may be long and people close issues meanwhile.
  do {
    ASSIGN_OR_RETURN(const ForgeIssuePage page, List(query));
    for (const ForgeIssue& issue : page.issues) {
      if (issue.pull_request || issue.number <= behind_ || IsMarked(issue)) continue;
      if (limit_ > 0 && handed_over == limit_) {
        env_.logger.Info("sweep interrupted at its limit", {{"sweep", name_}, {"summary", progress_.Summary()}});
        return absl::OkStatus();
      }
      ++progress_.found;
      ++handed_over;
      RETURN_IF_ERROR(HandOver(issue));
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  env_.logger.Info("sweep finished", {{"sweep", name_}, {"summary", progress_.Summary()}});
  return env_.schedules.Finish(name_, progress_.Summary());
}

}  // namespace

std::string SweepProgress::Summary() const {
  return absl::StrCat(found, " found, ", done, " done, ", ignored, " ignored, ", failed, " failed");
}

std::string SweepName(const SweepTarget& target) {
  return absl::StrCat("sweep ", target.forge, ":", absl::AsciiStrToLower(target.repository), " ", target.pack);
}

absl::Status RunSweep(const SweepEnvironment& environment, const SweepTarget& target, int64_t limit,
                      const SweepPause& pause, const std::function<void(const SweepProgress&)>& report) {
  return Sweep(environment, target, limit, pause, report).Run();
}

}  // namespace yardmaster
