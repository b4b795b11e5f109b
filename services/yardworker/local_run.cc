#include "services/yardworker/local_run.h"

#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/hex.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_probe.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPartBytes = 1024 * 1024;
constexpr int kPiecesAtOnce = 8;
constexpr size_t kMostArtifacts = 4'000;

// Up to kPartBytes from an offset on; empty at the end.
std::string ReadPiece(const fs::path& file, uint64_t offset) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string piece(kPartBytes, '\0');
  in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return piece;
}

std::string DigestOfFile(const fs::path& file) {
  Sha256Pieces pieces;
  uint64_t offset = 0;
  for (std::string piece = ReadPiece(file, 0); !piece.empty(); piece = ReadPiece(file, offset)) {
    pieces.Add(piece);
    offset += piece.size();
  }
  return Hex(pieces.Digest());
}

// The run is nobody's any more, or never was: there is no use in saying it again.
bool IsFinal(const absl::Status& status) {
  return status.ok() || absl::IsFailedPrecondition(status) || absl::IsNotFound(status) ||
         absl::IsInvalidArgument(status);
}

}  // namespace

absl::Status LocalRun::Advance(ControlPlane& control, const SupervisorCommand& supervisor_command) {
  if (over_) return absl::OkStatus();
  outcome_ = outcome_.has_value() ? outcome_ : folder_.Outcome();
  if (!outcome_.has_value()) {
    const std::optional<pid_t> supervisor = folder_.Supervisor();
    std::error_code error;
    const bool begun = prepared_ || fs::exists(folder_.path() / "supervisor.pid", error);
    if (supervisor.has_value()) {
      if (folder_.Started()) phase_ = v1::WorkerRun::PHASE_RUNNING;
      if (cancelled_ && !std::exchange(cancel_sent_, true) && *supervisor > 0) ::kill(*supervisor, SIGTERM);
      bool all = false;
      return disowned_ ? absl::OkStatus() : SendLog(control, all);
    }
    if (!begun && !cancelled_) return Prepare(control, supervisor_command);
    // It may have ended between the two looks.
    outcome_ = folder_.Outcome();
    if (!outcome_.has_value()) {
      if (begun && !folder_.KillLeftovers()) return absl::OkStatus();  // looked at again
      v1::FinishRunRequest outcome;
      outcome.set_job(order_.job());
      outcome.set_fence(order_.fence());
      outcome.set_verdict(cancelled_ ? "cancelled" : "error");
      if (!cancelled_) {
        outcome.mutable_cause()->set_class_name("infrastructure");
        outcome.mutable_cause()->set_text("the run's supervisor ended without a result");
      }
      RETURN_IF_ERROR(folder_.SetOutcome(outcome));
      outcome_ = std::move(outcome);
    }
  }
  if (folder_.Supervisor().has_value() || !folder_.KillLeftovers()) return absl::OkStatus();  // about to end
  phase_ = v1::WorkerRun::PHASE_FINISHING;
  if (disowned_) {
    folder_.Remove();
    over_ = true;
    return absl::OkStatus();
  }
  bool all = false;
  RETURN_IF_ERROR(SendLog(control, all));
  return all ? SendResult(control) : absl::OkStatus();
}

absl::Status LocalRun::Settle(const absl::Status& answer) {
  if (!IsFinal(answer)) return answer;
  folder_.Remove();
  over_ = true;
  return absl::OkStatus();
}

