#include "services/core/rpc/rpc.h"

#include <algorithm>

#include "services/core/errors.h"
#include "services/core/ids.h"
#include "services/core/limits.h"
#include "services/core/rpc/status.h"

namespace yardmaster {
namespace {

constexpr char kAuthorization[] = "authorization";
constexpr char kRequestId[] = "x-request-id";
constexpr char kLoopbackPeer[] = "ipv4:127.0.0.1";

std::string_view MetadataValue(const grpc::CallbackServerContext& context, const char* key) {
  const auto& metadata = context.client_metadata();
  auto it = metadata.find(key);
  return it == metadata.end() ? std::string_view() : std::string_view(it->second.data(), it->second.size());
}

// What may stand in a log and in metadata as it is.
bool IsSaneRequestId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxRequestIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == ':' || c == '/';
  });
}

// Bugs and outages of ours, which an operator has to look at; everything else is the caller's.
bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

}  // namespace

RpcCall::RpcCall(const RpcEnvironment& env, grpc::CallbackServerContext& context, std::string_view full_method)
    : env_(env),
      context_(context),
      full_method_(full_method),
      metrics_(env.metrics.Rpc(full_method)),
      started_(env.clock.Monotonic()) {
  const std::string_view request_id = MetadataValue(context, kRequestId);
  echo_request_id_ = IsSaneRequestId(request_id);
  request_id_ = echo_request_id_ ? std::string(request_id) : NewId("r-");

  // The peer's name is made by gRPC on demand; only an anonymous caller needs it.
  const std::string_view authorization = MetadataValue(context, kAuthorization);
  std::string peer;
  if (authorization.empty()) peer = env_.loopback_listener ? kLoopbackPeer : context.peer();
  admitted_ = env_.auth.Admit(full_method, authorization, peer, caller_);
  if (admitted_.ok()) admitted_ = CheckAlive();
}

RpcCall::~RpcCall() {
  if (!finished_) Finish(errors::Internal("the call was dropped without an answer"));
}

absl::Status RpcCall::CheckAlive() const {
  if (context_.IsCancelled()) return errors::CallCancelled();
  if (env_.clock.Now() >= context_.deadline()) return errors::DeadlinePassed();
  return absl::OkStatus();
}

grpc::Status RpcCall::Finish(const absl::Status& status) {
  finished_ = true;
  const std::chrono::nanoseconds elapsed = env_.clock.Monotonic() - started_;
  metrics_.Record(status.code(), elapsed);

  const LogLevel level = status.ok()                 ? LogLevel::kDebug
                         : IsOurFault(status.code()) ? LogLevel::kWarning
                                                     : LogLevel::kInfo;
  if (env_.logger.Enabled(level)) {
    const std::string_view message(status.message().data(), status.message().size());
    const std::string code = absl::StatusCodeToString(status.code());
    env_.logger.Log(level,
                    status.ok()      ? "call served"
                    : admitted_.ok() ? "call failed"
                                     : "call refused",
                    {{"request_id", request_id_},
                     {"method", full_method_},
                     {"caller", caller_.name},
                     {"peer", context_.peer()},
                     {"code", code},
                     {"error", message},
                     {"micros", elapsed.count() / 1000}});
  }
  // The id travels back where somebody may look for it: when it was given, and with every failure.
  if (echo_request_id_ || !status.ok()) context_.AddTrailingMetadata(kRequestId, request_id_);
  return ToGrpcStatus(status);
}

}  // namespace yardmaster
