#include "services/workflow/journal.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/git/index_lock.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {
namespace {

namespace fs = std::filesystem;

// A commit may renew the years of many files.
constexpr size_t kMaxOperationBytes = 64ULL * 1024 * 1024;

fs::path FolderOf(const GitClone& clone) { return clone.common_dir() / "yardmaster"; }

absl::StatusOr<Operation> ReadOperation(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(file, kMaxOperationBytes));
  std::optional<Operation> operation = ParseOperation(text);
  // Its other files are found by its id.
  if (!operation || operation->id != file.stem()) return errors::OperationUnreadable(file.string());
  return *std::move(operation);
}

fs::path IndexFile(const GitClone& clone, const std::string& id, std::string_view when) {
  return FolderOf(clone) / absl::StrCat(id, ".index.", Abs(when));
}

std::string HeadsRef(std::string_view branch) { return absl::StrCat("refs/heads/", Abs(branch)); }

// A name for what there was, which is nobody's branch.
bool IsBackup(const GitRefChange& change) { return change.ref.starts_with("refs/yardmaster/"); }

GitRefChange Reversed(const GitRefChange& change) { return {change.ref, change.new_id, change.old_id}; }

}  // namespace

absl::StatusOr<std::vector<Operation>> ReadJournal(const GitClone& clone) {
  std::vector<Operation> operations;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(FolderOf(clone), error)) {
    if (entry.path().extension() != ".json") continue;
    ASSIGN_OR_RETURN(Operation operation, ReadOperation(entry.path()));
    operations.push_back(std::move(operation));
  }
  // A tenth operation of one second comes behind the ninth.
  absl::c_sort(operations, [](const Operation& a, const Operation& b) {
    const size_t a_time = a.id.find('-');
    const size_t b_time = b.id.find('-');
    const int order = a.id.compare(0, a_time, b.id, 0, b_time);
    return order != 0 ? order < 0 : a.id.size() != b.id.size() ? a.id.size() < b.id.size() : a.id < b.id;
  });
  return operations;
}

const Operation* PartBefore(const std::vector<Operation>& operations, const Operation& operation) {
  for (const Operation& one : operations) {
    if (!operation.part_of.empty() && one.id == operation.part_of && one.state == Operation::State::kDone) return &one;
  }
  return nullptr;
}

absl::Status WhyNotUndoable(GitClone& clone, const Operation& operation) {
  // 1. Index and files are those of one work tree and one branch.
  ASSIGN_OR_RETURN(const std::string head, clone.HeadRef());
  if (operation.has_files()) {
    if (operation.work_tree != clone.work_tree()) {
      return errors::OperationOfWorkTree(operation.id, clone.WorkTreePath(operation.work_tree).string());
    }
    if (head != HeadsRef(operation.branch)) return errors::OperationOfBranch(operation.id, operation.branch);
  }
  // 2. Refs are where they were put, and nobody works on a branch that would get other files or none at all.
  for (const GitRefChange& change : operation.refs) {
    ASSIGN_OR_RETURN(const std::string now, clone.Ref(change.ref));
    if (now != change.new_id) return errors::GitRefMoved(change.ref);
    if (IsBackup(change) || now.empty()) continue;
    ASSIGN_OR_RETURN(const bool elsewhere, clone.CheckedOutElsewhere(change.ref));
    const bool files_follow = operation.has_files() && !elsewhere;
    if (files_follow || (!elsewhere && head != change.ref)) continue;
    bool same = false;
    if (!change.old_id.empty()) {
      ASSIGN_OR_RETURN(same, clone.SameFiles(change.old_id, change.new_id));
    }
    if (!same) return errors::GitBranchCheckedOut(change.ref.substr(HeadsRef("").size()));
  }
  // 3. What is staged is what the operation staged.
  if (!operation.index) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool same, clone.SameIndex(clone.index_file(), IndexFile(clone, operation.id, "after")));
  return same ? absl::OkStatus() : errors::GitIndexChanged();
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(GitClone& clone) {
  absl::StatusOr<std::unique_ptr<DataDirLock>> lock = DataDirLock::Take(FolderOf(clone));
  if (absl::IsFailedPrecondition(lock.status())) {
    return errors::WorkflowRunning((FolderOf(clone) / DataDirLock::kFileName).string());
  }
  if (!lock.ok()) return lock.status();
  std::unique_ptr<Journal> journal(new Journal(clone, *std::move(lock)));
  ASSIGN_OR_RETURN(journal->operations_, ReadJournal(clone));
  journal->RemoveLeftovers();
  for (Operation& operation : journal->operations_) RETURN_IF_ERROR(journal->Settle(operation));
  return journal;
}

