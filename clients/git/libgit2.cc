#include "clients/git/libgit2.h"

#include <array>

#include "services/core/errors.h"

namespace yardmaster::git2 {
namespace {

bool StartOnce() {
  if (git_libgit2_init() <= 0) return false;
  // Extensions of the format that change nothing for a reader; libgit2 refuses a repository that names one it does not
  // know.
  static std::array<const char*, 3> extensions = {"partialclone", "preciousobjects", "worktreeconfig"};
  git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(), extensions.size());
  // Trees are made in memory of files whose content a partial clone may lack.
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
  // As git itself: digests are checked when a pack is indexed, not at every read.
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
  return true;
}

}  // namespace

bool Start() {
  static const bool kStarted = StartOnce();
  return kStarted;
}

std::string LastError() {
  const git_error* error = git_error_last();
  return error == nullptr || error->message == nullptr ? std::string("unknown") : std::string(error->message);
}

absl::StatusOr<Repository> OpenRepository(const std::filesystem::path& path) {
  if (!Start()) return errors::Internal("libgit2 can't be started");
  int code = 0;
  auto repository = Get<Repository>(code, git_repository_open_ext, path.c_str(), 0, nullptr);
  // Where no configuration has a `safe.directory`, libgit2 1.5 says that this was not found instead of EOWNER.
  if (code == GIT_EOWNER || (code == GIT_ENOTFOUND && git_error_last()->klass == GIT_ERROR_CONFIG)) {
    return errors::GitRepositoryOfAnother(path.string());
  }
  if (code == GIT_ENOTFOUND) return errors::NoGitRepository(path.string());
  if (code != 0) return errors::GitRepositoryUnusable(path.string(), LastError());
  return repository;
}

absl::Status AddObjectFolder(git_repository& repository, const std::filesystem::path& objects) {
  int code = 0;
  const auto database = Get<Odb>(code, git_repository_odb, &repository);
  if (code == 0) code = git_odb_add_disk_alternate(database.get(), objects.c_str());
  return code == 0 ? absl::OkStatus() : errors::GitRepositoryUnusable(objects.string(), LastError());
}

std::string Hex(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

}  // namespace yardmaster::git2
