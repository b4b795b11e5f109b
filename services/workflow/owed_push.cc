#include "services/workflow/owed_push.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/status_macros.h"
#include "services/workflow/journal.h"

namespace yardmaster::workflow {
namespace {

const GitRefChange* MoveOf(const Operation& operation) {
  const std::string ref = "refs/heads/" + operation.branch;
  const auto moved = absl::c_find_if(operation.refs, [&ref](const GitRefChange& change) { return change.ref == ref; });
  return moved == operation.refs.end() ? nullptr : &*moved;
}

// Where the branch was before all parts of the command.
std::string OldIdOf(const std::vector<Operation>& operations, const Operation& last) {
  const Operation* first = &last;
  while (const Operation* const before = PartBefore(operations, *first)) first = before;
  const GitRefChange* const move = MoveOf(*first);
  return move == nullptr ? "" : move->old_id;
}

}  // namespace

absl::StatusOr<std::vector<OwedPush>> OwedPushes(GitClone& clone, GitRepository& repository,
                                                 const std::vector<Operation>& operations) {
  std::vector<OwedPush> all;
  for (const Operation& operation : operations) {
    if (operation.push_to.empty() || operation.state != Operation::State::kDone) continue;
    const GitRefChange* const move = MoveOf(operation);
    if (move == nullptr) continue;
    ASSIGN_OR_RETURN(const std::string here, clone.Ref(move->ref));
    ASSIGN_OR_RETURN(const std::string there,
                     clone.Ref(absl::StrCat("refs/remotes/", operation.push_to, "/", operation.branch)));
    if (here != move->new_id || there == move->new_id) continue;
    OwedPush owed{operation.id, operation.command, operation.branch, operation.push_to, OldIdOf(operations, operation),
                  move->new_id};
    if (!owed.old_id.empty()) {
      const absl::StatusOr<std::string> common = repository.MergeBase(owed.old_id, owed.new_id);
      owed.replaces = !common.ok() || *common != owed.old_id;
    }
    all.push_back(std::move(owed));
  }
  return all;
}

std::string OwedText(const OwedPush& owed) {
  const std::string lease =
      owed.replaces ? absl::StrCat("--force-with-lease=", owed.branch, ":", owed.old_id, " ") : std::string();
  return absl::StrCat(owed.command, " ", owed.id, " ended before ", owed.branch,
                      " was pushed: the same command again, or git push ", lease, owed.remote, " ", owed.branch);
}

}  // namespace yardmaster::workflow
