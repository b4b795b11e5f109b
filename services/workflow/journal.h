// The journal of a clone, in `.git/yardmaster/`: each operation is written down before it acts. Whoever opens it finds
// what a killed command left, and finishes it or takes it back.
#ifndef YARDMASTER_SERVICES_WORKFLOW_JOURNAL_H_
#define YARDMASTER_SERVICES_WORKFLOW_JOURNAL_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_clone.h"
#include "services/core/data_dir_lock.h"
#include "services/workflow/operation.h"

namespace yardmaster::workflow {

// All operations, oldest first. Takes no lock and writes nothing.
absl::StatusOr<std::vector<Operation>> ReadJournal(const GitClone& clone);

// What the same command did before; nullptr: nothing that is still done.
const Operation* PartBefore(const std::vector<Operation>& operations, const Operation& operation);

// Why an operation that is done can't be undone now, apart from what libgit2 finds in the way of files: a ref is not
// where it was put, other things are staged, another work tree or branch is checked out, or a branch that would go or
// get other files is. Writes nothing.
absl::Status WhyNotUndoable(GitClone& clone, const Operation& operation);

// Holds the journal's lock as long as it lives.
class Journal {
 public:
  // Settles what was left unfinished. ABORTED: another command works in this clone.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(GitClone& clone);

  // Oldest first.
  const std::vector<Operation>& operations() const { return operations_; }
  // An id that no operation has; `time` is "YYYYMMDDTHHMMSSZ".
  std::string NewId(std::string_view time) const;

  // Where an operation that changes the index puts the index that it found, and the one that it makes, before Do.
  std::filesystem::path IndexBefore(const std::string& id) const;
  std::filesystem::path IndexAfter(const std::string& id) const;
  // Room for files of one operation; what begins with its id goes with it.
  const std::filesystem::path& folder() const { return lock_->dir(); }

  // Writes the operation down, gives the backups their names, changes index and files, and moves the branch: all, or
  // nothing if a part of it can't be done.
  absl::Status Do(Operation operation);
  // The operation of that id; nullptr: there is none.
  const Operation* Find(const std::string& id) const;
  // The commit has come to the remote as the branch: no operation owes its push any more.
  absl::Status NotePushed(const std::string& branch, const std::string& commit);
  // Takes a done operation back: all of it, or nothing where WhyNotUndoable says so or files are in the way.
  absl::Status Undo(const std::string& id);

 private:
  Journal(GitClone& clone, std::unique_ptr<DataDirLock> lock) : clone_(clone), lock_(std::move(lock)) {}

  // What a lock of this work tree's index has of its own; see IndexLock.
  std::filesystem::path OwnOfLock() const;
  // Removes files and locks of commands that were killed before they had an operation, and files of operations that are
  // undone.
  void RemoveLeftovers() const;
  absl::Status Settle(Operation& operation);
  // How much of the operation is where it found it, and how much where it puts it.
  struct Places {
    size_t at_old = 0;
    size_t at_new = 0;
    size_t all = 0;
  };
  absl::StatusOr<Places> PlacesOf(const Operation& operation);
  // Whether somebody has moved on since an operation was cut short: its work tree is gone, or it has another branch
  // now. FAILED_PRECONDITION: it is another work tree, where this is to be settled.
  absl::StatusOr<bool> IsLeft(const Operation& operation) const;
  // Settles such an operation without a look at index and files; whether it stays.
  absl::StatusOr<bool> SettleLeft(const Operation& operation);
  // Does it, and notes in `made` what of it is done.
  absl::Status Carry(const Operation& operation, Operation& made);
  // Undoes what of the operation has been done. `may_be_torn`: somebody was cut short while files were written.
  absl::Status TakeBack(const Operation& operation, bool may_be_torn);
  absl::Status TakeRefsBack(const Operation& operation, bool backups);
  absl::Status NothingInTheWay(const std::string& from, const std::string& to) const;
  absl::Status TakeIndexBack(const Operation& operation);
  absl::Status Write(const Operation& operation) const;

  GitClone& clone_;
  const std::unique_ptr<DataDirLock> lock_;
  std::vector<Operation> operations_;
};

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_JOURNAL_H_
