// Objects of a repository, out of packs, without a work tree.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_OBJECTS_H_
#define YARDMASTER_CLIENTS_GIT_GIT_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/git/git_remote.h"

namespace yardmaster {

// A file below a folder, by name only.
struct GitEntry {
  std::string path;    // relative to the folder
  std::string object;  // 40 hex digits
};

struct GitListing {
  enum class State : uint8_t { kListed, kNoCommit, kNoFolder, kTooMany, kBroken };
  State state = State::kBroken;
  std::vector<GitEntry> files;
  std::vector<GitLeftOut> left_out;
};

// Not thread-safe.
class GitObjects {
 public:
  // Keeps packs in `folder`, which must exist; whoever gave it removes it. nullptr: libgit2 can't be started.
  static std::unique_ptr<GitObjects> Open(const std::filesystem::path& folder);
  virtual ~GitObjects() = default;

  // Adds the objects of a pack that ScanPack found good. False and `error` if it can't be read.
  virtual bool AddPack(std::string_view pack, std::string& error) = 0;
  // The files below `folder` at `commit`, sorted by path.
  virtual GitListing List(const std::string& commit, const std::string& folder, size_t max_files) = 0;
  // Appends the bytes of a file; false if it is not there or has more than `max_bytes`.
  virtual bool Read(const std::string& object, size_t max_bytes, std::string& out) = 0;
  // The size of a file; false if it is not there.
  virtual bool Size(const std::string& object, size_t& size) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_OBJECTS_H_
