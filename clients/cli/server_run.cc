#include "clients/cli/server_run.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/cli/dispatch_client.h"
#include "clients/cli/interrupt.h"
#include "clients/cli/job_follower.h"
#include "clients/cli/job_text.h"
#include "clients/cli/test_progress.h"
#include "clients/cli/test_text.h"
#include "services/core/clock.h"
#include "services/core/ids.h"
#include "services/core/readable.h"

namespace yardmaster::cli {
namespace {

constexpr int kSubmitTries = 3;
constexpr std::chrono::milliseconds kSubmitPause{500};

// The same as for a run on this machine.
ExitCode CodeOf(const std::string& verdict, bool allow_flaky) {
  if (verdict == "passed" || (verdict == "flaky" && allow_flaky)) return ExitCode::kDone;
  if (verdict == "failed" || verdict == "timed_out" || verdict == "flaky") return ExitCode::kNegative;
  return ExitCode::kSystem;
}

// Asks the server to cancel the job when a signal comes; a second one ends this process.
class CancelJobOnSignal {
 public:
  CancelJobOnSignal(const ServerConnection& server, std::string job, Session& session, TestProgress& progress)
      : interrupts_(session.env.interrupts) {
    if (interrupts_ == nullptr) return;
    interrupts_->CallInstead([this, &server, job = std::move(job), &progress] {
      if (cancelled_.exchange(true)) ::_exit(static_cast<int>(ExitCode::kInterrupted));
      progress.Note(absl::StrCat("cancelling ", job, " … (once more: leave it to the server)"));
      v1::CancelJobRequest request;
      request.set_job(job);
      const absl::StatusOr<v1::CancelJobResponse> done =
          server.Call(&v1::DispatchService::Stub::CancelJob, request, std::chrono::seconds(10));
      // One that has ended meanwhile is about to be shown.
      if (!done.ok() && !absl::IsFailedPrecondition(done.status())) progress.Note(std::string(done.status().message()));
    });
  }
  ~CancelJobOnSignal() {
    if (interrupts_ != nullptr) interrupts_->CallInstead(nullptr);
  }
  CancelJobOnSignal(const CancelJobOnSignal&) = delete;
  CancelJobOnSignal& operator=(const CancelJobOnSignal&) = delete;
  bool cancelled() const { return cancelled_; }

 private:
  Interrupts* const interrupts_;
  std::atomic<bool> cancelled_{false};
};

// What a change of the job is worth in a line.
std::string ChangeText(const v1::SuiteJob& job) {
  if (job.state() == "queued") return job.attempt() > 0 ? "waits for another run" : "waits for devices";
  if (job.state() == "leased") return absl::StrCat(job.runner(), " has it");
  if (job.state() == "running") {
    return absl::StrCat("runs on ", job.runner(), job.attempt() > 1 ? absl::StrCat(", run ", job.attempt()) : "");
  }
  return "";
}

}  // namespace

absl::StatusOr<v1::DeviceDemand> ParseDevices(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, ':');
  v1::DeviceDemand demand;
  const std::string& kind = words.front();
  const absl::Status wrong = UsageError(
      absl::StrCat("--device ", Quoted(text, 200), ": expected KIND, KIND:NUMBER, KIND:MODEL or KIND:MODEL:NUMBER"),
      {"KIND is cpu, gpu or npu; MODEL is a part of the name, or has * in it: gpu:A100:2, npu:Ascend910B*:8"});
  if ((kind != "cpu" && kind != "gpu" && kind != "npu") || words.size() > 3) return wrong;
  demand.set_kind(kind);
  uint32_t count = 0;
  if (words.size() == 2 && absl::SimpleAtoi(words[1], &count)) {
    if (count == 0) return wrong;
    demand.set_count(count);
    return demand;
  }
  if (words.size() > 1 && !words[1].empty()) {
    // Without a wildcard it is a part of the name: nobody writes "NVIDIA A100-SXM4-80GB".
    const bool is_glob = words[1].find_first_of("*?") != std::string::npos;
    demand.add_models(is_glob ? words[1] : absl::StrCat("*", words[1], "*"));
  }
  if (words.size() == 3) {
    if (!absl::SimpleAtoi(words[2], &count) || count == 0) return wrong;
    demand.set_count(count);
  }
  return demand;
}

