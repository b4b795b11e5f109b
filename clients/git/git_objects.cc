#include "clients/git/git_objects.h"

#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "clients/git/libgit2.h"
#include "clients/git/pack_index.h"

namespace yardmaster {
namespace {

// Folders inside each other, and entries that are looked at: a tree of some kilobytes can name itself billions of
// times.
constexpr int kMaxDepth = 32;
constexpr size_t kMaxEntries = 20'000;

class Libgit2Objects final : public GitObjects {
 public:
  Libgit2Objects(std::filesystem::path folder, git2::Odb odb, git2::Repository repository)
      : folder_(std::move(folder)), odb_(std::move(odb)), repository_(std::move(repository)) {}

  bool AddPack(std::string_view pack, std::string& error) override;
  GitListing List(const std::string& commit, const std::string& folder, size_t max_files) override;
  bool Read(const std::string& object, size_t max_bytes, std::string& out) override;
  bool Size(const std::string& object, size_t& size) override;

 private:
  GitListing::State Walk(const git_tree& tree, const std::string& prefix, int depth, size_t max_files, size_t& left,
                         GitListing& listing) const;

  const std::filesystem::path folder_;
  const git2::Odb odb_;
  const git2::Repository repository_;
};

bool Libgit2Objects::AddPack(std::string_view pack, std::string& error) {
  const std::optional<std::filesystem::path> index = IndexPack(folder_, pack, error);
  if (!index.has_value()) return false;
  git_odb_backend* backend = nullptr;
  if (git_odb_backend_one_pack(&backend, index->c_str()) != 0) {
    error = git2::LastError();
    return false;
  }
  // The database owns it from here on.
  if (git_odb_add_backend(odb_.get(), backend, 1) != 0) {
    backend->free(backend);
    error = git2::LastError();
    return false;
  }
  return true;
}

GitListing::State Libgit2Objects::Walk(const git_tree& tree, const std::string& prefix, int depth, size_t max_files,
                                       size_t& left, GitListing& listing) const {
  if (depth == 0) return GitListing::State::kTooMany;
  const size_t count = git_tree_entrycount(&tree);
  for (size_t i = 0; i < count; ++i) {
    if (left-- == 0) return GitListing::State::kTooMany;
    const git_tree_entry* entry = git_tree_entry_byindex(&tree, i);
    const std::string path = prefix + git_tree_entry_name(entry);
    switch (git_tree_entry_filemode(entry)) {
      case GIT_FILEMODE_TREE: {
        git_tree* raw = nullptr;
        if (git_tree_lookup(&raw, repository_.get(), git_tree_entry_id(entry)) != 0) return GitListing::State::kBroken;
        const git2::Tree below(raw);
        const GitListing::State state = Walk(*below, path + "/", depth - 1, max_files, left, listing);
        if (state != GitListing::State::kListed) return state;
        break;
      }
      case GIT_FILEMODE_BLOB:
      case GIT_FILEMODE_BLOB_EXECUTABLE:
        if (listing.files.size() == max_files) return GitListing::State::kTooMany;
        listing.files.push_back({path, git2::Hex(*git_tree_entry_id(entry))});
        break;
      case GIT_FILEMODE_LINK:
        listing.left_out.push_back({path, "a symbolic link is not followed"});
        break;
      case GIT_FILEMODE_COMMIT:
        listing.left_out.push_back({path, "a submodule is not fetched"});
        break;
      default:
        listing.left_out.push_back({path, "it is no file"});
        break;
    }
  }
  return GitListing::State::kListed;
}

GitListing Libgit2Objects::List(const std::string& commit, const std::string& folder, size_t max_files) {
  GitListing listing;
  git_oid id;
  git_commit* raw_commit = nullptr;
  if (git_oid_fromstr(&id, commit.c_str()) != 0 || git_commit_lookup(&raw_commit, repository_.get(), &id) != 0) {
    listing.state = GitListing::State::kNoCommit;
    return listing;
  }
  const git2::Commit owned_commit(raw_commit);
  git_tree* raw_tree = nullptr;
  if (git_commit_tree(&raw_tree, raw_commit) != 0) return listing;
  git2::Tree tree(raw_tree);
  if (!folder.empty()) {
    git_tree_entry* raw_entry = nullptr;
    if (git_tree_entry_bypath(&raw_entry, tree.get(), folder.c_str()) != 0) {
      listing.state = GitListing::State::kNoFolder;
      return listing;
    }
    const git2::TreeEntry entry(raw_entry);
    if (git_tree_entry_type(raw_entry) != GIT_OBJECT_TREE) {
      listing.state = GitListing::State::kNoFolder;
      return listing;
    }
    git_tree* raw_below = nullptr;
    if (git_tree_lookup(&raw_below, repository_.get(), git_tree_entry_id(raw_entry)) != 0) return listing;
    tree.reset(raw_below);
  }
  size_t left = kMaxEntries;
  listing.state = Walk(*tree, "", kMaxDepth, max_files, left, listing);
  absl::c_sort(listing.files, [](const GitEntry& a, const GitEntry& b) { return a.path < b.path; });
  return listing;
}

bool Libgit2Objects::Size(const std::string& object, size_t& size) {
  git_oid id;
  git_object_t type = GIT_OBJECT_INVALID;
  return git_oid_fromstr(&id, object.c_str()) == 0 && git_odb_read_header(&size, &type, odb_.get(), &id) == 0 &&
         type == GIT_OBJECT_BLOB;
}

bool Libgit2Objects::Read(const std::string& object, size_t max_bytes, std::string& out) {
  size_t size = 0;
  if (!Size(object, size) || size > max_bytes) return false;
  git_oid id;
  git_odb_object* raw = nullptr;
  if (git_oid_fromstr(&id, object.c_str()) != 0 || git_odb_read(&raw, odb_.get(), &id) != 0) return false;
  const git2::OdbObject read(raw);
  out.append(static_cast<const char*>(git_odb_object_data(raw)), git_odb_object_size(raw));
  return true;
}

}  // namespace

std::unique_ptr<GitObjects> GitObjects::Open(const std::filesystem::path& folder) {
  if (!git2::Start()) return nullptr;
  git_odb* raw_odb = nullptr;
  if (git_odb_new(&raw_odb) != 0) return nullptr;
  git2::Odb odb(raw_odb);
  git_repository* raw_repository = nullptr;
  if (git_repository_wrap_odb(&raw_repository, raw_odb) != 0) return nullptr;
  return std::make_unique<Libgit2Objects>(folder, std::move(odb), git2::Repository(raw_repository));
}

}  // namespace yardmaster
