// Which files are reviewed together. Rules about an operator look at several files of one folder; a tree holds many
// operators. Pure: works on paths, wherever they come from.
#ifndef YARDMASTER_SERVICES_REVIEW_FILE_SETS_H_
#define YARDMASTER_SERVICES_REVIEW_FILE_SETS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/check_set.h"

namespace yardmaster {

// What a path is under a pack. `op` is what the group of that name matched; empty if the role's pattern has none.
struct FileRole {
  std::string role;
  std::string op;

  friend bool operator==(const FileRole&, const FileRole&) = default;
};

// The roles of a pack, ready to match. Thread-safe.
class RoleTable {
 public:
  explicit RoleTable(const rules::CheckSet& checks);
  RoleTable(RoleTable&&) noexcept;
  ~RoleTable();

  // The first role whose pattern matches the whole path; empty if none does.
  FileRole Match(std::string_view path) const;
  // True if some role names the operator of a file: then files are reviewed operator by operator.
  bool by_operator() const;
  // True if every check that judges files names the roles that it is for: files without a role then have no findings.
  bool only_roles() const { return only_roles_; }
  // True if a check of the pack may judge the file: it has a role, or a language that is read and some check is not
  // bound to roles.
  bool Judges(std::string_view path) const;
  // True for these and for what may lie beside an operator: checks ask whether a module is there.
  bool LooksAt(std::string_view path) const;
  // True for the roles of documents, two kinds of which make their folder an operator's: the pack's list
  // "operator_documents", without it all roles that name no operator.
  bool IsDocument(std::string_view role) const;
  // True for the roles of the pack's list "stage_roles".
  bool TellsStage(std::string_view role) const;
  // The example path of a role; empty if there is no such role.
  std::string_view ExampleOf(std::string_view role) const;

 private:
  struct Entry;
  std::vector<Entry> entries_;
  bool only_roles_ = false;
};

// A file of a set, by its position in the list of paths that was given.
struct SetMember {
  size_t path = 0;
  std::string name;      // relative to the folder of the set
  bool context = false;  // conditions see it, it is not judged
};

struct FileSet {
  std::string folder;  // "" or without a "/" at the end
  std::string op;
  std::vector<SetMember> members;
  // Of an operator's files so few that nothing says that there is an operator: no file of one, no state, and not two
  // kinds of documents.
  bool lone = false;
};

// Puts every path into the set in which it is judged, once. Paths are relative with "/" between folders, or absolute.
//
// Without operators there is one set. With them, a file belongs to its folder, or to the folder above if the operator
// lives there and the file in one of its subfolders ("modules/", "eval/"): the folder above has a file of the same
// operator, or two kinds of documents. A folder with two such documents is
// one operator's, whatever its files are called. Where another one holds several operators, each is a set, and files of
// no operator are context for all of them but judged with the first. Sets are in the order of folders and operators.
std::vector<FileSet> GroupFiles(const RoleTable& roles, const std::vector<std::string>& paths);

// The folder of a path ("" for none), its last part, and the two put together again.
std::string_view FolderOf(std::string_view path);
std::string_view NameOf(std::string_view path);
std::string JoinPath(std::string_view folder, std::string_view name);
// The name without its last extension: "demo.tar.gz" → "demo.tar".
std::string_view StemOf(std::string_view path);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_FILE_SETS_H_
