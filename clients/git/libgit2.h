// libgit2 as C++: its handles freed by themselves, its start, its errors. It is included in the sources of this folder
// only; no header that others read names it.
#ifndef YARDMASTER_CLIENTS_GIT_LIBGIT2_H_
#define YARDMASTER_CLIENTS_GIT_LIBGIT2_H_

#include <git2.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster::git2 {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <typename T, auto kFree>
using Owned = std::unique_ptr<T, Freed<kFree>>;

using Commit = Owned<git_commit, git_commit_free>;
using Diff = Owned<git_diff, git_diff_free>;
using Index = Owned<git_index, git_index_free>;
using Indexer = Owned<git_indexer, git_indexer_free>;
using Object = Owned<git_object, git_object_free>;
using Odb = Owned<git_odb, git_odb_free>;
using OdbObject = Owned<git_odb_object, git_odb_object_free>;
using Repository = Owned<git_repository, git_repository_free>;
using RevWalk = Owned<git_revwalk, git_revwalk_free>;
using Tree = Owned<git_tree, git_tree_free>;
using TreeEntry = Owned<git_tree_entry, git_tree_entry_free>;

// For functions of libgit2 that give a handle by their first parameter: `Get<Tree>(code, git_tree_lookup, …)`. The
// handle is empty if `code` is not 0.
template <typename Handle, typename Function, typename... Arguments>
Handle Get(int& code, Function function, Arguments... arguments) {
  typename Handle::pointer raw = nullptr;
  code = function(&raw, arguments...);
  return Handle(code == 0 ? raw : nullptr);
}

// libgit2 wants to be told once a process; this is safe from several threads. False: it can't be started.
bool Start();

// What the last call that failed on this thread said.
std::string LastError();

// A bare repository, a clone, a linked work tree, or a folder within one; starts libgit2.
absl::StatusOr<Repository> OpenRepository(const std::filesystem::path& path);

// From here on the objects of a folder that is like ".git/objects" are found, too.
absl::Status AddObjectFolder(git_repository& repository, const std::filesystem::path& objects);

std::string Hex(const git_oid& id);

}  // namespace yardmaster::git2

#endif  // YARDMASTER_CLIENTS_GIT_LIBGIT2_H_
