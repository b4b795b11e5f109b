// A place where runs have their source and their build one after the other, so that CMake builds only what has changed.
#ifndef YARDMASTER_SERVICES_YARDWORKER_BUILD_TREE_H_
#define YARDMASTER_SERVICES_YARDWORKER_BUILD_TREE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/process/unique_fd.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// What runs must have in common to build in the same place: pool, whose sources they are, suite, toolchain, and
// everything that a command of the build could see of the request.
std::string BuildTreeKey(const v1::RunOrder& order, const rules::SuiteModel& suite, const std::string& toolchain);

//     KEY/yard.lock   held by the run that works here; last used when this was last written
//     KEY/files       what the source was when `build` was made from it; missing: `build` is of no use
//     KEY/source/     the tree: a fresh one each time
//     KEY/build/      ${BUILD}
//
// Runs can write to the last two, and to those of their own key alone. What they leave in `source` is thrown away, and
// of `build` what is not as the steps of the build have left it.
class BuildTree {
 public:
  // Null: another run works there, or the disk refuses. A build of more than `most_bytes` is thrown away.
  static std::unique_ptr<BuildTree> Take(const std::filesystem::path& trees, const std::string& key,
                                         uint64_t most_bytes);
  // After Settle nothing is left without Keep.
  ~BuildTree();
  BuildTree(const BuildTree&) = delete;
  BuildTree& operator=(const BuildTree&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path source() const { return root_ / "source"; }
  std::filesystem::path build() const { return root_ / "build"; }

  // `source` is there, fresh, and nobody else writes to it. Files that are as they were get the times that they had, so
  // that they are not built again; others have been written now. True: `build` is that of a tree that differs only in
  // what is in files. Else it is empty: a file that came or went may be found in place of another.
  absl::StatusOr<bool> Settle();
  void EmptyBuild();
  // The steps of the build have passed, and what they started has ended.
  void BuildHasPassed();
  // Everything has ended. Keeps the build for the next run if it is one of CMake's and its files are as they were when
  // it had passed. What was added since is removed.
  void Keep();

 private:
  // A file of the source: what is in it, and when it was written last.
  struct SourceFile {
    std::string content;  // mode and digest of a file, target of a link
    int64_t nanos = 0;    // of a file, since the epoch
  };
  using SourceFiles = std::map<std::string, SourceFile>;  // by path
  // A file of the build, as far as nobody can change it without changing this.
  struct BuiltFile {
    uint64_t inode = 0;
    uint64_t bytes = 0;
    std::pair<int64_t, int64_t> changed;
    uint32_t mode = 0;
    bool operator==(const BuiltFile&) const = default;
  };
  using BuiltFiles = std::map<std::string, BuiltFile>;

  BuildTree(std::filesystem::path root, worker::UniqueFd lock) : root_(std::move(root)), lock_(std::move(lock)) {}
  static SourceFiles ReadSourceFiles(const std::filesystem::path& file);
  absl::Status WriteSourceFiles() const;
  BuiltFiles LookAtBuild() const;

  const std::filesystem::path root_;
  const worker::UniqueFd lock_;
  SourceFiles before_;  // of the run before; empty: there is none
  SourceFiles now_;
  BuiltFiles built_;  // when the build had passed; empty: it has not
  bool begun_ = false;
  bool kept_ = false;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_BUILD_TREE_H_
