// The uploaded tree of a run: its archive comes in parts, and the supervisor unpacks it.
#ifndef YARDMASTER_SERVICES_YARDWORKER_SOURCE_ARCHIVE_H_
#define YARDMASTER_SERVICES_YARDWORKER_SOURCE_ARCHIVE_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "services/core/sha256.h"
#include "services/worker/process/process.h"
#include "services/yardworker/control_plane.h"

namespace yardmaster::yardworker {

// Fetches one archive, from its beginning.
class SourceDownload {
 public:
  SourceDownload(std::filesystem::path archive, std::string digest);

  // Fetches the next parts, a bounded number. RESOURCE_EXHAUSTED: the disk has no room for the archive and the tree in
  // it; DATA_LOSS: what arrived has another digest; errors of the control plane: ask again, it goes on where it was.
  absl::Status Advance(ControlPlane& control);
  bool complete() const { return complete_; }

 private:
  const std::filesystem::path archive_;
  const std::string digest_;
  std::ofstream out_;
  Sha256Pieces hash_;
  uint64_t offset_ = 0;
  bool complete_ = false;
};

// Unpacks the archive into `folder`, which is made anew, and removes it. RESOURCE_EXHAUSTED: the disk is full;
// INVALID_ARGUMENT: it is no archive that tar reads; CANCELLED: `cancel` became true.
absl::Status UnpackSource(worker::ProcessStarter& processes, const std::filesystem::path& archive,
                          const std::filesystem::path& folder, const std::atomic<bool>& cancel);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_SOURCE_ARCHIVE_H_
