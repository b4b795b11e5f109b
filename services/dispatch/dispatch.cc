#include "services/dispatch/dispatch.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/glob.h"
#include "services/core/status_macros.h"
#include "services/dispatch/errors.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::chrono::hours kRemoveOldEvery{1};

}  // namespace

Dispatch::Dispatch(const DispatchOptions& options, const PackRegistry& packs, const Clock& clock,
                   std::unique_ptr<Dispatcher> dispatcher, std::unique_ptr<SigningKey> signing_key)
    : dispatcher_(std::move(dispatcher)),
      files_(options.dir / "files", options.artifact_bytes, options.artifact_age),
      logs_(options.dir / "logs", options.log_bytes),
      suites_(packs),
      run_limits_(options.run_limits),
      untrusted_network_(options.untrusted_network),
      fork_policy_(options.fork_policy),
      clock_(clock),
      signing_key_(std::move(signing_key)),
      scratch_(options.dir / "scratch"),
      artifact_age_(options.artifact_age) {
  files_.KeepWhile([this](std::string_view digest) { return dispatcher_->NeedsSource(digest); });
}

Dispatch::~Dispatch() { Stop(); }

void Dispatch::Start() {
  dispatcher_->Start();
  const std::lock_guard<std::mutex> lock(thread_mutex_);
  if (thread_.joinable() || stopping_) return;
  thread_ = std::thread([this] {
    std::unique_lock<std::mutex> waiting(thread_mutex_);
    while (!stopping_) {
      waiting.unlock();
      RemoveOld();
      waiting.lock();
      wake_.wait_for(waiting, kRemoveOldEvery, [this] { return stopping_; });
    }
  });
}

void Dispatch::Stop() {
  {
    const std::lock_guard<std::mutex> lock(thread_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  dispatcher_->Stop();
}

void Dispatch::RemoveOld() {
  files_.RemoveOld();
  const WallTime oldest = clock_.Now() - artifact_age_;
  logs_.Remove([&](std::string_view job) {
    const absl::StatusOr<Job> known = dispatcher_->FindJob(job);
    // One that the store has forgotten ended long ago; one that can't be read may not have.
    if (!known.ok()) return absl::IsNotFound(known.status());
    return known->state == JobState::kEnded && known->ended_at < oldest;
  });
}

bool Dispatch::MayUseNetwork(std::string_view suite, std::string_view pool) const {
  return pool != "untrusted" ||
         absl::c_any_of(untrusted_network_, [suite](const std::string& glob) { return MatchesLike(glob, suite); });
}

absl::StatusOr<std::unique_ptr<Dispatch>> Dispatch::Open(const DispatchOptions& options, store::Jobs& jobs,
                                                         const PackRegistry& packs, const Clock& clock,
                                                         Metrics& metrics, Logger& logger) {
  const Engine* const engine = FindEngine(options.engine);
  if (engine == nullptr) return EngineUnknown(options.engine, EngineNames());
  ASSIGN_OR_RETURN(std::unique_ptr<Dispatcher> dispatcher,
                   Dispatcher::Open(jobs, clock, metrics, logger, options.limits, *engine));
  ASSIGN_OR_RETURN(std::unique_ptr<SigningKey> key, SigningKey::Open(options.dir / "signing.pem"));
  return std::unique_ptr<Dispatch>(new Dispatch(options, packs, clock, std::move(dispatcher), std::move(key)));
}

}  // namespace yardmaster::dispatch
