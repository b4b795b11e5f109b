// What every gRPC handler does around its own work: admission (token, role, deadline), request id, counting, timing,
// logging and the one conversion of absl::Status to grpc::Status. A handler is then: admit, do the work, finish.
//
//   grpc::ServerUnaryReactor* TriageServiceImpl::TriageIssue(grpc::CallbackServerContext* context, const
//   v1::TriageIssueRequest* request,
//                                                            v1::TriageIssueResponse* response) {
//     return HandleUnary(env_, *context, "/yardmaster.v1.TriageService/TriageIssue",
//                        [&](const RpcCall& call) { return Triage(call, *request, *response); });
//   }
#ifndef YARDMASTER_SERVICES_CORE_RPC_RPC_H_
#define YARDMASTER_SERVICES_CORE_RPC_RPC_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "services/core/auth.h"
#include "services/core/clock.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"

namespace yardmaster {

// What calls need from the daemon. Everything outlives the gRPC server.
struct RpcEnvironment {
  const Authenticator& auth;
  Metrics& metrics;
  Clock& clock;
  Logger& logger;
  // The listener has a loopback address: every caller is on this machine, and nobody's address has to be looked at.
  bool loopback_listener = false;
};

// One call. Made first thing in a handler, on its thread; kept by streaming reactors for as long as the call lives. Not
// thread-safe: a reactor's methods are serialised by gRPC as far as this class is concerned, except CheckAlive, which
// any thread may call.
class RpcCall {
 public:
  // `full_method` is "/package.Service/Method" with static storage (a literal) and must be one of the authenticator's.
  // `context` must outlive this object. Takes the caller's `x-request-id` over if it is sane, else makes one.
  RpcCall(const RpcEnvironment& env, grpc::CallbackServerContext& context, std::string_view full_method);
  // A call that nobody finished is counted as UNKNOWN and logged: it is a bug in a handler.
  ~RpcCall();
  RpcCall(const RpcCall&) = delete;
  RpcCall& operator=(const RpcCall&) = delete;

  // OK, or why the call must not go on: UNAUTHENTICATED, PERMISSION_DENIED, DEADLINE_EXCEEDED. The handler passes it to
  // Finish.
  const absl::Status& admitted() const { return admitted_; }

  // Who calls. Meaningful only if admitted.
  const Caller& caller() const { return caller_; }

  // For logs and for answers that name the call. Printable ASCII, at most kMaxRequestIdBytes.
  const std::string& request_id() const { return request_id_; }

  // OK, CANCELLED or DEADLINE_EXCEEDED. To be asked between the parts of long work.
  absl::Status CheckAlive() const;

  // Counts, measures and logs the call (successes at debug, refusals and failures at info, our own faults at warning),
  // and converts the status. Exactly once a call, right before the reactor's Finish.
  grpc::Status Finish(const absl::Status& status);

 private:
  const RpcEnvironment& env_;
  grpc::CallbackServerContext& context_;
  std::string_view full_method_;
  RpcMetrics& metrics_;
  std::chrono::steady_clock::time_point started_;
  std::string request_id_;
  bool echo_request_id_ = false;  // the caller sent one
  bool finished_ = false;
  Caller caller_;
  absl::Status admitted_;
};

// A unary call whose work is done right here, on gRPC's thread: `work(call)` returns absl::Status and has filled the
// response if OK. Work of more than some milliseconds belongs on a pool of its own, with a reactor that owns its
// RpcCall.
template <typename Work>
grpc::ServerUnaryReactor* HandleUnary(const RpcEnvironment& env, grpc::CallbackServerContext& context,
                                      std::string_view full_method, Work&& work) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  RpcCall call(env, context, full_method);
  absl::Status status = call.admitted();
  if (status.ok()) status = std::forward<Work>(work)(static_cast<const RpcCall&>(call));
  reactor->Finish(call.Finish(status));
  return reactor;
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_RPC_RPC_H_
