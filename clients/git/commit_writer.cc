#include "clients/git/commit_writer.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"

namespace yardmaster::git2 {
namespace {

// Of a replay that stops: enough to see what it is about.
constexpr size_t kMaxConflictFiles = 3;
constexpr size_t kMaxHunkBytes = 1'500;

absl::Status Damaged() { return errors::GitRepositoryDamaged(LastError()); }

// The parts of a merged file that lie between markers.
std::string HunksOf(std::string_view merged) {
  std::string hunks;
  bool inside = false;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(Abs(merged), '\n'))) {
    inside = inside || line.starts_with("<<<<<<< ");
    if (inside) hunks.append(line).push_back('\n');
    inside = inside && !line.starts_with(">>>>>>> ");
  }
  return std::string(CutUtf8(hunks, kMaxHunkBytes));
}

GitConflict ConflictOf(git_repository& repository, const git_index_entry* ancestor, const git_index_entry* ours,
                       const git_index_entry* theirs) {
  const git_index_entry* const any = ours != nullptr ? ours : theirs != nullptr ? theirs : ancestor;
  GitConflict conflict{any->path, {}};
  if (ours == nullptr || theirs == nullptr) return conflict;
  git_merge_file_options options;
  git_merge_file_options_init(&options, GIT_MERGE_FILE_OPTIONS_VERSION);
  options.our_label = "the branch that it goes to";
  options.their_label = "this commit";
  git_merge_file_result merged;
  if (git_merge_file_from_index(&merged, &repository, ancestor, ours, theirs, &options) != 0) return conflict;
  const std::string_view text(merged.ptr, merged.len);
  if (text.find('\0') == text.npos) conflict.hunks = HunksOf(text);
  git_merge_file_result_free(&merged);
  return conflict;
}

void NoteConflicts(git_repository& repository, git_index& index, GitReplay& replay) {
  git_index_conflict_iterator* raw = nullptr;
  if (git_index_conflict_iterator_new(&raw, &index) != 0) return;
  const Owned<git_index_conflict_iterator, git_index_conflict_iterator_free> conflicts(raw);
  const git_index_entry* ancestor = nullptr;
  const git_index_entry* ours = nullptr;
  const git_index_entry* theirs = nullptr;
  while (git_index_conflict_next(&ancestor, &ours, &theirs, conflicts.get()) == 0) {
    GitConflict conflict{(ours != nullptr ? ours : theirs != nullptr ? theirs : ancestor)->path, {}};
    if (!replay.conflicts.empty() && replay.conflicts.back() == conflict.path) continue;
    if (replay.hunks.size() < kMaxConflictFiles) {
      replay.hunks.push_back(ConflictOf(repository, ancestor, ours, theirs));
    }
    replay.conflicts.push_back(std::move(conflict.path));
  }
}

bool IsFile(const git_tree_entry& entry) {
  const git_filemode_t mode = git_tree_entry_filemode(&entry);
  return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE || mode == GIT_FILEMODE_LINK;
}
bool IsSame(const git_tree_entry& a, const git_tree_entry& b) {
  return git_oid_equal(git_tree_entry_id(&a), git_tree_entry_id(&b)) != 0 &&
         git_tree_entry_filemode(&a) == git_tree_entry_filemode(&b);
}

// A commit that adds files where there are none and changes those that are still what it found: its files are taken
// over as they are, and nothing has to be merged. That is most of a rebase, and costs what changes, not what there is.
class TakeOver {
 public:
  explicit TakeOver(git_repository& repository) : repository_(repository) {}