std::string Journal::NewId(std::string_view time) const {
  for (size_t n = 1;; ++n) {
    std::string id = absl::StrCat(Abs(time), "-", n);
    if (absl::c_none_of(operations_, [&id](const Operation& one) { return one.id == id; })) return id;
  }
}

absl::Status Journal::Write(const Operation& operation) const {
  return WriteFileAtomically(FolderOf(clone_) / (operation.id + ".json"), OperationText(operation));
}

void Journal::RemoveLeftovers() const {
  std::error_code error;
  // Refs of our own, which only the holder of our lock writes: a lock of git's there is a killed command's.
  std::vector<fs::path> locks;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(clone_.common_dir() / "refs" / "yardmaster", error)) {
    if (entry.path().extension() == ".lock") locks.push_back(entry.path());
  }
  for (const fs::path& lock : locks) fs::remove(lock, error);
  RemoveKilledLock(clone_.index_file(), folder());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder(), error)) {
    const std::string name = entry.path().filename().string();
    const bool wanted = name == DataDirLock::kFileName || absl::c_any_of(operations_, [&](const Operation& one) {
                          const bool has_files = one.state != Operation::State::kUndone;
                          return name == one.id + ".json" || (has_files && name.starts_with(one.id + "."));
                        });
    // One that has another name may be the lock of another work tree, where it is to be known.
    if (!wanted && entry.hard_link_count(error) == 1) fs::remove(entry.path(), error);
  }
}

fs::path Journal::IndexBefore(const std::string& id) const { return IndexFile(clone_, id, "before"); }
fs::path Journal::IndexAfter(const std::string& id) const { return IndexFile(clone_, id, "after"); }
fs::path Journal::OwnOfLock() const { return folder() / absl::StrCat("index-of-", clone_.work_tree()); }

absl::StatusOr<Journal::Places> Journal::PlacesOf(const Operation& operation) {
  Places places;
  places.all = operation.refs.size() + (operation.index ? 1 : 0);
  for (const GitRefChange& change : operation.refs) {
    ASSIGN_OR_RETURN(const std::string id, clone_.Ref(change.ref));
    places.at_old += id == change.old_id ? 1 : 0;
    places.at_new += id == change.new_id ? 1 : 0;
  }
  if (operation.index) {
    ASSIGN_OR_RETURN(const bool is_old, clone_.SameIndex(clone_.index_file(), IndexBefore(operation.id)));
    ASSIGN_OR_RETURN(const bool is_new, clone_.SameIndex(clone_.index_file(), IndexAfter(operation.id)));
    places.at_old += is_old ? 1 : 0;
    places.at_new += is_new ? 1 : 0;
  }
  return places;
}

absl::Status Journal::NothingInTheWay(const std::string& from, const std::string& to) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, clone_.InTheWay(from, to));
  return paths.empty() ? absl::OkStatus() : errors::GitFilesInTheWay(absl::StrJoin(paths, ", "));
}

