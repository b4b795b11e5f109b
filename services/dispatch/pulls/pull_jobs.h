// Jobs of pull requests: how the pipe submits and ends them, and how their ends come back into it. What it hands over
// is named by the job, so that every end is told once, whatever dies in between.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_PULL_JOBS_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_PULL_JOBS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/logging.h"
#include "services/core/store/inbox.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/pulls/job_report.h"
#include "services/intake/configured_forge.h"
#include "services/intake/job_dispatcher.h"
#include "services/intake/pipeline/request.h"

namespace yardmaster::dispatch {

// Thread-safe.
class PullJobs final : public JobDispatcher, public ChangeListener {
 public:
  // Everything must outlive this object.
  PullJobs(Dispatch& dispatch, store::Inbox& inbox, const ConfiguredForges& forges, Logger& logger)
      : dispatch_(dispatch), inbox_(inbox), forges_(forges), logger_(logger) {}
  ~PullJobs() override;

  // Looks for jobs that ended while nobody told, and begins to tell. Stop ends it.
  void Start();
  void Stop();

  absl::Status Submit(const v1::SubmitJob& submit) override;
  absl::Status Cancel(const v1::CancelJob& cancel) override;
  bool HasLive(const v1::Subject& subject) override;
  void OnChange() override;

  // What Submit would say, without a job.
  absl::Status Check(const v1::SubmitJob& submit) const { return Make(submit).status(); }
  // Those of a pull request that wait or run, the newest first.
  absl::StatusOr<std::vector<v1::SuiteJob>> Live(const v1::Subject& subject) const;
  // NOT_FOUND if it is no longer known.
  absl::StatusOr<v1::SuiteJob> Find(const std::string& job) const;
  // As ShardsOf of job_shards.h.
  absl::StatusOr<std::vector<v1::JobSpec>> Share(const v1::JobSpec& spec, uint32_t shards,
                                                 const std::string& group) const;
  // As SelectFailed of job_result.h.
  absl::Status NarrowToFailed(const std::string& job, v1::JobSpec& spec) const;

 private:
  absl::StatusOr<Job> Make(const v1::SubmitJob& submit) const;
  void Loop();
  // Those of an earlier daemon: live ones, and ended ones as far back as they may not have been told.
  absl::Status FindOld();
  // Hands over the ends of those that have ended, and how far the others are, to the forge and to chat. False:
  // something is left to be told.
  bool TellAll();
  absl::Status Tell(const Job& job);
  // Where the job has begun or ended since the last word, tells in chat how those of its command stand.
  absl::Status TellInChat(const Job& job);
  absl::Status TellCommandInChat(const v1::JobSpec& own, const v1::Subject& subject);
  absl::Status TellTrunk(const Job& job, SubjectRequest request, const Forge& forge);
  // True if there is nothing to say, or it was said.
  bool TellProgress(const Job& job);
  // What was asked for last of the pull request: that head, and its newest jobs (NewestJobs), with their results.
  struct HeadJobs {
    std::string head;
    std::vector<ReportedJob> jobs;
    std::map<std::string, ReportedJob> on_trunk;  // the newest that tried its failures on the base, by job
  };
  absl::StatusOr<HeadJobs> JobsOf(const v1::Subject& subject) const;
  v1::SuiteJob MessageOf(const Job& job) const;
  ReportedJob Reported(const Job& job) const;
  // nullptr: the configuration names the forge no more, so that there is nobody to tell.
  const Forge* ForgeOf(const std::optional<v1::Subject>& subject) const;

  struct Told {
    int64_t progress = 0;
    std::chrono::steady_clock::time_point at{};
    int64_t chat_steps = 0;
  };

  Dispatch& dispatch_;
  store::Inbox& inbox_;
  const ConfiguredForges& forges_;
  Logger& logger_;
  // By what was asked for in chat: the last form of its message, so that it is not handed over again and again. Of the
  // thread.
  std::map<std::string, int64_t> told_forms_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::set<std::string> watched_;  // jobs whose end was not told
  bool changed_ = false;
  bool stopping_ = false;
  std::thread thread_;
  std::map<std::string, Told> told_;  // of the thread: how far it was told that jobs are
  // Of the thread: when a comment was edited last to say so, by pull request.
  std::map<std::string, std::chrono::steady_clock::time_point> edited_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_PULL_JOBS_H_
