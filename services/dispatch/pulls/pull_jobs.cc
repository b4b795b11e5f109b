#include "services/dispatch/pulls/pull_jobs.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/defang.h"
#include "services/core/errors.h"
#include "services/core/repository_name.h"
#include "services/core/short_commit.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/job_result.h"
#include "services/dispatch/job_shards.h"
#include "services/dispatch/make_job.h"
#include "services/dispatch/pulls/job_report.h"
#include "services/intake/chat_bridge.h"

namespace yardmaster::dispatch {
namespace {

// Deliveries are known longer than that: what was told is not told again.
constexpr std::chrono::hours kOldestUntold{7 * 24};
constexpr int64_t kOldJobs = 500;
// From submission to end.
constexpr std::chrono::hours kLongestJob{30 * 24};
// After the store took nothing in.
constexpr std::chrono::seconds kRetry{5};
// Between two words about how far a job is, and at most so many of one run.
constexpr std::chrono::seconds kBetweenWords{15};
constexpr int64_t kWordsOfARun = 1'000;
// Between two edits of a comment that says how far jobs are: forges count them, and may tell those who watch.
constexpr std::chrono::seconds kBetweenEdits{30};
// The comment, or the section of one, that tells of all jobs.
constexpr std::string_view kTestsName = "tests";

std::string RepositoryOf(const v1::Subject& subject) { return QualifiedName(subject.forge(), subject.repository()); }

// Two of a job are told in chat: it begins, and it ends.
int64_t ChatStepsOf(const Job& job) {
  const bool ended = job.state == JobState::kEnded;
  return (job.attempt > 0 || ended ? 1 : 0) + (ended ? 1 : 0);
}

bool ShowsChecks(const Forge& forge) { return forge.has_check_runs() || forge.has_commit_statuses(); }

// What is said of all jobs of a head: a section beside checks, else a comment of its own.
void SayOfHead(const Forge& forge, std::string text, v1::Announcement& said) {
  if (ShowsChecks(forge)) {
    said.set_section(std::string(kTestsName));
    said.set_section_text(std::move(text));
  } else {
    said.set_comment_name(std::string(kTestsName));
    said.set_comment(std::move(text));
  }
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
  std::string failed_before;
  if (const std::string& again = submit.spec().rerun_of(); !again.empty()) {
    const absl::StatusOr<Job> before = dispatch_.dispatcher().FindJob(again);
    if (before.ok()) failed_before = FailureBefore(*before);
  }
  // The tree was fetched by the daemon itself: it knows the commit.
  return MakeJob(dispatch_, submit.spec(),
                 {submit.job(), submit.by(), RepositoryOf(*subject), submit.spec().ref(), std::move(failed_before)});
}

absl::Status PullJobs::Submit(const v1::SubmitJob& submit) {
  ASSIGN_OR_RETURN(Job job, Make(submit));
  {
    // Before it can end.
    const std::lock_guard<std::mutex> lock(mutex_);
    watched_.insert(submit.job());
  }
  absl::Status taken = dispatch_.dispatcher().Submit(std::move(job)).status();
  // One that was not taken is not known; one that may have been is.
  if (!taken.ok() && absl::IsNotFound(dispatch_.dispatcher().FindJob(submit.job()).status())) {
    const std::lock_guard<std::mutex> lock(mutex_);
    watched_.erase(submit.job());
  }
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
    if (SpecOf(job).subject() == name) jobs.push_back(MessageOf(job));
  }
  return jobs;
}

v1::SuiteJob PullJobs::MessageOf(const Job& job) const {
  return JobMessage(job, dispatch_.clock().Now(), dispatch_.dispatcher().ProgressOf(job.id));
}

ReportedJob PullJobs::Reported(const Job& job) const { return {MessageOf(job), ResultTextOf(dispatch_.files(), job)}; }

absl::StatusOr<v1::SuiteJob> PullJobs::Find(const std::string& job) const {
  ASSIGN_OR_RETURN(const Job known, dispatch_.dispatcher().FindJob(job));
  return MessageOf(known);
}

absl::StatusOr<std::vector<v1::JobSpec>> PullJobs::Share(const v1::JobSpec& spec, uint32_t shards,
                                                         const std::string& group) const {
  return ShardsOf(dispatch_, spec, shards, group);
}

absl::Status PullJobs::NarrowToFailed(const std::string& job, v1::JobSpec& spec) const {
  ASSIGN_OR_RETURN(const Job known, dispatch_.dispatcher().FindJob(job));
  return SelectFailed(dispatch_.files(), known, spec);
}

absl::StatusOr<PullJobs::HeadJobs> PullJobs::JobsOf(const v1::Subject& subject) const {
  ASSIGN_OR_RETURN(const store::Page<Job> page,
                   dispatch_.dispatcher().ListJobs({RepositoryOf(subject), /*live_only=*/false}, {.limit = kOldJobs}));
  const std::string name = PullName(subject);
  HeadJobs found;
  NewestJobs newest;
  std::map<std::string, const Job*> tried;
  for (const Job& job : page.items) {
    const v1::JobSpec spec = SpecOf(job);
    if (spec.subject() != name) continue;
    if (!spec.trunk_of().empty()) {
      // They are younger than what they try.
      if (job.state == JobState::kEnded) tried.emplace(spec.trunk_of(), &job);
      continue;
    }
    if (found.head.empty()) found.head = spec.ref();
    if (spec.ref() != found.head || !newest.Takes(spec)) continue;
    found.jobs.push_back(Reported(job));
    const auto trunk = tried.find(job.id);
    if (trunk != tried.end()) found.on_trunk.emplace(job.id, Reported(*trunk->second));
  }
  return found;
}

const Forge* PullJobs::ForgeOf(const std::optional<v1::Subject>& subject) const {
  const auto forge = subject.has_value() ? forges_.find(subject->forge()) : forges_.end();
  return forge == forges_.end() ? nullptr : &forge->second->forge();
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
  for (store::PageRequest request{0, kOldJobs};;) {
    ASSIGN_OR_RETURN(const store::Page<Job> page, dispatch_.dispatcher().ListJobs({}, request));
    for (const Job& job : page.items) {
      const bool is_old = job.state == JobState::kEnded && job.ended_at < oldest;
      if (!is_old && !SpecOf(job).subject().empty()) found.insert(job.id);
    }
    // What was submitted before that has ended, or is found among the live ones below.
    if (page.next == 0 || page.items.back().queued_at < oldest - kLongestJob) break;
    request.before = page.next;
  }
  for (store::PageRequest request{0, kOldJobs};;) {
    ASSIGN_OR_RETURN(const store::Page<Job> page, dispatch_.dispatcher().ListJobs({"", /*live_only=*/true}, request));
    for (const Job& job : page.items) {
      if (!SpecOf(job).subject().empty()) found.insert(job.id);
    }
    if (page.next == 0) break;
    request.before = page.next;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  watched_.merge(found);
  changed_ = true;
  return absl::OkStatus();
}

void PullJobs::Loop() {
  bool found = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (!found) {
      lock.unlock();
      const absl::Status old = FindOld();
      if (!old.ok()) {
        logger_.Error("jobs of pull requests can't be read yet", {{"error", std::string(old.message())}});
      }
      lock.lock();
      found = old.ok();
    } else if (!changed_) {
      wake_.wait(lock);
      continue;
    }
    changed_ = false;
    lock.unlock();
    const bool all_told = TellAll();
    lock.lock();
    // What was not taken in or not read, and what waits for its time.
    if (all_told && found) continue;
    changed_ = true;
    if (!stopping_) wake_.wait_for(lock, kRetry, [this] { return stopping_; });
  }
}

bool PullJobs::TellAll() {
  std::set<std::string> watched;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    watched = watched_;
  }
  bool all_told = true;
  for (const std::string& id : watched) {
    const absl::StatusOr<Job> job = dispatch_.dispatcher().FindJob(id);
    // One that is about to be taken.
    if (!job.ok()) continue;
    const absl::Status in_chat = TellInChat(*job);
    if (!in_chat.ok()) {
      logger_.Warning("chat is not told of a job", {{"job", id}, {"error", std::string(in_chat.message())}});
      all_told = false;
    }
    if (job->state != JobState::kEnded) {
      all_told = TellProgress(*job) && all_told;
      continue;
    }
    if (const absl::Status told = Tell(*job); !told.ok()) {
      logger_.Warning("the end of a job can't be told yet", {{"job", id}, {"error", std::string(told.message())}});
      all_told = false;
      continue;
    }
    if (!in_chat.ok()) continue;
    told_.erase(id);
    std::erase_if(edited_,
                  [now = dispatch_.clock().Monotonic()](const auto& one) { return now - one.second >= kBetweenEdits; });
    const std::lock_guard<std::mutex> lock(mutex_);
    watched_.erase(id);
  }
  return all_told;
}

