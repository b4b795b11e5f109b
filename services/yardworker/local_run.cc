#include "services/yardworker/local_run.h"

#include <sys/types.h>

#include <csignal>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/status_macros.h"
#include "services/yardworker/file_pieces.h"
#include "services/yardworker/outcome.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr int kPiecesAtOnce = 8;
// An artifact that the server has lost meanwhile is sent again, but not for ever.
constexpr int kMostUploads = 3;
constexpr size_t kMaxReasonBytes = 1'000;

// The run is nobody's any more, or never was: there is no use in saying it again.
bool IsFinal(const absl::Status& status) {
  return status.ok() || absl::IsFailedPrecondition(status) || absl::IsNotFound(status) ||
         absl::IsInvalidArgument(status);
}

// The control plane is away, or too busy to answer.
bool IsAbsence(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

v1::ReturnRunRequest ReturnOf(const v1::RunOrder& order, std::string_view why) {
  v1::ReturnRunRequest request;
  request.set_job(order.job());
  request.set_fence(order.fence());
  request.set_why(FitForMessage(why, kMaxReasonBytes));
  return request;
}

}  // namespace

std::optional<bool> LocalRun::failed_by_infrastructure() const {
  if (cancelled_ || decline_.has_value() || !outcome_.has_value()) return std::nullopt;
  if (disk_was_full_) return std::nullopt;
  return outcome_->verdict() == "error" && outcome_->cause().class_name() == "infrastructure";
}

absl::StatusOr<bool> LocalRun::Advance(ControlPlane& control, const SupervisorCommand& supervisor_command) {
  if (over_) return false;
  if (decline_.has_value()) return SendDecline(control);
  outcome_ = outcome_.has_value() ? outcome_ : folder_.Outcome();
  if (!outcome_.has_value()) {
    std::error_code error;
    const bool begun = prepared_ || fs::exists(folder_.path() / "supervisor.pid", error);
    if (StillRuns()) {
      if (disowned_) return false;
      ASSIGN_OR_RETURN(const Sent sent, SendLog(control));
      return sent == Sent::kSome;
    }
    if (!begun && !cancelled_) return Prepare(control, supervisor_command);
    // It may have ended between the two looks.
    outcome_ = folder_.Outcome();
    if (std::optional<std::string> why = folder_.Declined(); !outcome_.has_value() && why.has_value() && !cancelled_) {
      faults_ = folder_.Faults();
      decline_ = std::move(why);
      return true;
    }
    if (!outcome_.has_value()) {
      if (begun && !folder_.KillLeftovers()) return false;  // looked at again
      v1::FinishRunRequest outcome =
          cancelled_ ? OutcomeOfFailure("cancelled", "", "")
                     : OutcomeOfFailure("error", "infrastructure", "the run's supervisor ended without a result");
      outcome.set_job(order_.job());
      outcome.set_fence(order_.fence());
      // On a full disk this worker knows it all the same, and a later one finds out by itself.
      folder_.SetOutcome(outcome).IgnoreError();
      outcome_ = std::move(outcome);
    }
  }
  if (StillRuns() || !folder_.KillLeftovers()) return false;  // about to end
  phase_ = v1::WorkerRun::PHASE_FINISHING;
  if (disowned_) {
    folder_.Remove();
    over_ = true;
    return false;
  }
  if (faults_.empty()) faults_ = folder_.Faults();
  disk_was_full_ = disk_was_full_ || folder_.DiskWasFull();
  ASSIGN_OR_RETURN(const Sent sent, SendLog(control));
  return sent == Sent::kSome ? absl::StatusOr<bool>(true) : SendResult(control);
}

// One that should end is told so, and is killed where it does not.
bool LocalRun::StillRuns() {
  const std::optional<pid_t> supervisor = folder_.Supervisor();
  if (!supervisor.has_value()) return false;
  if (folder_.Started()) phase_ = v1::WorkerRun::PHASE_RUNNING;
  const auto now = std::chrono::steady_clock::now();
  if (!cancelled_) return true;
  if (!end_by_.has_value()) end_by_ = now + end_patience_;
  // One that has just begun may not have said its number yet.
  if (!told_to_end_ && *supervisor > 0) {
    told_to_end_ = true;
    ::kill(*supervisor, SIGTERM);
    // A stopped one hears nothing until it goes on.
    ::kill(*supervisor, SIGCONT);
  }
  // It has the mark of the run, too.
  if (now >= *end_by_) folder_.KillLeftovers();
  return true;
}

absl::StatusOr<bool> LocalRun::Settle(const absl::Status& answer) {
  if (!IsFinal(answer)) return answer;
  folder_.Remove();
  over_ = true;
  return false;
}

absl::StatusOr<bool> LocalRun::Prepare(ControlPlane& control, const SupervisorCommand& supervisor_command) {
  absl::Status ready;
  const std::string& digest = order_.spec().source_digest();
  if (!digest.empty()) {
    if (source_ == nullptr) source_ = std::make_unique<SourceDownload>(folder_.archive(), digest);
    if (!source_->complete()) ready = source_->Advance(control);
  }
  if (ready.ok() && source_ != nullptr && !source_->complete()) return true;
  if (ready.ok()) ready = folder_.StartSupervisor(supervisor_command);
  if (IsAbsence(ready)) return ready;
  prepared_ = ready.ok();
  if (!ready.ok()) decline_ = std::string(ready.message());
  return true;
}

