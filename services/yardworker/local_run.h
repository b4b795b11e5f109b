// One run on this machine, from its order to the moment when the control plane has its result. Advance does a bounded
// piece of work at a time.
#ifndef YARDMASTER_SERVICES_YARDWORKER_LOCAL_RUN_H_
#define YARDMASTER_SERVICES_YARDWORKER_LOCAL_RUN_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/yardworker/artifacts.h"
#include "services/yardworker/control_plane.h"
#include "services/yardworker/run_folder.h"
#include "services/yardworker/run_progress.h"
#include "services/yardworker/source_archive.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// How long a run that should end may take to do so before all of its processes are killed: a supervisor that is stopped
// or hangs would keep its devices for ever. Longer than the grace of suites and the time in which a tree is killed.
inline constexpr std::chrono::seconds kEndPatience{120};

// Not thread-safe.
class LocalRun {
 public:
  LocalRun(RunFolder folder, v1::RunOrder order, std::chrono::milliseconds end_patience = kEndPatience)
      : folder_(std::move(folder)),
        progress_(folder_.progress()),
        order_(std::move(order)),
        end_patience_(end_patience) {}

  const v1::RunOrder& order() const { return order_; }
  v1::WorkerRun::Phase phase() const { return phase_; }
  // The control plane has its result, or does not want it: the folder is gone.
  bool over() const { return over_; }
  // Whether an error of the infrastructure that may be its devices' ended it; nullopt: it has no outcome, was
  // cancelled, or the disk was full, which says nothing about its devices.
  std::optional<bool> failed_by_infrastructure() const;
  // What its supervisor found wrong with its devices, before or after it: the reason by the device's id.
  const std::map<std::string, std::string>& faults() const { return faults_; }

  // It should end: it was cancelled, is not wanted any more, or is given back.
  void Cancel() { cancelled_ = true; }
  // Nobody wants its result any more.
  void Disown() { cancelled_ = disowned_ = true; }
  // How far it is, as its supervisor says.
  const v1::RunProgress& progress() { return progress_.Newest(); }
  // Its end is told as a return of the run, with this reason.
  void GiveBack(std::string why) {
    cancelled_ = true;
    give_back_ = std::move(why);
  }
  // It does not begin: it is only declined, with this reason.
  void Decline(std::string why) { decline_ = std::move(why); }
  // The control plane has heard of its devices' faults: before, a run that is declined because of them would be given
  // the same ones again.
  void FaultsAreKnown() { faults_are_known_ = true; }

  // True: there is more to do at once. Errors are the control plane's absence: try again later.
  absl::StatusOr<bool> Advance(ControlPlane& control, const SupervisorCommand& supervisor);

 private:
  enum class Sent : uint8_t { kAll, kSome };

  bool StillRuns();
  absl::StatusOr<bool> Prepare(ControlPlane& control, const SupervisorCommand& supervisor);
  absl::StatusOr<bool> SendDecline(ControlPlane& control);
  absl::StatusOr<Sent> SendLog(ControlPlane& control);
  absl::StatusOr<bool> SendResult(ControlPlane& control);
  absl::StatusOr<bool> UploadArtifact(ControlPlane& control, const v1::Artifact& artifact);
  absl::StatusOr<bool> SendEnd(ControlPlane& control);
  // Whether the control plane still takes what is said of this run.
  bool IsLive(ControlPlane& control);
  absl::StatusOr<bool> Settle(const absl::Status& answer);

  RunFolder folder_;
  RunProgressReader progress_;
  const v1::RunOrder order_;
  const std::chrono::milliseconds end_patience_;
  v1::WorkerRun::Phase phase_ = v1::WorkerRun::PHASE_PREPARING;
  std::unique_ptr<SourceDownload> source_;
  bool prepared_ = false;
  bool cancelled_ = false;
  bool disowned_ = false;
  bool over_ = false;
  bool faults_are_known_ = false;
  bool disk_was_full_ = false;
  bool told_to_end_ = false;
  std::optional<std::chrono::steady_clock::time_point> end_by_;  // else it is killed
  std::optional<std::string> give_back_;
  std::optional<std::string> decline_;
  std::map<std::string, std::string> faults_;
  std::optional<uint64_t> log_sent_;
  std::optional<v1::FinishRunRequest> outcome_;
  std::optional<ArtifactList> listed_;
  size_t uploaded_ = 0;
  int uploads_ = 0;  // how often all of them were sent
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_LOCAL_RUN_H_
