// `--with-worker`: a yard-worker beside the daemon, for the suites of small installations. A process of its own, so
// that the daemon's memory and life do not depend on what it does: it is started again when it ends, and goes with the
// daemon.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_OWN_WORKER_H_
#define YARDMASTER_SERVICES_YARDMASTERD_OWN_WORKER_H_

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/address.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"

namespace yardmaster {

class OwnWorker {
 public:
  // The name of its token, and of the runner.
  static constexpr const char* kName = "embedded";

  // Finds the program beside the daemon's, and makes a token of its own, in a file of mode 600 below `data_dir`.
  // Nothing is started. FAILED_PRECONDITION: there is no program, or the config has the token's name or TLS for gRPC.
  static absl::StatusOr<std::unique_ptr<OwnWorker>> Prepare(const Config& config, const std::filesystem::path& data_dir,
                                                            int processors, Logger& logger);
  // Ends it at once; its runs go on until another worker finds them.
  ~OwnWorker();
  OwnWorker(const OwnWorker&) = delete;
  OwnWorker& operator=(const OwnWorker&) = delete;

  // Its token with the config's.
  void AddToken(Config& config) const;
  void Start(const HostPort& grpc);
  // Lets the run in hand end; after `patience` it is given back. Returns when the worker has ended. Idempotent.
  void Drain(std::chrono::milliseconds patience);

 private:
  OwnWorker(std::filesystem::path program, std::filesystem::path folder, Secret token, int processors, Logger& logger);

  void Loop();
  pid_t Spawn() const;
  void Signal(int number);

  const std::filesystem::path program_;
  const std::filesystem::path folder_;
  const Secret token_;
  const int processors_;
  Logger& logger_;
  std::string server_;
  std::thread thread_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  pid_t pid_ = -1;  // -1: none runs
  bool stopping_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_OWN_WORKER_H_