  // The id of the tree; nullopt: it needs a merge.
  std::optional<git_oid> TreeFor(const git_commit& commit, const git_commit& onto) {
    int code = 0;
    const auto parent = Get<Commit>(code, git_commit_parent, &commit, 0U);
    if (code != 0) return std::nullopt;
    const auto before = Get<git2::Tree>(code, git_commit_tree, parent.get());
    if (code != 0) return std::nullopt;
    const auto after = Get<git2::Tree>(code, git_commit_tree, &commit);
    if (code != 0) return std::nullopt;
    const auto there = Get<git2::Tree>(code, git_commit_tree, &onto);
    if (code != 0 || !Compare(before.get(), after.get(), there.get(), "")) return std::nullopt;
    std::vector<git_tree_update> updates;
    updates.reserve(files_.size());
    for (const File& file : files_) updates.push_back({GIT_TREE_UPDATE_UPSERT, file.id, file.mode, file.path.c_str()});
    git_oid made = *git_tree_id(there.get());
    if (updates.empty()) return made;
    const int written = git_tree_create_updated(&made, &repository_, there.get(), updates.size(), updates.data());
    return written == 0 ? std::optional(made) : std::nullopt;
  }

 private:
  struct File {
    std::string path;
    git_oid id;
    git_filemode_t mode;
  };

  // Notes the files that differ; false: it needs a merge. `before` and `there` may be null: there is no such folder.
  bool Compare(const git_tree* before, const git_tree* after, const git_tree* there, const std::string& prefix) {
    const size_t removed = before == nullptr ? 0 : git_tree_entrycount(before);
    for (size_t i = 0; i < removed; ++i) {
      if (git_tree_entry_byname(after, git_tree_entry_name(git_tree_entry_byindex(before, i))) == nullptr) return false;
    }
    for (size_t i = 0; i < git_tree_entrycount(after); ++i) {
      if (!CompareEntry(before, *git_tree_entry_byindex(after, i), there, prefix)) return false;
    }
    return true;
  }
  bool CompareEntry(const git_tree* before, const git_tree_entry& entry, const git_tree* there,
                    const std::string& prefix) {
    const char* const name = git_tree_entry_name(&entry);
    const git_tree_entry* const was = before == nullptr ? nullptr : git_tree_entry_byname(before, name);
    const git_tree_entry* const here = there == nullptr ? nullptr : git_tree_entry_byname(there, name);
    if (was != nullptr && IsSame(*was, entry)) return true;
    std::string path = prefix + name;
    if (git_tree_entry_type(&entry) == GIT_OBJECT_TREE) {
      git2::Tree old_tree;
      git2::Tree new_tree;
      git2::Tree here_tree;
      const bool are_folders = Below(&entry, new_tree) && Below(was, old_tree) && Below(here, here_tree);
      return are_folders && Compare(old_tree.get(), new_tree.get(), here_tree.get(), path + "/");
    }
    const bool as_found = was == nullptr ? here == nullptr : here != nullptr && IsFile(*was) && IsSame(*was, *here);
    if (!IsFile(entry) || !as_found) return false;
    files_.push_back({std::move(path), *git_tree_entry_id(&entry), git_tree_entry_filemode(&entry)});
    return true;
  }
  // The folder that an entry names; none where there is no entry. False: it names something else.
  bool Below(const git_tree_entry* entry, git2::Tree& tree) const {
    if (entry == nullptr) return true;
    if (git_tree_entry_type(entry) != GIT_OBJECT_TREE) return false;
    int code = 0;
    tree = Get<git2::Tree>(code, git_tree_lookup, &repository_, git_tree_entry_id(entry));
    return code == 0;
  }

  git_repository& repository_;
  std::vector<File> files_;
};

// What `commit` does, on top of `onto`.
Index PickOnto(git_repository& repository, git_commit* commit, git_commit* onto, int& code) {
  git_merge_options options;
  git_merge_options_init(&options, GIT_MERGE_OPTIONS_VERSION);
  auto merged = Get<Index>(code, git_cherrypick_commit, &repository, commit, onto, 0U, &options);
  if (code != GIT_ENOTFOUND) return merged;
  // A cache lacks files that only a search for renames reads.
  options.flags &= ~static_cast<uint32_t>(GIT_MERGE_FIND_RENAMES);
  return Get<Index>(code, git_cherrypick_commit, &repository, commit, onto, 0U, &options);
}

