#include "services/workflow/journal.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxOperationBytes = 1024 * 1024;
constexpr size_t kMaxIndexBytes = 1024ULL * 1024 * 1024;

fs::path FolderOf(const GitClone& clone) { return clone.common_dir() / "yardmaster"; }

absl::StatusOr<Operation> ReadOperation(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(file, kMaxOperationBytes));
  std::optional<Operation> operation = ParseOperation(text);
  // Its other files are found by its id.
  if (!operation || operation->id != file.stem()) return errors::OperationUnreadable(file.string());
  return *std::move(operation);
}

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

absl::StatusOr<std::vector<std::string>> OwedPushes(GitClone& clone, const std::vector<Operation>& operations) {
  std::vector<std::string> owed;
  for (const Operation& operation : operations) {
    if (operation.push_to.empty() || operation.state != Operation::State::kDone) continue;
    const std::string ref = "refs/heads/" + operation.branch;
    const auto moved =
        absl::c_find_if(operation.refs, [&ref](const GitRefChange& change) { return change.ref == ref; });
    if (moved == operation.refs.end()) continue;
    ASSIGN_OR_RETURN(const std::string here, clone.Ref(ref));
    ASSIGN_OR_RETURN(const std::string there,
                     clone.Ref(absl::StrCat("refs/remotes/", operation.push_to, "/", operation.branch)));
    if (here != moved->new_id || there == moved->new_id) continue;
    // What it pushes takes the place of what is there.
    const bool replaces = !operation.checkout_to.empty() || operation.command == "squash";
    owed.push_back(absl::StrCat(operation.command, " ", operation.id, " ended before ", operation.branch,
                                " was pushed: git push ", replaces ? "--force-with-lease " : "", operation.push_to, " ",
                                operation.branch));
  }
  return owed;
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
  for (const fs::directory_entry& entry : fs::directory_iterator(folder(), error)) {
    const std::string name = entry.path().filename().string();
    const bool wanted = name == DataDirLock::kFileName || absl::c_any_of(operations_, [&](const Operation& one) {
                          const bool has_files = one.state != Operation::State::kUndone;
                          return name == one.id + ".json" || (has_files && name.starts_with(one.id + "."));
                        });
    if (!wanted) fs::remove(entry.path(), error);
  }
}

fs::path Journal::IndexBefore(const std::string& id) const { return folder() / (id + ".index.before"); }
fs::path Journal::IndexAfter(const std::string& id) const { return folder() / (id + ".index.after"); }

