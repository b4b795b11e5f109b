// A second index beside the one of the clone, in which a commit is put together; the clone's own stays as it is.
#ifndef YARDMASTER_SERVICES_WORKFLOW_STAGING_H_
#define YARDMASTER_SERVICES_WORKFLOW_STAGING_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_program.h"

namespace yardmaster::workflow {

struct StagedFile {
  std::string mode;  // "100644"
  std::string blob;
};

using StagedFiles = std::map<std::string, StagedFile>;  // by path

class Staging {
 public:
  // `index`: the file; a copy of the clone's index that this object changes. `scratch`: a folder for its other files.
  // `objects`: where the clone's objects are, if new ones are not to be stored there but in `scratch`/objects, which is
  // there; else empty.
  Staging(GitProgram& git, const std::filesystem::path& index, std::filesystem::path scratch,
          const std::filesystem::path& objects);

  // Stages what tracked files are in the work tree, removals too.
  absl::Status AddTracked();
  // Paths that differ from HEAD, sorted.
  absl::StatusOr<std::vector<std::string>> Changed();
  // Those of them of which nothing is left once ends of lines, spaces there and blank lines are ignored.
  absl::StatusOr<std::vector<std::string>> Cosmetic();
  // Puts paths back to what HEAD has. Files of the work tree stay as they are.
  absl::Status Drop(const std::vector<std::string>& paths);

  // Those of these paths that are files, as they are staged.
  absl::StatusOr<StagedFiles> FilesOf(const std::vector<std::string>& paths);
  // The blob that each of these files has as it is, without filters; in order.
  absl::StatusOr<std::vector<std::string>> BlobsOf(const std::vector<std::filesystem::path>& files, bool write);
  absl::Status Stage(const StagedFiles& files);

  // FAILED_PRECONDITION, with what it printed, if the hook is there and is against it. `arguments` are the hook's.
  absl::Status RunHook(const std::string& name, const std::vector<std::string>& arguments);
  absl::StatusOr<std::string> WriteTree();
  // Writes what is staged of these paths below a folder, which ends without "/". Paths that are not there are left out.
  absl::Status Export(const std::vector<std::string>& paths, const std::filesystem::path& folder);
  // A commit by git's identity, now. `message`: a file. `author_of`: the commit whose author it keeps; may be empty.
  absl::StatusOr<std::string> MakeCommit(const std::string& tree, const std::vector<std::string>& parents,
                                         const std::filesystem::path& message, bool sign,
                                         const std::string& author_of = "");

 private:
  GitProgram& git_;
  const std::filesystem::path scratch_;
  std::vector<std::string> variables_;
};

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_STAGING_H_
