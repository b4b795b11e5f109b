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

// What commands that were killed did not get to push, in words, with the way to do it. Where the branch has moved
// since, or the remote is known to have it, nothing is owed.
absl::StatusOr<std::vector<std::string>> OwedPushes(GitClone& clone, const std::vector<Operation>& operations);

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

  // Writes the operation down, changes the index and moves its refs: all, or nothing if one can't be moved.
  absl::Status Do(Operation operation);
  // The push of a done operation has come there.
  absl::Status NotePushed(const std::string& id);
  // Moves the refs of a done operation back: all, or none if one is no longer where the operation put it.
  absl::Status Undo(const std::string& id);

 private:
  Journal(GitClone& clone, std::unique_ptr<DataDirLock> lock) : clone_(clone), lock_(std::move(lock)) {}

  // Removes files of commands that were killed before they had an operation, and of operations that are undone.
  void RemoveLeftovers() const;
  absl::Status Settle(Operation& operation);
  // How much of the operation is where it found it, and how much where it puts it.
  struct Places {
    size_t at_old = 0;
    size_t at_new = 0;
  };
  absl::StatusOr<Places> PlacesOf(const Operation& operation);
  // Undoes what of the operation has been done.
  absl::Status TakeBack(const Operation& operation);
  absl::Status NothingInTheWay(const std::string& from, const std::string& to) const;
  absl::Status Checkout(const std::string& from, const std::string& to) const;
  absl::Status TakeIndexBack(const Operation& operation);
  absl::Status Write(const Operation& operation) const;

  GitClone& clone_;
  const std::unique_ptr<DataDirLock> lock_;
  std::vector<Operation> operations_;
};

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_JOURNAL_H_