absl::Status Journal::TakeIndexBack(const Operation& operation) {
  ASSIGN_OR_RETURN(const bool changed, clone_.SameIndex(clone_.index_file(), IndexAfter(operation.id)));
  if (!changed) return absl::OkStatus();
  return clone_.ReplaceIndex(IndexAfter(operation.id), IndexBefore(operation.id), OwnOfLock());
}

absl::Status Journal::TakeRefsBack(const Operation& operation, bool backups) {
  for (auto change = operation.refs.rbegin(); change != operation.refs.rend(); ++change) {
    if (IsBackup(*change) != backups) continue;
    ASSIGN_OR_RETURN(const std::string id, clone_.Ref(change->ref));
    if (id != change->new_id) continue;
    RETURN_IF_ERROR(
        clone_.MoveRef(Reversed(*change), absl::StrCat("yard workflow: ", operation.command, " taken back")));
  }
  return absl::OkStatus();
}

absl::Status Journal::TakeBack(const Operation& operation, bool may_be_torn) {
  // What somebody may be against comes first, and the names of what there was go last.
  if (!operation.checkout_to.empty()) {
    if (may_be_torn) RETURN_IF_ERROR(clone_.RemoveTornFiles(operation.checkout_from, operation.checkout_to));
    RETURN_IF_ERROR(clone_.Checkout(operation.checkout_to, operation.checkout_from, OwnOfLock()));
  }
  if (operation.index) RETURN_IF_ERROR(TakeIndexBack(operation));
  for (const FileChange& file : operation.files) {
    RETURN_IF_ERROR(clone_.ReplaceFile(file.path, file.new_id, file.old_id));
  }
  RETURN_IF_ERROR(TakeRefsBack(operation, /*backups=*/false));
  return TakeRefsBack(operation, /*backups=*/true);
}

absl::StatusOr<bool> Journal::IsLeft(const Operation& operation) const {
  if (!operation.has_files()) return false;
  if (operation.work_tree != clone_.work_tree()) {
    const fs::path there = clone_.WorkTreePath(operation.work_tree);
    if (!there.empty()) return errors::OperationOfWorkTree(operation.id, there.string());
    return true;
  }
  ASSIGN_OR_RETURN(const std::string head, clone_.HeadRef());
  return head != HeadsRef(operation.branch);
}

absl::StatusOr<bool> Journal::SettleLeft(const Operation& operation) {
  bool branch_moved = false;
  bool named = false;
  for (const GitRefChange& change : operation.refs) {
    ASSIGN_OR_RETURN(const std::string id, clone_.Ref(change.ref));
    if (id == change.new_id) (IsBackup(change) ? named : branch_moved) = true;
  }
  // Index and files change after the backups have their names, and are back before the branch is.
  if (operation.state == Operation::State::kBegun) return branch_moved || named;
  if (!branch_moved) RETURN_IF_ERROR(TakeRefsBack(operation, /*backups=*/true));
  return branch_moved;
}

absl::Status Journal::Settle(Operation& operation) {
  const bool begun = operation.state == Operation::State::kBegun;
  if (!begun && operation.state != Operation::State::kUndoing) return absl::OkStatus();
  bool stays = false;
  ASSIGN_OR_RETURN(const bool left, IsLeft(operation));
  if (left) {
    ASSIGN_OR_RETURN(stays, SettleLeft(operation));
  } else {
    if (begun) {
      ASSIGN_OR_RETURN(const Places places, PlacesOf(operation));
      // Once the killed command has moved all, or somebody has moved a ref since, the work and its backup stay.
      stays = places.at_new == places.all || places.at_old + places.at_new < places.all;
    }
    if (!stays) RETURN_IF_ERROR(TakeBack(operation, /*may_be_torn=*/true));
  }
  operation.state = stays ? Operation::State::kDone : Operation::State::kUndone;
  return Write(operation);
}

