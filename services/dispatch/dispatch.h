// What the handlers of DispatchService and RunnerService stand on, put together.
#ifndef YARDMASTER_SERVICES_DISPATCH_DISPATCH_H_
#define YARDMASTER_SERVICES_DISPATCH_DISPATCH_H_

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/config/dispatch_config.h"
#include "services/core/metrics.h"
#include "services/core/signing_key.h"
#include "services/core/store/jobs.h"
#include "services/dispatch/dispatcher.h"
#include "services/dispatch/engines/engines.h"
#include "services/dispatch/job_logs.h"
#include "services/dispatch/part_files.h"
#include "services/dispatch/suite_catalog.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster::dispatch {

struct DispatchOptions {
  std::filesystem::path dir;  // for logs and uploaded files
  std::string engine{kUsualEngine};
  Limits limits;
  std::chrono::hours artifact_age{24 * 30};
  uint64_t artifact_bytes = kMaxPartFileBytes;
  uint64_t log_bytes = kMaxJobLogBytes;
  RunLimitsConfig run_limits;
  std::vector<std::string> untrusted_network;  // see DispatchConfig
  ForkPolicy fork_policy = ForkPolicy::kApprove;
};

// The tree of a commit, kept among the files.
struct KeptTree {
  std::string digest;  // of its archive
  std::string commit;
  // A branch or a tag of the repository has the commit: somebody with rights has put it there.
  bool is_own = false;
};

// Keeps the tree of a ref ("main", a commit's name, "refs/pull/7/head") of "forge:owner/name". Waits for the network;
// `alive` ends it. NOT_FOUND if there is no such ref, FAILED_PRECONDITION if the repository is not configured.
using FetchTree = std::function<absl::StatusOr<KeptTree>(const std::string& repository, const std::string& ref,
                                                         const std::function<absl::Status()>& alive)>;

// Thread-safe.
class Dispatch {
 public:
  // Everything must outlive this object. Errors: as Dispatcher::Open and SigningKey::Open, and INVALID_ARGUMENT for an
  // unknown engine.
  static absl::StatusOr<std::unique_ptr<Dispatch>> Open(const DispatchOptions& options, store::Jobs& jobs,
                                                        const PackRegistry& packs, const Clock& clock, Metrics& metrics,
                                                        Logger& logger);

  ~Dispatch();
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;

  Dispatcher& dispatcher() { return *dispatcher_; }
  PartFiles& files() { return files_; }
  JobLogs& logs() { return logs_; }
  SuiteCatalog& suites() { return suites_; }
  const Clock& clock() const { return clock_; }
  // A folder for files while they are written; nothing in it outlives the daemon.
  const std::filesystem::path& scratch() const { return scratch_; }
  // By which results and answers to workers are known as the daemon's.
  const SigningKey& signing_key() const { return *signing_key_; }
  // Before anything is served. Without it jobs can't name repositories.
  void FetchTreesBy(FetchTree fetch) { fetch_tree_ = std::move(fetch); }
  const FetchTree& fetch_tree() const { return fetch_tree_; }
  // Whether a suite of the pool has the host's network, if it asks for it.
  bool MayUseNetwork(std::string_view suite, std::string_view pool) const;
  ForkPolicy fork_policy() const { return fork_policy_; }
  // Begins to look for silent runners, and to remove what is kept no longer: uploaded files and the logs of jobs that
  // ended long ago. Stop ends both.
  void Start();
  void Stop();
  // What Start does once an hour: removes what is too old.
  void RemoveOld();
  // What each run may use up.
  const RunLimitsConfig& run_limits() const { return run_limits_; }

 private:
  Dispatch(const DispatchOptions& options, const PackRegistry& packs, const Clock& clock,
           std::unique_ptr<Dispatcher> dispatcher, std::unique_ptr<SigningKey> signing_key);

  std::unique_ptr<Dispatcher> dispatcher_;
  PartFiles files_;
  JobLogs logs_;
  SuiteCatalog suites_;
  const RunLimitsConfig run_limits_;
  const std::vector<std::string> untrusted_network_;
  const ForkPolicy fork_policy_;
  const Clock& clock_;
  const std::unique_ptr<SigningKey> signing_key_;
  const std::filesystem::path scratch_;
  const std::chrono::hours artifact_age_;
  FetchTree fetch_tree_;

  std::mutex thread_mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_DISPATCH_H_
