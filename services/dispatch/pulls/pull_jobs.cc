#include "services/dispatch/pulls/pull_jobs.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/make_job.h"
#include "services/dispatch/pulls/job_report.h"
#include "services/intake/pipeline/request.h"

namespace yardmaster::dispatch {
namespace {

constexpr size_t kMaxResultBytes = size_t{4} * 1024 * 1024;
// Deliveries are known longer than that: what was told is not told again.
constexpr std::chrono::hours kOldestUntold{7 * 24};
constexpr int64_t kOldJobs = 500;
// After the store took nothing in.
constexpr std::chrono::seconds kRetry{5};

std::string RepositoryOf(const v1::Subject& subject) {
  return absl::StrCat(subject.forge(), ":", subject.repository());
}

}  // namespace

PullJobs::~PullJobs() { Stop(); }

void PullJobs::Start() {
  dispatch_.dispatcher().SetListener(*this, Topic::AllJobs());
  thread_ = std::thread([this] { Loop(); });
}

void PullJobs::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  wake_.notify_all();
  if (!thread_.joinable()) return;
  dispatch_.dispatcher().RemoveListener(*this);
  thread_.join();
}

absl::StatusOr<Job> PullJobs::Make(const v1::SubmitJob& submit) const {
  const std::optional<v1::Subject> subject = PullNamed(submit.spec().subject());
  if (!subject.has_value()) return errors::FieldInvalid("spec.subject", "a pull request");
  return MakeJob(dispatch_, submit.spec(), submit.job(), submit.by(), RepositoryOf(*subject));
}

absl::Status PullJobs::Submit(const v1::SubmitJob& submit) {
  ASSIGN_OR_RETURN(Job job, Make(submit));
  {
    // Before it can end.
    const std::lock_guard<std::mutex> lock(mutex_);
    watched_.insert(submit.job());
  }
  absl::Status taken = dispatch_.dispatcher().Submit(std::move(job)).status();
  OnChange();
  return taken;
}

absl::Status PullJobs::Cancel(const v1::CancelJob& cancel) {
  ASSIGN_OR_RETURN(const Job job, dispatch_.dispatcher().FindJob(cancel.job()));
  if (job.state == JobState::kEnded) return absl::OkStatus();
  const absl::Status cancelled = dispatch_.dispatcher().Cancel(cancel.job(), cancel.why()).status();
  // It ended meanwhile.
  return absl::IsFailedPrecondition(cancelled) ? absl::OkStatus() : cancelled;
}

bool PullJobs::HasLive(const v1::Subject& subject) {
  const auto live = Live(subject);
  // Rather ask once too often.
  return !live.ok() || !live->empty();
}

absl::StatusOr<std::vector<v1::SuiteJob>> PullJobs::Live(const v1::Subject& subject) const {
  std::vector<v1::SuiteJob> jobs;
  ASSIGN_OR_RETURN(const store::Page<Job> page,
                   dispatch_.dispatcher().ListJobs({RepositoryOf(subject), /*live_only=*/true}, {.limit = kOldJobs}));
  const std::string name = PullName(subject);
  for (const Job& job : page.items) {
    if (SpecOf(job).subject() == name) jobs.push_back(JobMessage(job, dispatch_.clock().Now()));
  }
  return jobs;
}

void PullJobs::OnChange() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (watched_.empty()) return;
    changed_ = true;
  }
  wake_.notify_all();
}

absl::Status PullJobs::FindOld() {
  const auto oldest = dispatch_.clock().Now() - kOldestUntold;
  std::set<std::string> found;
  const auto note = [&](const std::vector<Job>& jobs) {
    for (const Job& job : jobs) {
      const bool is_old = job.state == JobState::kEnded && job.ended_at < oldest;
      if (!is_old && !SpecOf(job).subject().empty()) found.insert(job.id);
    }
  };
  ASSIGN_OR_RETURN(store::Page<Job> page, dispatch_.dispatcher().ListJobs({}, {.limit = kOldJobs}));
  note(page.items);
  for (int64_t before = 0;; before = page.next) {
    ASSIGN_OR_RETURN(page, dispatch_.dispatcher().ListJobs({"", /*live_only=*/true}, {before, kOldJobs}));
    note(page.items);
    if (page.next == 0) break;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  watched_.merge(found);
  changed_ = true;
  return absl::OkStatus();
}

void PullJobs::Loop() {
  if (const absl::Status found = FindOld(); !found.ok()) {
    logger_.Error("jobs of pull requests can't be read", {{"error", std::string(found.message())}});
  }
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (!changed_) {
      wake_.wait(lock);
      continue;
    }
    changed_ = false;
    lock.unlock();
    TellEnded();
    lock.lock();
    // What was not taken in.
    if (changed_ && !stopping_) wake_.wait_for(lock, kRetry, [this] { return stopping_; });
  }
}

void PullJobs::TellEnded() {
  std::set<std::string> watched;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    watched = watched_;
  }
  for (const std::string& id : watched) {
    const absl::StatusOr<Job> job = dispatch_.dispatcher().FindJob(id);
    // One that is about to be taken.
    if (!job.ok() || job->state != JobState::kEnded) continue;
    const absl::Status told = Tell(*job);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (told.ok()) {
      watched_.erase(id);
    } else {
      logger_.Warning("the end of a job can't be told yet", {{"job", id}, {"error", std::string(told.message())}});
      changed_ = true;
    }
  }
}

std::string PullJobs::ResultOf(const v1::SuiteJob& job) const {
  for (const v1::Artifact& artifact : job.artifacts()) {
    if (artifact.path() != "result.json" || artifact.size() > kMaxResultBytes) continue;
    std::string text;
    while (text.size() < artifact.size()) {
      uint64_t size = 0;
      const absl::StatusOr<std::string> part = dispatch_.files().Read(artifact.digest(), text.size(), size);
      if (!part.ok() || part->empty()) return {};
      text += *part;
    }
    return text;
  }
  return {};
}

absl::Status PullJobs::Tell(const Job& job) {
  const v1::SuiteJob message = JobMessage(job, dispatch_.clock().Now());
  const std::optional<v1::Subject> subject = PullNamed(message.spec().subject());
  const auto forge = subject.has_value() ? forges_.find(subject->forge()) : forges_.end();
  // The configuration names it no more: there is nobody to tell.
  if (forge == forges_.end()) return absl::OkStatus();
  const std::string result = ResultOf(message);
  SubjectRequest request;
  request.subject = *subject;
  v1::Announcement& said = request.announcement.emplace();
  const Forge& there = forge->second->forge();
  if (there.has_check_runs() || there.has_commit_statuses()) {
    *said.add_checks() = EndedCheck(message, result);
  } else {
    said.set_comment_name(absl::StrCat("test-", job.id));
    said.set_comment(EndedComment(message, result));
  }
  return inbox_.AddAndWait(MakeRequest(request, absl::StrCat("tested-", job.id))).status();
}

}  // namespace yardmaster::dispatch
