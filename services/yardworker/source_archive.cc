#include "services/yardworker/source_archive.h"

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/hex.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/run/workspace.h"
#include "services/yardworker/disk_room.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr int kSourcePartsAtOnce = 8;
constexpr std::chrono::milliseconds kLookForCancel{100};
constexpr size_t kMaxSaidBytes = 1'000;

}  // namespace

SourceDownload::SourceDownload(fs::path archive, std::string digest)
    : archive_(std::move(archive)), digest_(std::move(digest)), out_(archive_, std::ios::binary | std::ios::trunc) {}

absl::Status SourceDownload::Advance(ControlPlane& control) {
  v1::ReadPartRequest request;
  request.set_digest(digest_);
  for (int i = 0; i < kSourcePartsAtOnce && !complete_; ++i) {
    request.set_offset(offset_);
    v1::ReadPartResponse response;
    RETURN_IF_ERROR(control.Call(&v1::RunnerService::Stub::ReadSource, request, response));
    if (offset_ == 0) {
      // Archive and tree lie beside each other for a while.
      RETURN_IF_ERROR(CheckRoom(archive_.parent_path(), 2 * response.size(), "the uploaded tree"));
    }
    out_ << response.part();
    hash_.Add(response.part());
    offset_ += response.part().size();
    complete_ = offset_ >= response.size();
    if (!complete_ && response.part().empty()) return absl::DataLossError("the uploaded tree ended before its end");
  }
  if (complete_) out_.close();
  if (!out_) return absl::ResourceExhaustedError(absl::StrCat("can't write ", archive_.native()));
  if (complete_ && Hex(hash_.Digest()) != digest_) {
    return absl::DataLossError("the uploaded tree arrived with another SHA-256 than it was submitted with");
  }
  return absl::OkStatus();
}

absl::Status UnpackSource(worker::ProcessStarter& processes, const fs::path& archive, const fs::path& folder,
                          const std::atomic<bool>& cancel) {
  std::error_code error;
  worker::RemoveFolder(folder);
  fs::create_directories(folder, error);
  if (error) return errors::FileNotWritten(folder.native(), error.message());
  std::string said;
  worker::ProcessSpec spec;
  spec.argv = {"/usr/bin/tar", "-x", "--no-same-owner", "-f", archive.native(), "-C", folder.native()};
  spec.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  spec.directory = "/";
  spec.output = [&said](worker::Stream, std::string_view text) {
    if (said.size() < kMaxSaidBytes) said += text;
  };
  ASSIGN_OR_RETURN(const std::unique_ptr<worker::Process> tar, processes.Start(spec, nullptr));
  std::optional<worker::ProcessExit> exit;
  while (!exit.has_value()) {
    exit = tar->WaitUntil(std::chrono::steady_clock::now() + kLookForCancel);
    if (exit.has_value() || !cancel.load()) continue;
    tar->Stop(std::chrono::milliseconds(0));
    return absl::CancelledError("the run was cancelled while its tree was unpacked");
  }
  if (exit->code != 0) {
    RETURN_IF_ERROR(CheckRoom(folder, worker::kDiskFloorBytes, "the uploaded tree"));
    return absl::InvalidArgumentError(
        absl::StrCat("the uploaded tree can't be unpacked: ", Readable(said, kMaxSaidBytes)));
  }
  fs::remove(archive, error);
  return absl::OkStatus();
}

}  // namespace yardmaster::yardworker
