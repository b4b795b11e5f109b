#include "clients/git/http_git_remote.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "clients/git/git_objects.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

// Besides the files themselves: names, heads of objects, what does not compress.
constexpr size_t kPackOverhead = 1024 * 1024;
constexpr PackLimits kFolderPackLimits{kMaxGitObjects, kMaxGitObjectBytes, kMaxGitUnpackedBytes};

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

}  // namespace

absl::StatusOr<GitFolder> HttpGitRemote::ReadFolder(const GitFolderRequest& request) {
  // Each holds an answer and a pack, and a thread, for as long as a slow server likes.
  absl::StatusOr<GitFolder> folder = errors::TooManyGitReads();
  if (reads_.fetch_add(1) < kMaxGitReads) folder = Read(request);
  reads_.fetch_sub(1);
  return folder;
}

absl::StatusOr<GitFolder> HttpGitRemote::Read(const GitFolderRequest& request) {
  // 1. The server.
  ASSIGN_OR_RETURN(const GitSession session, GitSession::Begin(env_, request.repository, request.alive));

  // 2. The commit.
  const Scratch scratch(env_.scratch);
  const std::unique_ptr<GitObjects> objects = scratch.path().empty() ? nullptr : GitObjects::Open(scratch.path());
  if (objects == nullptr) return errors::Internal("no place to unpack a commit in");
  const auto fetch = [&](const FetchAsk& ask, size_t max_bytes, const absl::Status& too_large) -> absl::Status {
    ASSIGN_OR_RETURN(const FetchAnswer answer, session.Fetch(ask, {max_bytes, kFolderPackLimits, too_large}));
    std::string error;
    return objects->AddPack(answer.pack, error) ? absl::OkStatus()
                                                : errors::GitServerUnusable(request.repository, "its pack: " + error);
  };
  const bool filter = session.abilities().filter;
  RETURN_IF_ERROR(fetch({{request.commit}, session.abilities().shallow ? 1 : 0, filter}, env_.max_answer_bytes,
                        errors::CommitTooLarge(request.repository, env_.max_answer_bytes)));

  // 3. The folder.
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
  if (filter && !listing.files.empty()) {
    std::set<std::string> wanted;
    for (const GitEntry& entry : listing.files) wanted.insert(entry.object);
    RETURN_IF_ERROR(fetch({{wanted.begin(), wanted.end()}}, request.max_bytes + kPackOverhead,
                          errors::FolderTooLarge(request.folder, request.max_bytes, "bytes")));
  }

  // 4. Its files. The sizes first: nothing is read that would be too much.
  size_t bytes = 0;
  for (const GitEntry& entry : listing.files) {
    size_t size = 0;
    if (!objects->Size(entry.object, size)) {
      return errors::GitServerUnusable(request.repository, "it left out files of the folder");
    }
    bytes += size;
    if (bytes > request.max_bytes) return errors::FolderTooLarge(request.folder, request.max_bytes, "bytes");
  }
  if (request.alive) RETURN_IF_ERROR(request.alive());
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
