// Unary calls whose work takes more than some milliseconds: done on a pool, so that gRPC's callback threads stay free.
#ifndef YARDMASTER_SERVICES_CORE_RPC_POOLED_RPC_H_
#define YARDMASTER_SERVICES_CORE_RPC_POOLED_RPC_H_

#include <grpcpp/grpcpp.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "services/core/errors.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"

namespace yardmaster {

// As HandleUnary, but `work(call)` runs on `executor`, which must outlive the gRPC server. What `work` refers to
// (request and response do) must live until the call ends. It should ask call.CheckAlive() between its parts. A call
// whose deadline passed while it waited for a thread does no work.
template <typename Work>
grpc::ServerUnaryReactor* HandlePooledUnary(Executor& executor, const RpcEnvironment& env,
                                            grpc::CallbackServerContext& context, std::string_view full_method,
                                            Work work) {
  class Reactor final : public grpc::ServerUnaryReactor {
   public:
    Reactor(const RpcEnvironment& env, grpc::CallbackServerContext& context, std::string_view full_method, Work work)
        : call_(env, context, full_method), work_(std::move(work)) {}

    void Start(Executor& executor) {
      if (!call_.admitted().ok()) {
        End(call_.admitted());
      } else if (!executor.Run([this] { DoWork(); })) {
        End(errors::TooManyLongCalls());
      }
    }

    void OnDone() override { delete this; }

   private:
    void DoWork() {
      absl::Status status = call_.CheckAlive();
      if (status.ok()) status = work_(static_cast<const RpcCall&>(call_));
      End(status);
    }
    // gRPC may delete this reactor before Finish returns.
    void End(const absl::Status& status) { Finish(call_.Finish(status)); }

    RpcCall call_;
    Work work_;
  };
  auto* reactor = new Reactor(env, context, full_method, std::move(work));
  reactor->Start(executor);
  return reactor;
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_RPC_POOLED_RPC_H_
