// What the verbs about suites on attached runners share: the server to ask, uploads of trees, what runs left there.
#ifndef YARDMASTER_CLIENTS_CLI_DISPATCH_CLIENT_H_
#define YARDMASTER_CLIENTS_CLI_DISPATCH_CLIENT_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/connection.h"
#include "clients/cli/session.h"
#include "services/core/status_macros.h"
#include "yardmaster/v1/dispatch.grpc.pb.h"

namespace yardmaster::cli {

// True if the verb is about a job of the server's: `name` is one's name ("j-…") and no folder here, or a server was
// named. False with --local.
bool MeansServer(const Session& session, const std::string& name);

// `verb` for the message where --local makes no sense.
absl::StatusOr<ServerConnection> OpenDispatch(const Session& session, std::string_view verb);

// One job; the newest where `name` is empty.
absl::StatusOr<v1::SuiteJob> FindJobOnServer(const ServerConnection& server, const std::string& name);

// A tree as the server has it now.
struct UploadedTree {
  std::string digest;
  std::string commit;  // that is checked out there; empty: nobody knows, or files differ from it
};
// Packs what git would track (its files and new ones that are not ignored; everything, where it is no clone) and sends
// what is not there yet. INVALID_ARGUMENT: no such folder.
absl::StatusOr<UploadedTree> UploadTree(const ServerConnection& server, const std::string& folder);

// Writes an artifact, and checks that its SHA-256 is the one that it is known by.
absl::Status CopyArtifact(const ServerConnection& server, const v1::Artifact& artifact, std::ostream& out);
// A small one by its path; nullopt if the job has none of that path.
absl::StatusOr<std::optional<std::string>> ReadArtifactOf(const ServerConnection& server, const v1::SuiteJob& job,
                                                          std::string_view path);
// All of them, into a folder that is new or empty. The first error ends it.
absl::Status FetchArtifacts(const ServerConnection& server, const v1::SuiteJob& job,
                            const std::filesystem::path& folder);
// What the server vouches for of a job that has ended; nullopt: it has not.
absl::StatusOr<std::optional<v1::SignedResult>> SignedResultOf(const ServerConnection& server, const std::string& job);
// As signature.json, beside the artifacts.
inline constexpr const char* kSignatureFile = "signature.json";
absl::Status WriteSignature(const v1::SignedResult& signed_result, const std::filesystem::path& folder);

// result.json with what only the server knows: runner, attempt, queued_seconds. Where the run left none: the job, its
// verdict and cause in the same shape.
absl::StatusOr<nlohmann::ordered_json> ResultOf(const ServerConnection& server, const v1::SuiteJob& job);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_DISPATCH_CLIENT_H_
