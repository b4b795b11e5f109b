// What the verbs about the pipe share: a connection, and lists that come in pages.
#ifndef YARDMASTER_CLIENTS_CLI_INTAKE_CALL_H_
#define YARDMASTER_CLIENTS_CLI_INTAKE_CALL_H_

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "clients/cli/connection.h"
#include "clients/cli/options.h"
#include "yardmaster/v1/intake.grpc.pb.h"

namespace yardmaster::cli {

inline constexpr std::chrono::seconds kIntakeTimeout{30};
// Rows of one answer.
inline constexpr int kIntakePage = 200;

// A server that can be asked about its pipe. On failure `connection` is null, the reason was said, and `code` is set.
struct IntakeClient {
  std::unique_ptr<ServerConnection> connection;
  std::unique_ptr<v1::IntakeService::Stub> stub;
  ExitCode code = ExitCode::kDone;

  // `verb` for the message where --local makes no sense.
  static IntakeClient Open(Session& session, const std::string& verb) {
    IntakeClient client;
    if (session.options.local) {
      session.output.Error("the pipe is the server's: '" + verb + "' can't work with --local");
      client.code = ExitCode::kUsage;
      return client;
    }
    client.connection = ServerConnection::Open(session, client.code);
    if (client.connection != nullptr) client.stub = v1::IntakeService::NewStub(client.connection->channel());
    return client;
  }

  // One unary call: `call(stub, context)` returns its status.
  template <typename Call>
  grpc::Status Do(Call call) {
    grpc::ClientContext context;
    connection->Prepare(context, kIntakeTimeout);
    return call(*stub, context);
  }
};

// Reads pages until `limit` rows are there (0: all). `list(stub, context, page, rows)` appends a page's rows and
// returns its status; it sets page->before to where the next page begins, 0 for the last one.
template <typename Rows, typename List>
grpc::Status ReadPages(IntakeClient& client, int64_t limit, Rows& rows, List list) {
  v1::PageRequest page;
  do {
    const int64_t left = limit == 0 ? kIntakePage : limit - rows.size();
    page.set_limit(static_cast<int32_t>(std::min<int64_t>(left, kIntakePage)));
    grpc::Status status = client.Do(
        [&](v1::IntakeService::Stub& stub, grpc::ClientContext& context) { return list(stub, context, page, rows); });
    if (!status.ok()) return status;
  } while (page.before() != 0 && (limit == 0 || rows.size() < limit));
  return grpc::Status::OK;
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_INTAKE_CALL_H_
