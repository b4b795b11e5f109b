// Parts of files as both services take and give them.
#ifndef YARDMASTER_SERVICES_DISPATCH_PART_MESSAGES_H_
#define YARDMASTER_SERVICES_DISPATCH_PART_MESSAGES_H_

#include "absl/status/status.h"
#include "services/core/status_macros.h"
#include "services/dispatch/part_files.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::dispatch {

inline absl::Status PutPart(PartFiles& files, const v1::PutPartRequest& request, v1::PutPartResponse& response) {
  ASSIGN_OR_RETURN(const PartProgress progress,
                   files.Put(request.digest(), request.size(), request.offset(), request.part()));
  response.set_received(progress.received);
  response.set_complete(progress.complete);
  return absl::OkStatus();
}

inline absl::Status ReadPart(PartFiles& files, const v1::ReadPartRequest& request, v1::ReadPartResponse& response) {
  uint64_t size = 0;
  ASSIGN_OR_RETURN(*response.mutable_part(), files.Read(request.digest(), request.offset(), size));
  response.set_size(size);
  return absl::OkStatus();
}

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PART_MESSAGES_H_
