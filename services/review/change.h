// What a review of a change looks at: the files that lie between two versions, and both versions' trees.
#ifndef YARDMASTER_SERVICES_REVIEW_CHANGE_H_
#define YARDMASTER_SERVICES_REVIEW_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster {

enum class ChangeSide : uint8_t { kBase, kHead };

struct ChangedFile {
  enum class Kind : uint8_t { kAdded, kRemoved, kModified, kRenamed, kCopied };
  Kind kind = Kind::kModified;
  std::string path;         // at head; of a removed file: at base
  std::string former_path;  // at base, where that is another one: renamed or copied from it
  // As git writes them (0100644, 0120000, 0160000, …); 0: it is not there, or the source does not know.
  uint32_t mode = 0;
  uint32_t former_mode = 0;
  bool binary = false;
};

// Not thread-safe.
class Change {
 public:
  virtual ~Change() = default;

  // By path, no path twice.
  virtual const std::vector<ChangedFile>& files() const = 0;
  // False: there are more files than the source shows.
  virtual bool complete() const { return true; }
  // A file's text, at most `max_bytes` of it and one more; nullopt: it is not there, or no regular file.
  virtual absl::StatusOr<std::optional<std::string>> Read(ChangeSide side, const std::string& path,
                                                          size_t max_bytes) = 0;
  // Files that Read will be asked for soon: a source that fetches them does it at once.
  virtual absl::Status Prefetch(ChangeSide /*side*/, const std::vector<std::string>& /*paths*/) {
    return absl::OkStatus();
  }
  // All paths of a version, sorted; nullptr where the source can't list them.
  virtual absl::StatusOr<const std::vector<std::string>*> Paths(ChangeSide side) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_CHANGE_H_
