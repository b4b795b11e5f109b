// The folder of a run, by which worker and supervisor know of each other, whichever of them dies:
//
//     order.bin        what to run: a v1.RunOrder
//     lock             locked as long as the supervisor lives
//     supervisor.pid   its process id, by itself
//     source.tar       the uploaded tree, until the supervisor has unpacked it
//     source/          the tree
//     result/          the result directory (services/worker/results)
//     log              what the worker sends, as it grows
//     started          the first process of the suite has begun
//     outcome.bin      how it ended: a v1.FinishRunRequest without artifacts
//     declined         why it does not begin here and now
//     faults.json      what is wrong with its devices: {"ID": "reason"}
//     disk-full        the disk was full, which is not its devices' doing
//     reserve          some room, so that a full disk still takes how it ended
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_FOLDER_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_FOLDER_H_

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/worker/devices/gpu_faults.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// How supervisors are started.
struct SupervisorCommand {
  std::filesystem::path program;
  std::vector<std::filesystem::path> readable;            // folders of the host that runs may read besides the system's
  uint64_t cache_mb = 0;                                  // for what runs keep for those after them; 0: nothing is kept
  std::string toolchain;                                  // of the machine, as toolchain.h says
  uint64_t kernel_log_since = worker::GpuFaults::kNever;  // what the kernel said of GPUs before does not count
};

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path);

  // Those below `runs`; what is no folder of a run (its order is missing or damaged) is removed.
  static std::vector<RunFolder> All(const std::filesystem::path& runs);
  static std::filesystem::path PathOf(const std::filesystem::path& runs, const v1::RunOrder& order);
  // Makes the folder of an order, with the order in it. Where that can't be, nothing of it is left.
  static absl::StatusOr<RunFolder> Make(const std::filesystem::path& runs, const v1::RunOrder& order);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path source() const { return path_ / "source"; }
  std::filesystem::path result() const { return path_ / "result"; }
  std::filesystem::path archive() const { return path_ / "source.tar"; }
  std::filesystem::path progress() const { return path_ / "progress.bin"; }
  std::filesystem::path log() const { return path_ / "log"; }
  // For temporary files, with a short name: names of sockets have at most 107 bytes. It is beside the folder of runs,
  // which the service manager leaves alone when the worker ends, or in the system's folder for temporary files where
  // that has a long name. In it "tmp" is what the run's processes have as /tmp.
  const std::filesystem::path& temp() const { return temp_; }
  // What runs of a pool keep for those after them, see run_cache.h.
  std::filesystem::path cache(const std::string& pool) const {
    return path_.parent_path().parent_path() / "cache" / pool;
  }

  absl::StatusOr<v1::RunOrder> Order() const;
  bool Started() const;
  absl::Status SetStarted() const;
  std::optional<v1::FinishRunRequest> Outcome() const;
  absl::Status SetOutcome(const v1::FinishRunRequest& outcome) const;
  std::optional<std::string> Declined() const;
  absl::Status SetDeclined(const std::string& why) const;
  std::map<std::string, std::string> Faults() const;
  absl::Status SetFaults(const std::map<std::string, std::string>& faults) const;
  bool DiskWasFull() const;
  absl::Status SetDiskWasFull() const;
  void Remove() const;

  // By which all processes of the run are known.
  std::string Mark() const;
  // Starts `program --supervise FOLDER CACHE_MB TOOLCHAIN KERNEL_LOG_SINCE READABLE…`, detached: it outlives this
  // process. It holds the lock. UNAVAILABLE: one lives, or the lock is busy for a moment.
  absl::Status StartSupervisor(const SupervisorCommand& command) const;
  // By the supervisor itself, first of all: a worker that dies right after it started one finds it all the same.
  absl::Status SetSupervisor() const;
  // The process id of a supervisor that lives; 0: it has not said it yet.
  std::optional<pid_t> Supervisor() const;
  // Kills what a supervisor that died left behind. True if nothing is left.
  bool KillLeftovers() const;

 private:
  // Writes a file that says how the run ended, with the reserve where the disk is full.
  absl::Status WriteLast(const std::string& name, const std::string& content) const;

  std::filesystem::path path_;
  std::filesystem::path temp_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_FOLDER_H_