bool PullJobs::TellProgress(const Job& job) {
  const v1::SuiteJob message = MessageOf(job);
  if (!message.has_progress() || !message.spec().trunk_of().empty()) return true;
  const std::optional<v1::Subject> subject = PullNamed(message.spec().subject());
  const Forge* const forge = ForgeOf(subject);
  if (forge == nullptr) return true;
  // Only layers that begin or end are worth a write to the forge.
  int64_t progress = int64_t{message.attempt()} * kWordsOfARun + message.progress().layers_size();
  for (const v1::LayerProgress& layer : message.progress().layers()) progress += layer.verdict().empty() ? 0 : 1;
  Told& told = told_[job.id];
  if (progress <= told.progress) return true;
  const auto now = dispatch_.clock().Monotonic();
  if (told.progress > 0 && now - told.at < kBetweenWords) return false;
  SubjectRequest request;
  request.subject = *subject;
  v1::Announcement& announced = request.announcement.emplace();
  if (ShowsChecks(*forge)) {
    *announced.add_checks() = ProgressCheck(message, progress);
  } else {
    // One comment tells of all jobs, and is edited no more often for several.
    const auto edited = edited_.find(message.spec().subject());
    if (edited != edited_.end() && now - edited->second < kBetweenEdits) return false;
    const absl::StatusOr<HeadJobs> asked = JobsOf(*subject);
    if (!asked.ok()) return false;
    SayOfHead(*forge, JobsText(asked->head, asked->jobs, asked->on_trunk), announced);
  }
  const absl::Status said =
      inbox_.AddAndWait(MakeRequest(request, absl::StrCat("testing-", job.id, "-", progress))).status();
  // The next word says more.
  if (!said.ok()) return false;
  told.progress = progress;
  told.at = now;
  if (!ShowsChecks(*forge)) edited_[message.spec().subject()] = now;
  return true;
}

