// The one conversion of absl::Status, which the services use inside, to gRPC's status at the edge.
#ifndef YARDMASTER_SERVICES_CORE_RPC_STATUS_H_
#define YARDMASTER_SERVICES_CORE_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace yardmaster {

// Same code, same message; a message over kMaxStatusMessageBytes is cut at a character. The two enumerations have the
// same numbers.
grpc::Status ToGrpcStatus(const absl::Status& status);

// The way back, for clients.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_RPC_STATUS_H_
