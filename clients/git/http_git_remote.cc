#include "clients/git/http_git_remote.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "clients/git/git_objects.h"
#include "clients/git/pack_scan.h"
#include "clients/git/upload_pack.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using Kind = HttpFailure::Kind;

// Besides the files themselves: names, heads of objects, what does not compress.
constexpr size_t kPackOverhead = 1024 * 1024;
constexpr std::string_view kAdvertisement = "application/x-git-upload-pack-advertisement";
constexpr std::string_view kRequest = "application/x-git-upload-pack-request";
constexpr std::string_view kResult = "application/x-git-upload-pack-result";

// A folder for one call.
class Scratch {
 public:
  explicit Scratch(const fs::path& parent) {
    std::error_code ignored;
    fs::create_directories(parent, ignored);
    std::string name = (parent / "read-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string Base64(const std::string& text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  out.resize(static_cast<size_t>(length));
  return out;
}

std::string Agent() { return absl::StrCat("git/2 yardmaster/", Abs(kVersion)); }

}  // namespace

struct HttpGitRemote::Call {
  const GitFolderRequest& request;
  std::string url;
  std::string authorization;  // value of the header; empty: none
  std::chrono::steady_clock::time_point deadline;

  absl::Status Alive() const { return request.alive ? request.alive() : absl::OkStatus(); }
};

absl::StatusOr<std::string> HttpGitRemote::Send(const Call& call, std::string_view method, std::string_view path,
                                                std::string_view type, std::string body, size_t max_bytes) const {
  const std::string& repository = call.request.repository;
  // 1. The request.
  OutgoingRequest request;
  request.method = method;
  request.url = call.url + std::string(path);
  request.body = std::move(body);
  request.headers = {{"Git-Protocol", "version=2"}, {"User-Agent", Agent()}, {"Accept", std::string(type)}};
  if (!request.body.empty()) request.headers.push_back({"Content-Type", std::string(kRequest)});
  if (!call.authorization.empty()) request.headers.push_back({"Authorization", call.authorization});
  const auto left = call.deadline - std::chrono::steady_clock::now();
  request.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(left);
  request.limits.body_bytes = max_bytes;
  request.cancelled = [&call] { return !call.Alive().ok(); };
  HttpResult result = env_.http.Send(request);

  // 2. No answer.
  if (const auto* failure = std::get_if<HttpFailure>(&result)) {
    RETURN_IF_ERROR(call.Alive());
    if (failure->kind == Kind::kStopped) return errors::ShuttingDown();
    if (failure->kind == Kind::kTooLarge) return absl::ResourceExhaustedError("");
    if (failure->kind == Kind::kTimeout) return errors::GitServerUnusable(repository, "it takes too long");
    return errors::GitServerUnusable(repository, failure->detail);
  }

  // 3. An answer.
  auto& response = std::get<OutgoingResponse>(result);
  if (response.status == 401 || response.status == 403) {
    return errors::GitCredentialsRefused(repository, !call.authorization.empty());
  }
  if (response.status == 404) return errors::RepositoryNotOnForge(repository);
  if (response.status >= 300 && response.status < 400) {
    return errors::GitServerUnusable(repository, "it points to another address, and such are not followed");
  }
  if (response.status != 200) {
    return errors::GitServerUnusable(repository, absl::StrCat("it answers with status ", response.status));
  }
  if (response.Header("Content-Type") != type) {
    return errors::GitServerUnusable(repository, "what answers is no git server");
  }
  return std::move(response.body);
}

absl::StatusOr<std::string> HttpGitRemote::FetchPack(const Call& call, const std::string& ask, size_t max_bytes,
                                                     const absl::Status& too_large) const {
  const std::string& repository = call.request.repository;
  absl::StatusOr<std::string> body = Send(call, "POST", "/git-upload-pack", kResult, ask, max_bytes);
  if (!body.ok()) return absl::IsResourceExhausted(body.status()) ? too_large : body.status();
  std::string error;
  std::optional<FetchAnswer> answer = ParseFetchAnswer(*std::move(body), error);
  if (!answer.has_value()) return errors::GitServerUnusable(repository, error);
  if (!answer->refusal.empty()) {
    // There is no code for it; git's own server and the forges' all say "not our ref".
    return answer->refusal.find("not our ref") != std::string::npos
               ? errors::CommitUnknown(call.request.commit, repository)
               : errors::GitServerUnusable(repository, answer->refusal);
  }
  switch (ScanPack(answer->pack, {kMaxGitObjects, kMaxGitObjectBytes, kMaxGitUnpackedBytes})) {
    case PackVerdict::kGood:
      return std::move(answer->pack);
    case PackVerdict::kTooLarge:
      return too_large;
    case PackVerdict::kBroken:
      return errors::GitServerUnusable(repository, "its pack is damaged");
  }
  return errors::Internal("a verdict without a name");
}

absl::StatusOr<GitFolder> HttpGitRemote::ReadFolder(const GitFolderRequest& request) {
  // Each holds an answer and a pack, and a thread, for as long as a slow server likes.
  absl::StatusOr<GitFolder> folder = errors::TooManyGitReads();
  if (reads_.fetch_add(1) < kMaxGitReads) folder = Read(request);
  reads_.fetch_sub(1);
  return folder;
}

absl::StatusOr<GitFolder> HttpGitRemote::Read(const GitFolderRequest& request) {
  // 1. Who we are.
  Call call{request, RepositoryUrl(env_.server, request.repository), "",
            std::chrono::steady_clock::now() + env_.timeout};
  if (env_.token) {
    const absl::StatusOr<Secret> token = env_.token(call.deadline);
    if (!token.ok()) return errors::GitServerUnusable(request.repository, std::string(token.status().message()));
    if (!token->empty()) call.authorization = "Basic " + Base64(env_.server.user + ":" + token->Reveal());
  }

  // 2. What the server can.
  absl::StatusOr<std::string> greeting =
      Send(call, "GET", "/info/refs?service=git-upload-pack", kAdvertisement, "", kPackOverhead);
  if (absl::IsResourceExhausted(greeting.status())) {
    return errors::GitServerUnusable(request.repository, "it does not speak version 2 of git's protocol");
  }
  if (!greeting.ok()) return greeting.status();
  std::string error;
  const std::optional<UploadPackAbilities> abilities = ParseAbilities(*greeting, error);
  if (!abilities.has_value()) return errors::GitServerUnusable(request.repository, error);

  // 3. The commit.
  const Scratch scratch(env_.scratch);
  const std::unique_ptr<GitObjects> objects = scratch.path().empty() ? nullptr : GitObjects::Open(scratch.path());
  if (objects == nullptr) return errors::Internal("no place to unpack a commit in");
  const auto fetch = [&](const FetchAsk& ask, size_t max_bytes, const absl::Status& too_large) -> absl::Status {
    ASSIGN_OR_RETURN(const std::string pack, FetchPack(call, FetchRequest(ask, Agent()), max_bytes, too_large));
    return objects->AddPack(pack, error) ? absl::OkStatus()
                                         : errors::GitServerUnusable(request.repository, "its pack: " + error);
  };
  absl::Status fetched = fetch({{request.commit}, abilities->shallow, abilities->filter}, env_.max_answer_bytes,
                               errors::CommitTooLarge(request.repository, env_.max_answer_bytes));
  if (!fetched.ok()) return fetched;

  // 4. The folder.
  GitListing listing = objects->List(request.commit, request.folder, request.max_files);
  switch (listing.state) {
    case GitListing::State::kListed:
      break;
    case GitListing::State::kNoCommit:
      return errors::CommitUnknown(request.commit, request.repository);
    case GitListing::State::kNoFolder:
      return errors::FolderUnknown(request.folder, request.commit);
    case GitListing::State::kTooMany:
      return errors::FolderTooLarge(request.folder, request.max_files, "files");
    case GitListing::State::kBroken:
      return errors::GitServerUnusable(request.repository, "it left out folders of the commit");
  }
  if (abilities->filter && !listing.files.empty()) {
    std::set<std::string> wanted;
    for (const GitEntry& entry : listing.files) wanted.insert(entry.object);
    fetched = fetch({{wanted.begin(), wanted.end()}, false, false}, request.max_bytes + kPackOverhead,
                    errors::FolderTooLarge(request.folder, request.max_bytes, "bytes"));
    if (!fetched.ok()) return fetched;
  }

  // 5. Its files. The sizes first: nothing is read that would be too much.
  size_t bytes = 0;
  for (const GitEntry& entry : listing.files) {
    size_t size = 0;
    if (!objects->Size(entry.object, size)) {
      return errors::GitServerUnusable(request.repository, "it left out files of the folder");
    }
    bytes += size;
    if (bytes > request.max_bytes) return errors::FolderTooLarge(request.folder, request.max_bytes, "bytes");
  }
  RETURN_IF_ERROR(call.Alive());
  GitFolder folder;
  folder.left_out = std::move(listing.left_out);
  folder.files.reserve(listing.files.size());
  for (const GitEntry& entry : listing.files) {
    GitFile& file = folder.files.emplace_back();
    file.path = entry.path;
    if (!objects->Read(entry.object, request.max_bytes, file.content)) {
      return errors::GitServerUnusable(request.repository, "its pack has a file that can't be read");
    }
  }
  return folder;
}

}  // namespace yardmaster
