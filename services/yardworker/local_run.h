// One run on this machine, from its order to the moment when the control plane has its result. Nothing here waits for
// long: Advance does a bounded piece of work, so that the worker keeps reporting.
#ifndef YARDMASTER_SERVICES_YARDWORKER_LOCAL_RUN_H_
#define YARDMASTER_SERVICES_YARDWORKER_LOCAL_RUN_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/yardworker/control_plane.h"
#include "services/yardworker/run_folder.h"
#include "services/yardworker/run_progress.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

class LocalRun {
 public:
  LocalRun(RunFolder folder, v1::RunOrder order)
      : folder_(std::move(folder)), progress_(folder_.progress()), order_(std::move(order)) {}

  const v1::RunOrder& order() const { return order_; }
  v1::WorkerRun::Phase phase() const { return phase_; }
  // The control plane has its result, or does not want it: the folder is gone.
  bool over() const { return over_; }
  // Whether an error of the infrastructure ended it; nullopt: it has no outcome, or was cancelled, which says nothing
  // about its devices.
  std::optional<bool> failed_by_infrastructure() const {
    if (cancelled_ || !outcome_.has_value()) return std::nullopt;
    return outcome_->verdict() == "error" && outcome_->cause().class_name() == "infrastructure";
  }

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

  // Errors are the control plane's absence: try again later.
  absl::Status Advance(ControlPlane& control, const SupervisorCommand& supervisor);

 private:
  absl::Status Prepare(ControlPlane& control, const SupervisorCommand& supervisor);
  absl::Status FetchSource(ControlPlane& control);
  absl::Status SendLog(ControlPlane& control, bool& all);
  absl::Status SendResult(ControlPlane& control);
  absl::StatusOr<std::vector<v1::Artifact>> ListArtifacts() const;
  absl::Status Settle(const absl::Status& answer);

  RunFolder folder_;
  RunProgressReader progress_;
  const v1::RunOrder order_;
  v1::WorkerRun::Phase phase_ = v1::WorkerRun::PHASE_PREPARING;
  bool prepared_ = false;
  bool cancelled_ = false;
  bool disowned_ = false;
  bool cancel_sent_ = false;
  bool over_ = false;
  std::optional<std::string> give_back_;
  std::optional<uint64_t> log_sent_;
  std::optional<v1::FinishRunRequest> outcome_;
  std::vector<v1::Artifact> artifacts_;
  bool listed_ = false;
  size_t uploaded_ = 0;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_LOCAL_RUN_H_
