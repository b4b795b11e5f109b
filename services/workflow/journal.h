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

// Holds the journal's lock as long as it lives.
class Journal {
 public:
  // Settles what was left unfinished. ABORTED: another command works in this clone.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(GitClone& clone);

  // Oldest first.
  const std::vector<Operation>& operations() const { return operations_; }
  // An id that no operation has; `time` is "YYYYMMDDTHHMMSSZ".
  std::string NewId(std::string_view time) const;

  // Writes the operation down and moves its refs: all, or none if one can't be moved.
  absl::Status Do(Operation operation);
  // Moves the refs of a done operation back: all, or none if one is no longer where the operation put it.
  absl::Status Undo(const std::string& id);

 private:
  Journal(GitClone& clone, std::unique_ptr<DataDirLock> lock) : clone_(clone), lock_(std::move(lock)) {}

  absl::Status Settle(Operation& operation);
  absl::Status Write(const Operation& operation) const;

  GitClone& clone_;
  const std::unique_ptr<DataDirLock> lock_;
  std::vector<Operation> operations_;
};

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_JOURNAL_H_