absl::StatusOr<v1::SuiteJob> SubmitSpec(const ServerConnection& server, const v1::JobSpec& spec) {
  v1::SubmitJobRequest request;
  *request.mutable_spec() = spec;
  request.set_request_id(NewId("r-"));
  absl::StatusOr<v1::SubmitJobResponse> response;
  for (int i = 0; i < kSubmitTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kSubmitPause);
    response = server.Call(&v1::DispatchService::Stub::SubmitJob, request);
    if (response.ok()) return std::move(*response->mutable_job());
    // The answer may have been lost: the request has a name, and sent again it is the same job.
    if (!absl::IsDeadlineExceeded(response.status()) && !absl::IsUnavailable(response.status())) break;
  }
  return response.status();
}

absl::StatusOr<ExitCode> FollowToResult(const ServerConnection& server, const v1::SuiteJob& job,
                                        const ServerRunOptions& options, Session& session) {
  if (options.detach) {
    if (session.options.json) {
      session.output.Json(JobJson(job));
    } else {
      session.output.out() << job.job() << "\n";
      session.output.Note(absl::StrCat("follow it with: yard test logs -f ", job.job()));
    }
    return job.verdict().empty() ? ExitCode::kDone : CodeOf(job.verdict(), options.allow_flaky);
  }
  const SystemClock clock;
  v1::SuiteJob ended;
  bool cancelled = false;
  {
    TestProgressOptions shown;
    shown.quiet = session.output.quiet();
    shown.terminal = session.env.err_is_terminal;
    shown.color = session.output.err_color();
    shown.columns = session.env.columns;
    shown.follow = options.follow;
    TestProgress progress(*session.env.err, clock, shown);
    progress.Note(absl::StrCat("job ", job.job(), " of ", job.spec().suite()));
    const CancelJobOnSignal signal(server, job.job(), session, progress);
    JobProgress shown_progress(progress);
    LineSplitter lines([&](std::string_view line) {
      if (!options.follow) return;
      worker::LogLine text;
      text.text = std::string(line);
      text.rank = worker::kNoRank;
      progress.Output("", text);
    });
    std::string said;
    FollowCallbacks callbacks;
    callbacks.job = [&](const v1::SuiteJob& now) {
      std::string change = ChangeText(now);
      if (!change.empty() && change != said) progress.Note(change);
      said = std::move(change);
      shown_progress.Show(now);
    };
    callbacks.log = [&](const v1::LogPiece& piece) { lines.Add(piece); };
    callbacks.note = [&](std::string_view text) { progress.Note(text); };
    FollowOptions follow;
    follow.job = job.job();
    absl::StatusOr<v1::SuiteJob> last = FollowJob(server, follow, callbacks);
    if (!last.ok()) {
      return MakeError(last.status().code(), last.status().message(),
                       {absl::StrCat("The job goes on: yard test logs -f ", job.job())});
    }
    lines.Finish();
    ended = *std::move(last);
    cancelled = signal.cancelled();
  }
  ASSIGN_OR_RETURN(const nlohmann::ordered_json result, ResultOf(server, ended));
  absl::Status fetched;
  if (!options.out.empty()) fetched = FetchArtifacts(server, ended, options.out);
  if (session.options.json) {
    session.output.Json(result);
  } else {
    session.output.out() << ResultText(result, options.out, session.output);
  }
  RETURN_IF_ERROR(fetched);
  if (cancelled) return ExitCode::kInterrupted;
  return CodeOf(ended.verdict(), options.allow_flaky);
}

}  // namespace yardmaster::cli