absl::StatusOr<Journal::Places> Journal::PlacesOf(const Operation& operation) {
  Places places;
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

absl::Status Journal::Checkout(const std::string& from, const std::string& to) const {
  RETURN_IF_ERROR(NothingInTheWay(from, to));
  return clone_.Checkout(from, to);
}

absl::Status Journal::TakeIndexBack(const Operation& operation) {
  // A lock that a killed command left has the content of one of our two files.
  const fs::path lock = clone_.index_file().string() + ".lock";
  std::error_code error;
  if (fs::exists(lock, error)) {
    ASSIGN_OR_RETURN(const std::string held, ReadSmallFile(lock, kMaxIndexBytes));
    for (const fs::path& own : {IndexBefore(operation.id), IndexAfter(operation.id)}) {
      ASSIGN_OR_RETURN(const std::string content, ReadSmallFile(own, kMaxIndexBytes));
      if (content == held) fs::remove(lock, error);
    }
  }
  ASSIGN_OR_RETURN(const bool changed, clone_.SameIndex(clone_.index_file(), IndexAfter(operation.id)));
  if (!changed) return absl::OkStatus();
  return clone_.ReplaceIndex(IndexAfter(operation.id), IndexBefore(operation.id));
}

absl::Status Journal::TakeBack(const Operation& operation) {
  for (auto change = operation.refs.rbegin(); change != operation.refs.rend(); ++change) {
    ASSIGN_OR_RETURN(const std::string id, clone_.Ref(change->ref));
    if (id != change->new_id) continue;
    RETURN_IF_ERROR(
        clone_.MoveRef(Reversed(*change), absl::StrCat("yard workflow: ", operation.command, " taken back")));
  }
  if (!operation.checkout_to.empty()) {
    RETURN_IF_ERROR(clone_.RemoveTornFiles(operation.checkout_from, operation.checkout_to));
    RETURN_IF_ERROR(clone_.Checkout(operation.checkout_to, operation.checkout_from));
  }
  for (const FileChange& file : operation.files) {
    RETURN_IF_ERROR(clone_.ReplaceFile(file.path, file.new_id, file.old_id));
  }
  return operation.index ? TakeIndexBack(operation) : absl::OkStatus();
}

absl::Status Journal::Settle(Operation& operation) {
  if (operation.state == Operation::State::kBegun) {
    ASSIGN_OR_RETURN(const Places places, PlacesOf(operation));
    const size_t all = operation.refs.size() + (operation.index ? 1 : 0);
    // Once the killed command has moved all, or somebody has moved a ref since, the work and its backup stay.
    const bool stays = places.at_new == all || places.at_old + places.at_new < all;
    if (!stays) RETURN_IF_ERROR(TakeBack(operation));
    operation.state = stays ? Operation::State::kDone : Operation::State::kUndone;
    return Write(operation);
  }
  if (operation.state == Operation::State::kUndoing) {
    RETURN_IF_ERROR(TakeBack(operation));
    operation.state = Operation::State::kUndone;
    return Write(operation);
  }
  return absl::OkStatus();
}

absl::Status Journal::Do(Operation operation) {
  operation.state = Operation::State::kBegun;
  RETURN_IF_ERROR(Write(operation));
  absl::Status moved =
      operation.index ? clone_.ReplaceIndex(IndexBefore(operation.id), IndexAfter(operation.id)) : absl::OkStatus();
  const bool has_index = operation.index && moved.ok();
  for (const FileChange& file : operation.files) {
    if (moved.ok()) moved = clone_.ReplaceFile(file.path, file.old_id, file.new_id);
  }
  if (moved.ok() && !operation.checkout_to.empty()) {
    moved = Checkout(operation.checkout_from, operation.checkout_to);
    // Refused before anything was touched.
    if (!moved.ok()) operation.checkout_to.clear();
  }
  size_t count = 0;
  for (; count < operation.refs.size() && moved.ok(); ++count) {
    moved = clone_.MoveRef(operation.refs[count], absl::StrCat("yard workflow: ", operation.command));
  }
  if (!moved.ok()) {
    // The last one did not move, whatever its place looks like.
    operation.refs.resize(count == 0 ? 0 : count - 1);
    operation.index = has_index;
    RETURN_IF_ERROR(TakeBack(operation));
  }
  operation.state = moved.ok() ? Operation::State::kDone : Operation::State::kUndone;
  RETURN_IF_ERROR(Write(operation));
  operations_.push_back(std::move(operation));
  return moved;
}

absl::Status Journal::NotePushed(const std::string& id) {
  const auto operation = absl::c_find_if(operations_, [&id](const Operation& one) { return one.id == id; });
  if (operation == operations_.end()) return errors::OperationUnknown(id);
  operation->push_to.clear();
  return Write(*operation);
}

absl::Status Journal::Undo(const std::string& id) {
  const auto operation = absl::c_find_if(operations_, [&id](const Operation& one) { return one.id == id; });
  if (operation == operations_.end() || operation->state != Operation::State::kDone) {
    return errors::OperationUnknown(id);
  }
  for (const GitRefChange& change : operation->refs) {
    ASSIGN_OR_RETURN(const std::string now, clone_.Ref(change.ref));
    if (now != change.new_id) return errors::GitRefMoved(change.ref);
  }
  if (operation->index) {
    ASSIGN_OR_RETURN(const bool same, clone_.SameIndex(clone_.index_file(), IndexAfter(id)));
    if (!same) return errors::GitIndexChanged();
  }
  if (!operation->checkout_to.empty()) {
    RETURN_IF_ERROR(NothingInTheWay(operation->checkout_to, operation->checkout_from));
  }
  operation->state = Operation::State::kUndoing;
  RETURN_IF_ERROR(Write(*operation));
  RETURN_IF_ERROR(TakeBack(*operation));
  operation->state = Operation::State::kUndone;
  return Write(*operation);
}

}  // namespace yardmaster::workflow
