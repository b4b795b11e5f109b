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

void LogProgress::Line(std::string_view line) {
  using Kind = worker::RunLogLine::Kind;
  const worker::RunLogLine read = worker::ReadRunLogLine(line);
  switch (read.kind) {
    case Kind::kLayerBegins:
      layer_ = read.name;
      progress_.LayerBegins(read.name, read.number, read.of);
      return;
    case Kind::kStepBegins:
      step_ = read.name;
      progress_.StepBegins(layer_, read.name);
      return;
    case Kind::kProgress:
      progress_.Progress(step_, read.tests, read.failed, read.of);
      return;
    case Kind::kStepEnds:
      if (const std::optional<worker::Verdict> verdict = worker::VerdictNamed(read.verdict); verdict.has_value()) {
        worker::StepResult step;
        step.name = read.name;
        step.verdict = *verdict;
        step.end_micros = static_cast<int64_t>(read.seconds * 1e6);
        progress_.StepEnds(step);
      }
      return;
    case Kind::kLayerEnds:
      if (const std::optional<worker::Verdict> verdict = worker::VerdictNamed(read.verdict); verdict.has_value()) {
        worker::LayerResult layer;
        layer.id = read.name;
        layer.verdict = *verdict;
        layer.tests = read.tests;
        layer.failed = read.failed;
        layer.seconds = read.seconds;
        progress_.LayerEnds(layer);
      }
      return;
    case Kind::kText:
      if (!follow_) return;
      worker::LogLine shown;
      shown.text = std::string(line);
      shown.rank = worker::kNoRank;
      progress_.Output(step_, shown);
  }
}

}  // namespace yardmaster::cli