absl::Status LocalRun::Prepare(ControlPlane& control, const SupervisorCommand& supervisor_command) {
  absl::Status ready = FetchSource(control);
  if (absl::IsUnavailable(ready) || absl::IsDeadlineExceeded(ready)) return ready;
  if (ready.ok()) ready = folder_.StartSupervisor(supervisor_command);
  prepared_ = ready.ok();
  if (ready.ok()) return absl::OkStatus();
  v1::ReturnRunRequest request;
  request.set_job(order_.job());
  request.set_fence(order_.fence());
  request.set_why(std::string(ready.message()).substr(0, 1'000));
  v1::ReturnRunResponse response;
  return Settle(control.Call(&v1::RunnerService::Stub::DeclineRun, request, response));
}

absl::Status LocalRun::FetchSource(ControlPlane& control) {
  if (order_.spec().source_digest().empty()) return absl::OkStatus();
  const fs::path archive = folder_.path() / "source.tar";
  std::error_code error;
  fs::remove_all(folder_.source(), error);
  fs::create_directories(folder_.source(), error);
  {
    std::ofstream out(archive, std::ios::binary | std::ios::trunc);
    v1::ReadPartRequest request;
    request.set_digest(order_.spec().source_digest());
    v1::ReadPartResponse response;
    do {
      RETURN_IF_ERROR(control.Call(&v1::RunnerService::Stub::ReadSource, request, response));
      out << response.part();
      request.set_offset(request.offset() + response.part().size());
    } while (request.offset() < response.size());
    out.close();
    if (!out) return errors::FileNotWritten(archive.native(), "no room, or the disk failed");
  }
  if (DigestOfFile(archive) != order_.spec().source_digest()) {
    return errors::FileNotWritten(archive.native(), "what arrived has another SHA-256");
  }
  ASSIGN_OR_RETURN(const worker::ToolOutput unpacked, worker::MakeToolRunner(std::chrono::minutes(5))
                                                          ->Run({"tar", "-x", "--no-same-owner", "-f", archive.native(),
                                                                 "-C", folder_.source().native()}));
  fs::remove(archive, error);
  if (unpacked.exit_code != 0) return errors::FileUnreadable(archive.native(), unpacked.err);
  return absl::OkStatus();
}

absl::Status LocalRun::SendLog(ControlPlane& control, bool& all) {
  v1::AppendLogRequest request;
  request.set_job(order_.job());
  request.set_fence(order_.fence());
  for (int i = 0; i < kPiecesAtOnce; ++i) {
    v1::AppendLogResponse response;
    request.clear_text();
    if (log_sent_.has_value()) request.set_text(ReadPiece(folder_.log(), *log_sent_));
    request.set_offset(log_sent_.value_or(0));
    // The first asks only how much an earlier worker has sent.
    if (log_sent_.has_value() && request.text().empty()) {
      all = true;
      return absl::OkStatus();
    }
    const absl::Status sent = control.Call(&v1::RunnerService::Stub::AppendLog, request, response);
    if (absl::IsFailedPrecondition(sent) || absl::IsNotFound(sent)) {
      all = true;  // what becomes of the run is told elsewhere
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(sent);
    log_sent_ = response.end();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<v1::Artifact>> LocalRun::ListArtifacts() const {
  std::vector<v1::Artifact> artifacts;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder_.result(), fs::directory_options::skip_permission_denied, error), end;
       !error && it != end && artifacts.size() < kMostArtifacts; it.increment(error)) {
    // Reports and logs, no links: what they point to is not the run's.
    if (it->is_symlink(error) || !it->is_regular_file(error)) continue;
    const fs::path relative = it->path().lexically_relative(folder_.result());
    // What was built is none of its results.
    if (!relative.empty() && *relative.begin() != "steps" && relative.has_parent_path()) continue;
    v1::Artifact artifact;
    artifact.set_path(relative.generic_string());
    artifact.set_digest(DigestOfFile(it->path()));
    artifact.set_size(it->file_size(error));
    artifacts.push_back(std::move(artifact));
  }
  return artifacts;
}

absl::Status LocalRun::SendResult(ControlPlane& control) {
  if (give_back_.has_value()) {
    v1::ReturnRunRequest request;
    request.set_job(order_.job());
    request.set_fence(order_.fence());
    request.set_why(*give_back_);
    v1::ReturnRunResponse response;
    return Settle(control.Call(&v1::RunnerService::Stub::GiveBackRun, request, response));
  }
  if (!listed_) {
    ASSIGN_OR_RETURN(artifacts_, ListArtifacts());
    listed_ = true;
  }
  for (int i = 0; i < kPiecesAtOnce && uploaded_ < artifacts_.size(); ++i) {
    const v1::Artifact& artifact = artifacts_[uploaded_];
    v1::PutPartRequest request;
    request.set_digest(artifact.digest());
    request.set_size(artifact.size());
    v1::PutPartResponse response;
    absl::Status put = control.Call(&v1::RunnerService::Stub::UploadArtifact, request, response);
    while (put.ok() && !response.complete()) {
      request.set_offset(response.received());
      request.set_part(ReadPiece(folder_.result() / artifact.path(), request.offset()));
      if (request.part().empty()) break;  // shorter than it was
      put = control.Call(&v1::RunnerService::Stub::UploadArtifact, request, response);
    }
    if (absl::IsUnavailable(put) || absl::IsDeadlineExceeded(put)) return put;
    if (put.ok() && response.complete()) {
      ++uploaded_;
    } else {
      outcome_->add_notes(absl::StrCat("the artifact ", artifact.path(), " was refused: ", std::string(put.message())));
      artifacts_.erase(artifacts_.begin() + static_cast<std::ptrdiff_t>(uploaded_));
    }
  }
  if (uploaded_ < artifacts_.size()) return absl::OkStatus();
  v1::FinishRunRequest request = *outcome_;
  request.clear_artifacts();
  for (const v1::Artifact& artifact : artifacts_) *request.add_artifacts() = artifact;
  constexpr int kMostNotes = 64;
  if (request.notes_size() > kMostNotes) {
    request.mutable_notes()->DeleteSubrange(kMostNotes, request.notes_size() - kMostNotes);
  }
  v1::FinishRunResponse response;
  return Settle(control.Call(&v1::RunnerService::Stub::FinishRun, request, response));
}

}  // namespace yardmaster::yardworker
