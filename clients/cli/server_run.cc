#include "clients/cli/server_run.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
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
#include "clients/cli/terminal.h"
#include "clients/cli/test_progress.h"
#include "clients/cli/test_text.h"
#include "services/core/clock.h"
#include "services/core/ids.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

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

// The worst of those that have ended; empty: none has.
std::string WorstVerdict(const std::vector<v1::SuiteJob>& jobs) {
  std::string worst;
  worker::Verdict order = worker::Verdict::kPassed;
  for (const v1::SuiteJob& job : jobs) {
    if (job.verdict().empty()) continue;
    const worker::Verdict verdict = worker::VerdictNamed(job.verdict()).value_or(worker::Verdict::kError);
    if (worst.empty() || verdict > order) worst = job.verdict();
    order = std::max(order, verdict);
  }
  return worst;
}

// What is shown of a job as it goes on. Several share the terminal: one thread at a time says something.
struct ShownJob {
  std::string job;
  std::unique_ptr<TestProgress> progress;
};

// Asks the server to cancel the jobs when a signal comes; a second one ends this process.
class CancelJobsOnSignal {
 public:
  CancelJobsOnSignal(const ServerConnection& server, const std::vector<ShownJob>& jobs, std::mutex& turn,
                     Session& session)
      : interrupts_(session.env.interrupts) {
    if (interrupts_ == nullptr) return;
    interrupts_->CallInstead([this, &server, &jobs, &turn] {
      if (cancelled_.exchange(true)) ::_exit(static_cast<int>(ExitCode::kInterrupted));
      for (const ShownJob& shown : jobs) {
        const auto say = [&](std::string_view text) {
          const std::lock_guard<std::mutex> lock(turn);
          shown.progress->Note(text);
        };
        say(absl::StrCat("cancelling ", shown.job, " … (once more: leave it to the server)"));
        v1::CancelJobRequest request;
        request.set_job(shown.job);
        const absl::StatusOr<v1::CancelJobResponse> done =
            server.Call(&v1::DispatchService::Stub::CancelJob, request, std::chrono::seconds(10));
        // One that has ended meanwhile is about to be shown.
        if (!done.ok() && !absl::IsFailedPrecondition(done.status())) say(std::string(done.status().message()));
      }
    });
  }
  ~CancelJobsOnSignal() {
    if (interrupts_ != nullptr) interrupts_->CallInstead(nullptr);
  }
  CancelJobsOnSignal(const CancelJobsOnSignal&) = delete;
  CancelJobsOnSignal& operator=(const CancelJobsOnSignal&) = delete;
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

// Follows a job to its end.
absl::StatusOr<v1::SuiteJob> FollowShown(const ServerConnection& server, const ShownJob& shown, bool follow_output,
                                         std::mutex& turn) {
  TestProgress& progress = *shown.progress;
  JobProgress shown_progress(progress);
  LineSplitter lines([&](std::string_view line) {
    if (!follow_output) return;
    worker::LogLine text;
    text.text = std::string(line);
    text.rank = worker::kNoRank;
    progress.Output("", text);
  });
  std::string said;
  FollowCallbacks callbacks;
  callbacks.job = [&](const v1::SuiteJob& now) {
    const std::lock_guard<std::mutex> lock(turn);
    std::string change = ChangeText(now);
    if (!change.empty() && change != said) progress.Note(change);
    said = std::move(change);
    shown_progress.Show(now);
  };
  callbacks.log = [&](const v1::LogPiece& piece) {
    const std::lock_guard<std::mutex> lock(turn);
    lines.Add(piece);
  };
  callbacks.note = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(turn);
    progress.Note(text);
  };
  FollowOptions follow;
  follow.job = shown.job;
  absl::StatusOr<v1::SuiteJob> last = FollowJob(server, follow, callbacks);
  if (!last.ok()) {
    return MakeError(last.status().code(), last.status().message(),
                     {absl::StrCat("The job goes on: yard test logs -f ", shown.job)});
  }
  const std::lock_guard<std::mutex> lock(turn);
  lines.Finish();
  return last;
}

// Follows all of them to their ends, each on a thread of its own.
absl::StatusOr<std::vector<v1::SuiteJob>> FollowAll(const ServerConnection& server,
                                                    const std::vector<v1::SuiteJob>& jobs,
                                                    const ServerRunOptions& options, Session& session,
                                                    bool& cancelled) {
  const SystemClock clock;
  TestProgressOptions look;
  look.quiet = session.output.quiet();
  // A line that is written over and over can't tell of several.
  look.terminal = session.env.err_is_terminal && jobs.size() == 1;
  look.color = session.output.err_color();
  look.columns = session.env.columns;
  look.follow = options.follow;
  std::vector<ShownJob> shown;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (jobs.size() > 1) look.prefix = absl::StrCat("shard ", i + 1, "/", jobs.size(), "  ");
    shown.push_back({jobs[i].job(), std::make_unique<TestProgress>(*session.env.err, clock, look)});
    shown[i].progress->Note(absl::StrCat("job ", jobs[i].job(), " of ", jobs[i].spec().suite()));
  }
  std::mutex turn;
  const CancelJobsOnSignal signal(server, shown, turn, session);
  std::vector<absl::StatusOr<v1::SuiteJob>> last(jobs.size());
  std::vector<std::thread> followers;
  followers.reserve(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    followers.emplace_back([&, i] { last[i] = FollowShown(server, shown[i], options.follow, turn); });
  }
  for (std::thread& follower : followers) follower.join();
  cancelled = signal.cancelled();
  std::vector<v1::SuiteJob> ended;
  for (absl::StatusOr<v1::SuiteJob>& one : last) {
    ASSIGN_OR_RETURN(v1::SuiteJob job, std::move(one));
    ended.push_back(std::move(job));
  }
  return ended;
}

