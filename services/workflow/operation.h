// One command that changed a clone, as the journal keeps it.
#ifndef YARDMASTER_SERVICES_WORKFLOW_OPERATION_H_
#define YARDMASTER_SERVICES_WORKFLOW_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/git/git_clone.h"

namespace yardmaster::workflow {

// A file of the work tree whose content goes from one blob to another. One that has neither is left alone.
struct FileChange {
  std::string path;  // from the top of the work tree; UTF-8
  std::string old_id;
  std::string new_id;
};

struct Operation {
  // kBegun and kUndoing are found only after somebody was killed.
  enum class State : uint8_t { kBegun, kDone, kUndoing, kUndone };

  std::string id;       // "20260131T120000Z-1"; ids sort by time
  std::string command;  // "squash"
  std::string branch;   // "topic"
  State state = State::kBegun;
  std::string part_of;             // the operation that the same command did before this one; undone with it
  std::vector<GitRefChange> refs;  // in the order in which they are made; undone backwards
  // The index changes, too, before the refs: from and to the files of Journal::IndexBefore and IndexAfter.
  bool index = false;
  // Files that change with the index, behind it.
  std::vector<FileChange> files;
  // Index and files go from one commit's tree to another's, before the refs; both empty: they don't.
  std::string checkout_from;
  std::string checkout_to;
  // The work tree whose index and files change, by its name in the clone; empty: the first one, or none do.
  std::string work_tree;
  // The remote to which the branch is pushed afterwards; empty: it is not, or it was.
  std::string push_to;
  // Of a branch that is made of commits of another one: those commits, in words of the command, and the branch of
  // upstream that they are for. Who asks for the same again finds the branch by them.
  std::string source;
  std::string target;

  bool has_files() const { return index || !files.empty() || !checkout_to.empty(); }
};

// As the journal keeps it: JSON. Paths and names must be UTF-8.
std::string OperationText(const Operation& operation);
// nullopt: that is no operation.
std::optional<Operation> ParseOperation(std::string_view text);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_OPERATION_H_