absl::Status PullJobs::TellTrunk(const Job& job, SubjectRequest request, const Forge& forge) {
  const ReportedJob on_trunk = Reported(job);
  const absl::StatusOr<Job> known = dispatch_.dispatcher().FindJob(on_trunk.job.spec().trunk_of());
  // It is no longer kept: there is nothing to compare with.
  if (absl::IsNotFound(known.status())) return absl::OkStatus();
  RETURN_IF_ERROR(known.status());
  const ReportedJob failed = Reported(*known);
  v1::Announcement& said = request.announcement.emplace();
  said.set_comment_name(absl::StrCat("trunk-", job.id));
  said.set_comment(TrunkComment(on_trunk, failed));
  RETURN_IF_ERROR(inbox_.AddAndWait(MakeRequest(request, absl::StrCat("tested-", job.id))).status());
  // What it says of the head stands where that is told, too.
  ASSIGN_OR_RETURN(const HeadJobs asked, JobsOf(request.subject));
  if (!asked.on_trunk.contains(failed.job.job())) return absl::OkStatus();
  v1::Announcement& of_head = request.announcement.emplace();
  if (ShowsChecks(forge) && ViewOfTrunk(failed, on_trunk).is_class) {
    *of_head.add_checks() = EndedCheck(failed, &on_trunk);
  }
  SayOfHead(forge, JobsText(asked.head, asked.jobs, asked.on_trunk), of_head);
  return inbox_.AddAndWait(MakeRequest(request, absl::StrCat("tested-on-trunk-", job.id))).status();
}

