#include "services/yardworker/run_thread.h"

#include <chrono>
#include <utility>

namespace yardmaster::yardworker {
namespace {

constexpr std::chrono::milliseconds kLookAtRunEvery{50};
// How far it is comes from a file, and people are told only every few seconds.
constexpr std::chrono::milliseconds kLookAtProgressEvery{100};

}  // namespace

RunThread::RunThread(LocalRun run, ControlPlane& control, const SupervisorCommand& supervisor,
                     std::function<void(std::string_view)> say)
    : order_(run.order()), control_(control), supervisor_(supervisor), say_(std::move(say)) {
  thread_ = std::thread([this, run = std::move(run)]() mutable { Loop(std::move(run)); });
}

RunThread::~RunThread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

RunView RunThread::view() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return view_;
}

void RunThread::Cancel() {
  Post([](LocalRun& run) { run.Cancel(); });
}
void RunThread::Disown() {
  Post([](LocalRun& run) { run.Disown(); });
}
void RunThread::GiveBack(std::string why) {
  Post([why = std::move(why)](LocalRun& run) { run.GiveBack(why); });
}
void RunThread::FaultsAreKnown() {
  Post([](LocalRun& run) { run.FaultsAreKnown(); });
}

void RunThread::Post(std::function<void(LocalRun&)> wish) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wishes_.push_back(std::move(wish));
}

void RunThread::Loop(LocalRun run) {
  v1::RunProgress progress;
  std::chrono::steady_clock::time_point looked_at{};
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_ && !run.over()) {
    for (const auto& wish : std::exchange(wishes_, {})) wish(run);
    lock.unlock();
    // A control plane that is away is asked again; the run itself goes on.
    const absl::StatusOr<bool> more = run.Advance(control_, supervisor_);
    if (!more.ok()) say_(std::string(more.status().message()));
    if (const auto now = std::chrono::steady_clock::now(); now - looked_at >= kLookAtProgressEvery) {
      progress = run.progress();
      looked_at = now;
    }
    RunView now = {run.phase(), run.over(), run.failed_by_infrastructure(), run.faults(), progress};
    lock.lock();
    view_ = std::move(now);
    if (more.ok() && *more) continue;
    changed_.wait_for(lock, kLookAtRunEvery, [this] { return stopping_; });
  }
}

}  // namespace yardmaster::yardworker
