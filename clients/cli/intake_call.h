// What the verbs about the pipe share: a connection, and lists that come in pages.
#ifndef YARDMASTER_CLIENTS_CLI_INTAKE_CALL_H_
#define YARDMASTER_CLIENTS_CLI_INTAKE_CALL_H_

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "clients/cli/connection.h"
#include "clients/cli/options.h"
#include "clients/cli/subject_argument.h"
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

// A row's number as it stands on the command line: digits only, from 1.
inline std::optional<int64_t> RowNumber(const std::string& text) {
  int64_t row = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  if (error != std::errc() || end != text.data() + text.size() || row < 1) return std::nullopt;
  return row;
}

// Sets the subject that a list is asked for by --subject, if there is one; issues and pull requests alike, since the
// number tells. False: it names none, which was said.
template <typename Request>
bool SetSubject(const std::string& text, Session& session, Request& request) {
  if (text.empty()) return true;
  std::optional<v1::Subject> subject = ParseSubject(text);
  if (!subject.has_value()) {
    session.output.Error("--subject: expected FORGE:OWNER/REPO#N");
    return false;
  }
  subject->set_kind(v1::SUBJECT_KIND_UNSPECIFIED);
  *request.mutable_subject() = *std::move(subject);
  return true;
}

// Asks for pages by `list` until `limit` rows are there (0: all), and appends what `rows_of` an answer are to `rows`.
template <typename Request, typename Response, typename Row>
grpc::Status ReadPages(IntakeClient& client, int64_t limit, Request request,
                       grpc::Status (v1::IntakeService::Stub::*list)(grpc::ClientContext*, const Request&, Response*),
                       const google::protobuf::RepeatedPtrField<Row>& (Response::*rows_of)() const,
                       google::protobuf::RepeatedPtrField<Row>& rows) {
  v1::PageRequest& page = *request.mutable_page();
  do {
    const int64_t left = limit == 0 ? kIntakePage : limit - rows.size();
    page.set_limit(static_cast<int32_t>(std::min<int64_t>(left, kIntakePage)));
    Response response;
    grpc::Status status = client.Do([&](v1::IntakeService::Stub& stub, grpc::ClientContext& context) {
      return (stub.*list)(&context, request, &response);
    });
    if (!status.ok()) return status;
    rows.MergeFrom((response.*rows_of)());
    page.set_before(response.next());
  } while (page.before() != 0 && (limit == 0 || rows.size() < limit));
  return grpc::Status::OK;
}

// Prints the rows of a list: {"NAME": [...]} or a table.
template <typename Row>
void PrintRows(const char* name, const google::protobuf::RepeatedPtrField<Row>& rows,
               nlohmann::ordered_json (*json)(const Row&),
               std::string (*table)(const google::protobuf::RepeatedPtrField<Row>&, const Output&), Session& session) {
  if (session.options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Row& row : rows) list.push_back(json(row));
    session.output.Json({{name, list}});
  } else if (rows.empty()) {
    session.output.Note("none");
  } else {
    session.output.out() << table(rows, session.output);
  }
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_INTAKE_CALL_H_