absl::Status PullJobs::Tell(const Job& job) {
  const v1::SuiteJob message = MessageOf(job);
  const std::optional<v1::Subject> subject = PullNamed(message.spec().subject());
  const Forge* const forge = ForgeOf(subject);
  if (forge == nullptr) return absl::OkStatus();
  SubjectRequest request;
  request.subject = *subject;
  if (!message.spec().trunk_of().empty()) return TellTrunk(job, std::move(request), *forge);
  v1::Announcement& said = request.announcement.emplace();
  ASSIGN_OR_RETURN(const HeadJobs asked, JobsOf(*subject));
  if (ShowsChecks(*forge)) *said.add_checks() = EndedCheck(Reported(job));
  SayOfHead(*forge, JobsText(asked.head, asked.jobs, asked.on_trunk), said);
  return inbox_.AddAndWait(MakeRequest(request, absl::StrCat("tested-", job.id))).status();
}

absl::Status PullJobs::TellInChat(const Job& job) {
  const v1::JobSpec own = SpecOf(job);
  const std::optional<v1::Subject> subject = PullNamed(own.subject());
  if (!own.has_told() || !subject.has_value()) return absl::OkStatus();
  // A step of another job is told when that one is looked at.
  int64_t& told_steps = told_[job.id].chat_steps;
  const int64_t steps = ChatStepsOf(job);
  if (steps == told_steps) return absl::OkStatus();
  RETURN_IF_ERROR(TellCommandInChat(own, *subject));
  told_steps = steps;
  return absl::OkStatus();
}

absl::Status PullJobs::TellCommandInChat(const v1::JobSpec& own, const v1::Subject& subject) {
  const v1::ChatFollow& told = own.told();
  ASSIGN_OR_RETURN(const store::Page<Job> page,
                   dispatch_.dispatcher().ListJobs({RepositoryOf(subject), /*live_only=*/false}, {.limit = kOldJobs}));
  std::vector<const Job*> asked;
  int64_t steps = 0;
  // The oldest first, as the answer names them.
  for (auto one = page.items.rbegin(); one != page.items.rend(); ++one) {
    const v1::JobSpec spec = SpecOf(*one);
    if (spec.told().cause() != told.cause() || spec.subject() != own.subject()) continue;
    asked.push_back(&*one);
    steps += ChatStepsOf(*one);
  }
  if (steps == 0) return absl::OkStatus();
  // A message has so many forms at most: of many jobs not each step is told.
  constexpr int64_t kForms = kMostChatForms - kAnswerForm;
  const int64_t all_steps = 2 * static_cast<int64_t>(asked.size());
  const int64_t form = std::max<int64_t>(1, all_steps <= kForms ? steps : steps * kForms / all_steps);
  const bool over = steps == all_steps;
  const std::string cause = absl::StrCat(told.platform(), " ", told.channel(), " ", told.cause());
  if (told_forms_[cause] == form) return absl::OkStatus();
  std::string text = absl::StrCat(told.chinese() ? "测试提交 " : "Tests of ", EchoCode(ShortCommit(own.ref())),
                                  told.chinese() ? "：" : ":");
  for (const Job* const one : asked) {
    absl::StrAppend(&text, "\n* ", JobLine(MessageOf(*one), ResultTextOf(dispatch_.files(), *one), told.chinese()));
  }
  SubjectRequest request;
  request.subject = subject;
  v1::ChatMessage message = FollowMessage(told, kAnswerForm + form, std::move(text));
  message.set_changes(!over);
  *request.announcement.emplace().add_messages() = std::move(message);
  const std::string id = ShortDigestOf({cause, absl::StrCat(form)});
  RETURN_IF_ERROR(inbox_.AddAndWait(MakeRequest(request, absl::StrCat("goes-on-", id))).status());
  told_forms_[cause] = form;
  if (over) told_forms_.erase(cause);
  return absl::OkStatus();
}

}  // namespace yardmaster::dispatch