// What several jobs are told as, in JSON: those of one run, and the worst of their verdicts.
nlohmann::ordered_json ShardsJson(const std::vector<v1::SuiteJob>& jobs, nlohmann::ordered_json shards) {
  const std::string worst = WorstVerdict(jobs);
  return {{"suite", jobs.front().spec().suite()},
          {"verdict", worst.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(worst)},
          {"shards", std::move(shards)}};
}

ExitCode ShowTaken(const std::vector<v1::SuiteJob>& jobs, const ServerRunOptions& options, Session& session) {
  if (session.options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const v1::SuiteJob& job : jobs) all.push_back(JobJson(job));
    session.output.Json(options.shards ? ShardsJson(jobs, std::move(all)) : all.front());
  } else {
    for (const v1::SuiteJob& job : jobs) session.output.out() << job.job() << "\n";
    for (const v1::SuiteJob& job : jobs) {
      session.output.Note(absl::StrCat("follow it with: yard test logs -f ", job.job()));
    }
  }
  const std::string verdict = WorstVerdict(jobs);
  return verdict.empty() ? ExitCode::kDone : CodeOf(verdict, options.allow_flaky);
}

// Where the result directory of a job is brought; empty: it stays on the server.
std::string FolderFor(const ServerRunOptions& options, size_t index) {
  if (options.out.empty() || !options.shards) return options.out;
  return absl::StrCat(options.out, "/shard-", index + 1);
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

absl::StatusOr<std::vector<v1::SuiteJob>> SubmitSpec(const ServerConnection& server, const v1::JobSpec& spec,
                                                     uint32_t shards) {
  v1::SubmitJobRequest request;
  *request.mutable_spec() = spec;
  request.set_request_id(NewId("r-"));
  request.set_shards(shards);
  absl::StatusOr<v1::SubmitJobResponse> response;
  for (int i = 0; i < kSubmitTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kSubmitPause);
    response = server.Call(&v1::DispatchService::Stub::SubmitJob, request);
    if (response.ok()) {
      // An older server knows one job only.
      if (response->jobs().empty()) return std::vector<v1::SuiteJob>{response->job()};
      return std::vector<v1::SuiteJob>{response->jobs().begin(), response->jobs().end()};
    }
    // The answer may have been lost: the request has a name, and sent again it is the same job.
    if (!absl::IsDeadlineExceeded(response.status()) && !absl::IsUnavailable(response.status())) break;
  }
  return response.status();
}

absl::StatusOr<ExitCode> FollowToResult(const ServerConnection& server, const std::vector<v1::SuiteJob>& jobs,
                                        const ServerRunOptions& options, Session& session) {
  if (options.detach) return ShowTaken(jobs, options, session);
  bool cancelled = false;
  ASSIGN_OR_RETURN(const std::vector<v1::SuiteJob> ended, FollowAll(server, jobs, options, session, cancelled));
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  absl::Status fetched;
  for (size_t i = 0; i < ended.size(); ++i) {
    const std::string folder = FolderFor(options, i);
    ASSIGN_OR_RETURN(nlohmann::ordered_json result, ResultOf(server, ended[i]));
    if (!folder.empty()) fetched.Update(FetchArtifacts(server, ended[i], folder));
    if (!session.options.json) {
      if (i > 0) session.output.out() << "\n";
      if (ended[i].spec().has_shard()) session.output.out() << Printable(ShardText(ended[i].spec())) << "\n";
      session.output.out() << ResultText(result, folder, session.output);
    }
    results.push_back(std::move(result));
  }
  const std::string verdict = WorstVerdict(ended);
  if (session.options.json) {
    session.output.Json(options.shards ? ShardsJson(ended, std::move(results)) : results.front());
  } else if (ended.size() > 1) {
    session.output.out() << "\n"
                         << session.output.Paint(verdict, VerdictStyle(verdict)) << "  the worst of " << ended.size()
                         << " shards\n";
  }
  RETURN_IF_ERROR(fetched);
  if (cancelled) return ExitCode::kInterrupted;
  return CodeOf(verdict, options.allow_flaky);
}

}  // namespace yardmaster::cli
