#include "services/workflow/journal.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMaxOperationBytes = 1024 * 1024;
constexpr std::array<const char*, 4> kStateNames = {"begun", "done", "undoing", "undone"};

fs::path FolderOf(const GitClone& clone) { return clone.common_dir() / "yardmaster"; }

std::string JournalText(const Operation& operation) {
  json refs = json::array();
  for (const GitRefChange& change : operation.refs) {
    refs.push_back({{"ref", change.ref}, {"old", change.old_id}, {"new", change.new_id}});
  }
  return json({{"id", operation.id},
               {"command", operation.command},
               {"branch", operation.branch},
               {"state", kStateNames[static_cast<size_t>(operation.state)]},
               {"refs", std::move(refs)}})
      .dump();
}

// False if a member is absent or no text.
bool TakeText(const json& object, const char* key, std::string& out) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string()) return false;
  out = found->get<std::string>();
  return true;
}

absl::StatusOr<Operation> ReadOperation(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(file, kMaxOperationBytes));
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  Operation operation;
  std::string state;
  bool good = TakeText(document, "id", operation.id) && TakeText(document, "command", operation.command) &&
              TakeText(document, "branch", operation.branch) && TakeText(document, "state", state) &&
              document.contains("refs") && document["refs"].is_array();
  const auto* const name = absl::c_find(kStateNames, state);
  good = good && name != kStateNames.end();
  if (good) {
    operation.state = static_cast<Operation::State>(std::distance(kStateNames.begin(), name));
    for (const json& one : document["refs"]) {
      GitRefChange& change = operation.refs.emplace_back();
      good = good && TakeText(one, "ref", change.ref) && TakeText(one, "old", change.old_id) &&
             TakeText(one, "new", change.new_id);
    }
  }
  if (!good) return errors::OperationUnreadable(file.string());
  return operation;
}

GitRefChange Reversed(const GitRefChange& change) { return {change.ref, change.new_id, change.old_id}; }

// How many refs are where the operation found them, and how many where it puts them.
struct Places {
  size_t at_old = 0;
  size_t at_new = 0;
};

absl::StatusOr<Places> PlacesOf(GitClone& clone, const Operation& operation) {
  Places places;
  for (const GitRefChange& change : operation.refs) {
    ASSIGN_OR_RETURN(const std::string id, clone.Ref(change.ref));
    places.at_old += id == change.old_id ? 1 : 0;
    places.at_new += id == change.new_id ? 1 : 0;
  }
  return places;
}

// Moves back those refs that the operation has moved.
absl::Status TakeBack(GitClone& clone, const Operation& operation) {
  for (auto change = operation.refs.rbegin(); change != operation.refs.rend(); ++change) {
    ASSIGN_OR_RETURN(const std::string id, clone.Ref(change->ref));
    if (id != change->new_id) continue;
    RETURN_IF_ERROR(
        clone.MoveRef(Reversed(*change), absl::StrCat("yard workflow: ", operation.command, " taken back")));
  }
  return absl::OkStatus();
}

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

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(GitClone& clone) {
  absl::StatusOr<std::unique_ptr<DataDirLock>> lock = DataDirLock::Take(FolderOf(clone));
  if (absl::IsFailedPrecondition(lock.status())) {
    return errors::WorkflowRunning((FolderOf(clone) / DataDirLock::kFileName).string());
  }
  if (!lock.ok()) return lock.status();
  std::unique_ptr<Journal> journal(new Journal(clone, *std::move(lock)));
  ASSIGN_OR_RETURN(journal->operations_, ReadJournal(clone));
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
  return WriteFileAtomically(FolderOf(clone_) / (operation.id + ".json"), JournalText(operation));
}

absl::Status Journal::Settle(Operation& operation) {
  if (operation.state == Operation::State::kBegun) {
    ASSIGN_OR_RETURN(const Places places, PlacesOf(clone_, operation));
    // Once the killed command has moved all, or somebody has moved a ref since, the work and its backup stay.
    const bool stays = places.at_new == operation.refs.size() || places.at_old + places.at_new < operation.refs.size();
    if (!stays) RETURN_IF_ERROR(TakeBack(clone_, operation));
    operation.state = stays ? Operation::State::kDone : Operation::State::kUndone;
    return Write(operation);
  }
  if (operation.state == Operation::State::kUndoing) {
    RETURN_IF_ERROR(TakeBack(clone_, operation));
    operation.state = Operation::State::kUndone;
    return Write(operation);
  }
  return absl::OkStatus();
}

absl::Status Journal::Do(Operation operation) {
  operation.state = Operation::State::kBegun;
  RETURN_IF_ERROR(Write(operation));
  absl::Status moved = absl::OkStatus();
  size_t count = 0;
  for (; count < operation.refs.size() && moved.ok(); ++count) {
    moved = clone_.MoveRef(operation.refs[count], absl::StrCat("yard workflow: ", operation.command));
  }
  if (!moved.ok()) {
    // The last one did not move, whatever its place looks like.
    operation.refs.resize(count - 1);
    RETURN_IF_ERROR(TakeBack(clone_, operation));
  }
  operation.state = moved.ok() ? Operation::State::kDone : Operation::State::kUndone;
  RETURN_IF_ERROR(Write(operation));
  operations_.push_back(std::move(operation));
  return moved;
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
  operation->state = Operation::State::kUndoing;
  RETURN_IF_ERROR(Write(*operation));
  RETURN_IF_ERROR(TakeBack(clone_, *operation));
  operation->state = Operation::State::kUndone;
  return Write(*operation);
}

}  // namespace yardmaster::workflow
