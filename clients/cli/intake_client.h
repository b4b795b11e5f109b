// What the verbs about the pipe share: a server to ask, and lists that come in pages.
#ifndef YARDMASTER_CLIENTS_CLI_INTAKE_CLIENT_H_
#define YARDMASTER_CLIENTS_CLI_INTAKE_CLIENT_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/connection.h"
#include "clients/cli/subject_argument.h"
#include "services/core/status_macros.h"
#include "yardmaster/v1/intake.grpc.pb.h"

namespace yardmaster::cli {

// Rows of one answer.
inline constexpr int kIntakePage = 200;

// `verb` for the message where --local makes no sense.
inline absl::StatusOr<ServerConnection> OpenIntake(const Session& session, const std::string& verb) {
  if (session.options.local) {
    return UsageError(absl::StrCat("the pipe is the server's: '", verb, "' can't work with --local"));
  }
  return ServerConnection::Open(session, /*local_works=*/false);
}

// Sets the subject that a list is asked for by --subject, if there is one; issues and pull requests alike, since the
// number tells.
template <typename Request>
absl::Status SetSubject(const std::string& text, Request& request) {
  if (text.empty()) return absl::OkStatus();
  std::optional<v1::Subject> subject = ParseSubject(text);
  if (!subject.has_value()) return UsageError("--subject: expected FORGE:OWNER/REPO#N");
  subject->set_kind(v1::SUBJECT_KIND_UNSPECIFIED);
  *request.mutable_subject() = *std::move(subject);
  return absl::OkStatus();
}

// Asks for pages by `list` until `limit` rows are there (0: all). `rows_of` an answer are what is wanted.
template <typename Request, typename Response, typename Rows>
absl::StatusOr<Rows> ReadPages(const ServerConnection& server, int64_t limit, Request request,
                               grpc::Status (v1::IntakeService::Stub::*list)(grpc::ClientContext*, const Request&,
                                                                             Response*),
                               const Rows& (Response::*rows_of)() const) {
  Rows rows;
  v1::PageRequest& page = *request.mutable_page();
  do {
    const int64_t left = limit == 0 ? kIntakePage : limit - rows.size();
    page.set_limit(static_cast<int32_t>(std::min<int64_t>(left, kIntakePage)));
    ASSIGN_OR_RETURN(const Response response, server.Call(list, request));
    rows.MergeFrom((response.*rows_of)());
    page.set_before(response.next());
  } while (page.before() != 0 && (limit == 0 || rows.size() < limit));
  return rows;
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_INTAKE_CLIENT_H_
