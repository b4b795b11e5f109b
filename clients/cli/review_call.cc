#include "clients/cli/review_call.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>

#include "clients/cli/connection.h"
#include "services/review/review_messages.h"
#include "yardmaster/v1/review.grpc.pb.h"

namespace yardmaster::cli {
namespace {

constexpr std::chrono::seconds kTimeout{60};

}  // namespace

std::optional<ReviewReport> ReviewOnServer(Session& session, const v1::ReviewFileRequest& request, ExitCode& code) {
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return std::nullopt;
  grpc::ClientContext context;
  connection->Prepare(context, kTimeout);
  v1::ReviewFileResponse response;
  const grpc::Status status =
      v1::ReviewService::NewStub(connection->channel())->ReviewFile(&context, request, &response);
  if (!status.ok()) {
    code = connection->Report(session, status, true);
    return std::nullopt;
  }
  return ReadReview(response.review());
}

}  // namespace yardmaster::cli
