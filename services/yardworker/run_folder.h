// The folder of a run, by which worker and supervisor know of each other, whichever of them dies:
//
//     order.bin     what to run: a v1.RunOrder
//     lock          locked as long as the supervisor lives; its process id is in it
//     source/       the uploaded tree, if there is one
//     result/       the result directory (services/worker/results)
//     log           what the worker sends, as it grows
//     started       the first process of the suite has begun
//     outcome.bin   how it ended: a v1.FinishRunRequest without artifacts
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_FOLDER_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_FOLDER_H_

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// How supervisors are started.
struct SupervisorCommand {
  std::filesystem::path program;
  std::vector<std::filesystem::path> readable;  // folders of the host that runs may read besides the system's
};

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path);

  // Those below `runs`; what is no folder of a run (its order is missing or damaged) is removed.
  static std::vector<RunFolder> All(const std::filesystem::path& runs);
  // Makes the folder of an order, with the order in it.
  static absl::StatusOr<RunFolder> Make(const std::filesystem::path& runs, const v1::RunOrder& order);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path source() const { return path_ / "source"; }
  std::filesystem::path result() const { return path_ / "result"; }
  std::filesystem::path progress() const { return path_ / "progress.bin"; }
  std::filesystem::path log() const { return path_ / "log"; }
  // For temporary files, with a short name in the system's folder for them: names of sockets have at most 107 bytes. In
  // it "tmp" is what the run's processes have as /tmp.
  const std::filesystem::path& temp() const { return temp_; }

  absl::StatusOr<v1::RunOrder> Order() const;
  bool Started() const;
  absl::Status SetStarted() const;
  std::optional<v1::FinishRunRequest> Outcome() const;
  absl::Status SetOutcome(const v1::FinishRunRequest& outcome) const;
  void Remove() const;

  // By which all processes of the run are known.
  std::string Mark() const;
  // Starts `program --supervise FOLDER READABLE…`, detached: it outlives this process. It holds the lock.
  absl::Status StartSupervisor(const SupervisorCommand& command) const;
  // The process id of a supervisor that lives.
  std::optional<pid_t> Supervisor() const;
  // Kills what a supervisor that died left behind. True if nothing is left.
  bool KillLeftovers() const;

 private:
  std::filesystem::path path_;
  std::filesystem::path temp_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_FOLDER_H_
