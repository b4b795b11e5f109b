#include "clients/cli/job_follower.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/worker/logs/log.h"

namespace yardmaster::cli {
namespace {

constexpr std::chrono::milliseconds kFirstPause{200};
constexpr std::chrono::milliseconds kLongestPause{5'000};
constexpr size_t kMaxShownLineBytes = 64 * 1024;
constexpr double kMicrosOfSecond = 1e6;

}  // namespace

absl::StatusOr<v1::SuiteJob> FollowJob(const ServerConnection& server, const FollowOptions& options,
                                       const FollowCallbacks& callbacks) {
  v1::WatchJobRequest request;
  request.set_job(options.job);
  request.set_fence(options.fence);
  request.set_offset(options.offset);
  request.set_once(options.once);
  v1::DispatchService::Stub stub(server.channel());
  v1::SuiteJob job;
  std::chrono::milliseconds pause = kFirstPause;
  auto heard = std::chrono::steady_clock::now();
  bool away = false;
  while (true) {
    grpc::ClientContext context;
    server.PrepareEndless(context);
    const std::unique_ptr<grpc::ClientReader<v1::WatchJobResponse>> stream = stub.WatchJob(&context, request);
    for (v1::WatchJobResponse news; stream->Read(&news); news.Clear()) {
      if (std::exchange(away, false) && callbacks.note) callbacks.note("the server is there again");
      pause = kFirstPause;
      if (news.has_job()) {
        job = news.job();
        if (callbacks.job) callbacks.job(job);
      }
      if (news.has_log()) {
        request.set_fence(news.log().fence());
        request.set_offset(news.log().offset() + news.log().text().size());
        if (callbacks.log) callbacks.log(news.log());
      }
      heard = std::chrono::steady_clock::now();
    }
    const grpc::Status status = stream->Finish();
    if (status.ok()) return job;
    // Before the first answer it is an error like any other's; a run that goes on is worth waiting for.
    const bool again = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                       status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
    if (!again || job.job().empty() || std::chrono::steady_clock::now() - heard > options.patience) {
      return server.Explain(status);
    }
    if (!std::exchange(away, true) && callbacks.note) {
      callbacks.note("the server is away; the job goes on, and so does this when it is back");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

void LineSplitter::Add(const v1::LogPiece& piece) {
  if (piece.fence() != std::exchange(fence_, piece.fence())) Finish();
  std::string_view text = piece.text();
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    rest_ += text.substr(0, std::min(end, kMaxShownLineBytes));
    line_(rest_);
    rest_.clear();
    text.remove_prefix(end + 1);
  }
  if (rest_.size() < kMaxShownLineBytes) rest_ += text.substr(0, kMaxShownLineBytes);
}

void LineSplitter::Finish() {
  if (!rest_.empty()) line_(rest_);
  rest_.clear();
}

void JobProgress::ShowSteps(const v1::RunProgress& now) {
  // What ended between two words and is not among the newest is not told one by one.
  const auto fresh = static_cast<int>(std::min<uint64_t>(
      now.steps_ended() - std::min(now.steps_ended(), told_.steps_ended()), static_cast<uint64_t>(now.steps_size())));
  for (int i = now.steps_size() - fresh; i < now.steps_size(); ++i) {
    worker::StepResult step;
    step.name = now.steps(i).name();
    step.verdict = worker::VerdictNamed(now.steps(i).verdict()).value_or(worker::Verdict::kError);
    step.end_micros = static_cast<int64_t>(now.steps(i).seconds() * kMicrosOfSecond);
    progress_.StepEnds(step);
  }
}

void JobProgress::ShowFailures(const v1::RunProgress& now) {
  const auto fresh = static_cast<int>(
      std::min<uint64_t>(now.failures_in_all() - std::min(now.failures_in_all(), told_.failures_in_all()),
                         static_cast<uint64_t>(now.failures_size())));
  std::vector<worker::TestResult> tests;
  for (int i = now.failures_size() - fresh; i < now.failures_size(); ++i) {
    worker::TestResult& test = tests.emplace_back();
    test.id = now.failures(i).test();
    test.step = now.failures(i).step();
    test.verdict = worker::VerdictNamed(now.failures(i).verdict()).value_or(worker::Verdict::kError);
    test.message = now.failures(i).message();
  }
  progress_.TestsEnd(tests);
}

void JobProgress::ShowLayers(const v1::RunProgress& now) {
  for (int i = 0; i < now.layers_size(); ++i) {
    const v1::LayerProgress& layer = now.layers(i);
    const bool known = i < told_.layers_size();
    if (!known) progress_.LayerBegins(layer.id(), static_cast<size_t>(i) + 1, now.layers_in_all());
    if (layer.verdict().empty() || (known && !told_.layers(i).verdict().empty())) continue;
    worker::LayerResult ended;
    ended.id = layer.id();
    ended.verdict = worker::VerdictNamed(layer.verdict()).value_or(worker::Verdict::kError);
    ended.tests = layer.tests();
    ended.failed = layer.failed();
    ended.skipped = layer.skipped();
    ended.seconds = layer.seconds();
    progress_.LayerEnds(ended);
  }
}

void JobProgress::Show(const v1::SuiteJob& job) {
  if (job.attempt() != std::exchange(attempt_, job.attempt())) told_.Clear();
  if (!job.has_progress()) return;
  const v1::RunProgress& now = job.progress();
  ShowFailures(now);
  ShowSteps(now);
  ShowLayers(now);
  if (!now.step().empty()) {
    const std::string layer = now.layers_size() == 0 ? "" : now.layers(now.layers_size() - 1).id();
    if (now.step() != told_.step()) progress_.StepBegins(layer, now.step());
    progress_.Progress(now.step(), now.tests(), now.failed(), now.expected());
  }
  told_ = now;
}

}  // namespace yardmaster::cli
