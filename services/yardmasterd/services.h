// The services of the daemon, one row each. To add one, write its row in services.cc.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_SERVICES_H_
#define YARDMASTER_SERVICES_YARDMASTERD_SERVICES_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "services/core/config/config.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/dispatch/dispatch.h"
#include "services/packs/registry/pack_registry.h"
#include "services/triage/decision_id.h"
#include "services/triage/decision_log.h"
#include "services/yardmasterd/pipe.h"

namespace yardmaster {

// What gRPC handlers are made from. Everything outlives them.
struct ServiceEnvironment {
  const RpcEnvironment& rpc;
  PackRegistry& packs;
  DecisionLog& decisions;
  DecisionIds& decision_ids;
  Executor& long_calls;     // for calls that compute for long
  Executor& waiting_calls;  // for calls that wait for the store or a forge
  Executor& job_calls;      // for what people ask about jobs, which waits for the store only
  Executor& worker_calls;   // for what workers say: nothing else may hold it up
  PipeInterfaces pipe;
  dispatch::Dispatch* dispatch;  // null: nothing is kept
};

// What a service brings.
struct ServiceRow {
  std::string name;  // as in its contract
  std::unique_ptr<grpc::Service> (*handlers)(const ServiceEnvironment& env);
  std::vector<MakePlanner> planners = {};
  commands::CommandHandlers commands = {};
  JobTable jobs = {};  // those that its contract names
  std::vector<NewsSource> news = {};
};

// In the order in which their planners are asked.
absl::Span<const ServiceRow> Services();

// What all of them bring to the pipe.
PipeExtensions ExtensionsOfServices();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_SERVICES_H_