absl::Status Journal::Carry(const Operation& operation, Operation& made) {
  const auto move = [&](bool backups) -> absl::Status {
    for (const GitRefChange& change : operation.refs) {
      if (IsBackup(change) != backups) continue;
      RETURN_IF_ERROR(clone_.MoveRef(change, absl::StrCat("yard workflow: ", operation.command)));
      made.refs.push_back(change);
    }
    return absl::OkStatus();
  };
  // What there was has a name before anything changes.
  RETURN_IF_ERROR(move(/*backups=*/true));
  if (operation.index) {
    RETURN_IF_ERROR(clone_.ReplaceIndex(IndexBefore(operation.id), IndexAfter(operation.id), OwnOfLock()));
    made.index = true;
  }
  for (const FileChange& file : operation.files) {
    RETURN_IF_ERROR(clone_.ReplaceFile(file.path, file.old_id, file.new_id));
    made.files.push_back(file);
  }
  if (!operation.checkout_to.empty()) {
    // It is refused before anything is touched; where it breaks, what it has done is to be taken back.
    RETURN_IF_ERROR(NothingInTheWay(operation.checkout_from, operation.checkout_to));
    const absl::Status done = clone_.Checkout(operation.checkout_from, operation.checkout_to, OwnOfLock());
    if (done.ok() || absl::IsInternal(done)) {
      made.checkout_from = operation.checkout_from;
      made.checkout_to = operation.checkout_to;
    }
    RETURN_IF_ERROR(done);
  }
  return move(/*backups=*/false);
}

absl::Status Journal::Do(Operation operation) {
  operation.state = Operation::State::kBegun;
  operation.work_tree = operation.has_files() ? clone_.work_tree() : "";
  RETURN_IF_ERROR(Write(operation));
  Operation made;
  made.id = operation.id;
  made.command = operation.command;
  absl::Status done = Carry(operation, made);
  if (!done.ok()) RETURN_IF_ERROR(TakeBack(made, /*may_be_torn=*/true));
  operation.state = done.ok() ? Operation::State::kDone : Operation::State::kUndone;
  RETURN_IF_ERROR(Write(operation));
  operations_.push_back(std::move(operation));
  return done;
}

const Operation* Journal::Find(const std::string& id) const {
  const auto found = absl::c_find_if(operations_, [&id](const Operation& one) { return one.id == id; });
  return found == operations_.end() ? nullptr : &*found;
}

absl::Status Journal::NotePushed(const std::string& branch, const std::string& commit) {
  const std::string ref = HeadsRef(branch);
  for (Operation& operation : operations_) {
    const bool is_it = absl::c_any_of(
        operation.refs, [&](const GitRefChange& change) { return change.ref == ref && change.new_id == commit; });
    if (operation.push_to.empty() || !is_it) continue;
    operation.push_to.clear();
    RETURN_IF_ERROR(Write(operation));
  }
  return absl::OkStatus();
}

absl::Status Journal::Undo(const std::string& id) {
  const auto operation = absl::c_find_if(operations_, [&id](const Operation& one) { return one.id == id; });
  if (operation == operations_.end() || operation->state != Operation::State::kDone) {
    return errors::OperationUnknown(id);
  }
  RETURN_IF_ERROR(WhyNotUndoable(clone_, *operation));
  if (!operation->checkout_to.empty()) {
    RETURN_IF_ERROR(NothingInTheWay(operation->checkout_to, operation->checkout_from));
  }
  operation->state = Operation::State::kUndoing;
  RETURN_IF_ERROR(Write(*operation));
  absl::Status back = TakeBack(*operation, /*may_be_torn=*/false);
  if (!back.ok()) {
    ASSIGN_OR_RETURN(const Places places, PlacesOf(*operation));
    // What has begun is finished by the next command.
    if (places.at_new < places.all) return back;
  }
  operation->state = back.ok() ? Operation::State::kUndone : Operation::State::kDone;
  RETURN_IF_ERROR(Write(*operation));
  return back;
}

}  // namespace yardmaster::workflow