absl::StatusOr<bool> LocalRun::SendDecline(ControlPlane& control) {
  // A supervisor that declines is about to end.
  if (folder_.Supervisor().has_value() || !folder_.KillLeftovers()) return false;
  if (disowned_) {
    folder_.Remove();
    over_ = true;
    return false;
  }
  if (!faults_.empty() && !faults_are_known_) return false;
  v1::ReturnRunResponse response;
  return Settle(control.Call(&v1::RunnerService::Stub::DeclineRun, ReturnOf(order_, *decline_), response));
}

absl::StatusOr<LocalRun::Sent> LocalRun::SendLog(ControlPlane& control) {
  v1::AppendLogRequest request;
  request.set_job(order_.job());
  request.set_fence(order_.fence());
  for (int i = 0; i < kPiecesAtOnce; ++i) {
    v1::AppendLogResponse response;
    request.clear_text();
    if (log_sent_.has_value()) request.set_text(ReadPiece(folder_.log(), *log_sent_));
    request.set_offset(log_sent_.value_or(0));
    // The first asks only how much an earlier worker has sent.
    if (log_sent_.has_value() && request.text().empty()) return Sent::kAll;
    const absl::Status sent = control.Call(&v1::RunnerService::Stub::AppendLog, request, response);
    // What becomes of the run is told elsewhere.
    if (absl::IsFailedPrecondition(sent) || absl::IsNotFound(sent)) return Sent::kAll;
    RETURN_IF_ERROR(sent);
    log_sent_ = response.end();
  }
  return Sent::kSome;
}

absl::StatusOr<bool> LocalRun::SendResult(ControlPlane& control) {
  if (give_back_.has_value()) {
    v1::ReturnRunResponse response;
    return Settle(control.Call(&v1::RunnerService::Stub::GiveBackRun, ReturnOf(order_, *give_back_), response));
  }
  if (!listed_.has_value()) {
    listed_ = ListArtifacts(folder_.result());
    for (const std::string& note : listed_->notes) AddNote(note, *outcome_);
  }
  std::vector<v1::Artifact>& artifacts = listed_->artifacts;
  for (int i = 0; i < kPiecesAtOnce && uploaded_ < artifacts.size(); ++i) {
    absl::StatusOr<bool> sent = UploadArtifact(control, artifacts[uploaded_]);
    if (IsAbsence(sent.status())) return sent;
    if (sent.ok()) {
      if (!*sent) return true;
      ++uploaded_;
      continue;
    }
    AddNote(absl::StrCat("the artifact ", artifacts[uploaded_].path(), " was refused: ", sent.status().message()),
            *outcome_);
    artifacts.erase(artifacts.begin() + static_cast<std::ptrdiff_t>(uploaded_));
  }
  return uploaded_ < artifacts.size() ? absl::StatusOr<bool>(true) : SendEnd(control);
}

// True: all of it is there; false: some more parts are.
absl::StatusOr<bool> LocalRun::UploadArtifact(ControlPlane& control, const v1::Artifact& artifact) {
  v1::PutPartRequest request;
  request.set_digest(artifact.digest());
  request.set_size(artifact.size());
  v1::PutPartResponse response;
  // The first asks only how much is there.
  RETURN_IF_ERROR(control.Call(&v1::RunnerService::Stub::UploadArtifact, request, response));
  for (int i = 0; i < kPiecesAtOnce && !response.complete(); ++i) {
    request.set_offset(response.received());
    request.set_part(ReadPiece(folder_.result() / artifact.path(), request.offset()));
    if (request.part().empty()) return absl::DataLossError("it became shorter while it was sent");
    RETURN_IF_ERROR(control.Call(&v1::RunnerService::Stub::UploadArtifact, request, response));
  }
  return response.complete();
}

bool LocalRun::IsLive(ControlPlane& control) {
  v1::AppendLogRequest request;
  request.set_job(order_.job());
  request.set_fence(order_.fence());
  v1::AppendLogResponse response;
  const absl::Status asked = control.Call(&v1::RunnerService::Stub::AppendLog, request, response);
  return !IsFinal(asked) || asked.ok();
}

absl::StatusOr<bool> LocalRun::SendEnd(ControlPlane& control) {
  v1::FinishRunRequest request = *outcome_;
  for (const v1::Artifact& artifact : listed_->artifacts) *request.add_artifacts() = artifact;
  v1::FinishRunResponse response;
  const absl::Status answer = control.Call(&v1::RunnerService::Stub::FinishRun, request, response);
  // Either the run is nobody's any more, or an artifact was removed meanwhile to make room for others.
  if (absl::IsFailedPrecondition(answer) && uploads_ < kMostUploads && IsLive(control)) {
    uploaded_ = 0;
    if (++uploads_ == kMostUploads) {
      listed_->artifacts.clear();
      AddNote(absl::StrCat("its artifacts could not be kept: ", answer.message()), *outcome_);
    }
    return true;
  }
  return Settle(answer);
}

}  // namespace yardmaster::yardworker