absl::StatusOr<std::string> CreateCommit(git_repository& repository, const git_signature& committer,
                                         const CommitParts& parts, const CommitMaker& make) {
  if (make) return make(parts);
  const git_commit* parents[] = {parts.parent};
  git_oid made;
  const int code = git_commit_create(&made, &repository, nullptr, parts.author, &committer, parts.encoding,
                                     parts.message.c_str(), parts.tree, 1, parents);
  if (code != 0) return Damaged();
  return Hex(made);
}

}  // namespace

absl::StatusOr<Commit> LookUpCommit(git_repository& repository, const std::string& id) {
  git_oid oid;
  if (git_oid_fromstr(&oid, id.c_str()) != 0) return errors::GitRevisionUnknown(id);
  int code = 0;
  auto commit = Get<Commit>(code, git_commit_lookup, &repository, &oid);
  if (code != 0) return code == GIT_ENOTFOUND ? errors::GitRevisionUnknown(id) : Damaged();
  return commit;
}

absl::StatusOr<std::string> WriteCommit(git_repository& repository, const git_signature& committer,
                                        const GitNewCommit& commit, const CommitMaker& make) {
  ASSIGN_OR_RETURN(const Commit content, LookUpCommit(repository, commit.tree_of));
  ASSIGN_OR_RETURN(const Commit parent, LookUpCommit(repository, commit.parent));
  ASSIGN_OR_RETURN(const Commit authored, LookUpCommit(repository, commit.author_of));
  int code = 0;
  const auto tree = Get<Tree>(code, git_commit_tree, content.get());
  if (code != 0) return Damaged();
  return CreateCommit(repository, committer,
                      {git_commit_author(authored.get()), nullptr, commit.message, tree.get(), parent.get()}, make);
}

absl::StatusOr<GitReplay> ReplayCommits(git_repository& repository, const git_signature& committer,
                                        const std::vector<std::string>& commits, const std::string& onto,
                                        const std::string& trailer, const CommitMaker& make) {
  GitReplay replay;
  replay.tip = onto;
  int code = 0;
  for (const std::string& id : commits) {
    ASSIGN_OR_RETURN(const Commit commit, LookUpCommit(repository, id));
    ASSIGN_OR_RETURN(const Commit parent, LookUpCommit(repository, replay.tip));
    if (git_commit_parentcount(commit.get()) > 1) return errors::GitMergeInRange(id);
    git_oid tree_id;
    if (const std::optional<git_oid> taken = TakeOver(repository).TreeFor(*commit, *parent)) {
      tree_id = *taken;
    } else {
      const Index merged = PickOnto(repository, commit.get(), parent.get(), code);
      if (code != 0) return Damaged();
      if (git_index_has_conflicts(merged.get()) != 0) {
        replay.stopped_at = id;
        NoteConflicts(repository, *merged, replay);
        return replay;
      }
      if (git_index_write_tree_to(&tree_id, merged.get(), &repository) != 0) return Damaged();
    }
    if (git_oid_equal(&tree_id, git_commit_tree_id(parent.get())) != 0) {
      replay.empty.push_back(id);
      continue;
    }
    const auto tree = Get<Tree>(code, git_tree_lookup, &repository, &tree_id);
    if (code != 0) return Damaged();
    const std::string message =
        absl::StrCat(git_commit_message(commit.get()), absl::StrReplaceAll(trailer, {{"{}", id}}));
    ASSIGN_OR_RETURN(replay.tip,
                     CreateCommit(repository, committer,
                                  {git_commit_author(commit.get()), git_commit_message_encoding(commit.get()), message,
                                   tree.get(), parent.get()},
                                  make));
    replay.commits.push_back(replay.tip);
  }
  return replay;
}

}  // namespace yardmaster::git2
