#include "services/dispatch/dispatch.h"

#include <utility>

#include "services/core/status_macros.h"

namespace yardmaster::dispatch {

Dispatch::Dispatch(const DispatchOptions& options, const PackRegistry& packs, const Clock& clock,
                   std::unique_ptr<Dispatcher> dispatcher)
    : dispatcher_(std::move(dispatcher)),
      files_(options.dir / "files", options.artifact_bytes, options.artifact_age),
      logs_(options.dir / "logs", options.log_bytes),
      suites_(packs),
      run_limits_(options.run_limits),
      clock_(clock),
      key_file_(options.dir / "signing.pem"),
      scratch_(options.dir / "scratch") {}

absl::StatusOr<const SigningKey*> Dispatch::signing_key() {
  const std::lock_guard<std::mutex> lock(key_mutex_);
  if (signing_key_ == nullptr) {
    ASSIGN_OR_RETURN(signing_key_, SigningKey::Open(key_file_));
  }
  return signing_key_.get();
}

absl::StatusOr<std::unique_ptr<Dispatch>> Dispatch::Open(const DispatchOptions& options, store::Jobs& jobs,
                                                         const PackRegistry& packs, const Clock& clock,
                                                         Metrics& metrics, Logger& logger) {
  ASSIGN_OR_RETURN(std::unique_ptr<Dispatcher> dispatcher,
                   Dispatcher::Open(jobs, clock, metrics, logger, options.limits));
  return std::unique_ptr<Dispatch>(new Dispatch(options, packs, clock, std::move(dispatcher)));
}

}  // namespace yardmaster::dispatch
