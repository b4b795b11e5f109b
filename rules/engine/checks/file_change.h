// What became of one file between two versions of a tree.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_FILE_CHANGE_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_FILE_CHANGE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::rules {

struct FileChange {
  enum class Kind : uint8_t { kAdded, kRemoved, kModified, kRenamed, kCopied };
  Kind kind = Kind::kModified;
  std::string former_path;  // where it is another one; of a copy: what it was copied from
  // As git writes them (0100644, …); 0: it was not there, or nobody knows.
  uint32_t mode = 0;
  uint32_t former_mode = 0;
  bool binary = false;
  uint64_t binary_bytes = 0;  // of a binary file at head, as far as it was read; 0: nobody knows
};

// "added", "removed", "modified", "renamed", "copied".
std::string_view FileChangeName(FileChange::Kind kind);

inline constexpr uint32_t kLinkMode = 0120000;
inline constexpr uint32_t kSubmoduleMode = 0160000;

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_FILE_CHANGE_H_
