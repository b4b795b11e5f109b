// Finds the files of reviews on the disk: those of a tree, and what belongs to one file's operator.
#ifndef YARDMASTER_SERVICES_REVIEW_OPERATOR_FILES_H_
#define YARDMASTER_SERVICES_REVIEW_OPERATOR_FILES_H_

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "services/review/file_sets.h"

namespace yardmaster {

// Entries of folders that are looked at, and how deep; more are left out and told.
inline constexpr size_t kMaxTreeEntries = 500'000;
inline constexpr int kMaxTreeDepth = 64;
// Around one file: what belongs to an operator lies near.
inline constexpr size_t kMaxOperatorEntries = 2'000;
inline constexpr int kMaxOperatorDepth = 2;

struct TreeListing {
  std::vector<std::string> paths;  // relative to the folder, "/" between folders, sorted
  bool complete = true;            // false: the limit was reached
};

// Regular files below `folder`. Symbolic links are not followed. Folders of tools are left out: node_modules,
// __pycache__, .git, and by default all others whose name begins with a dot, but for those of forges and their
// pipelines (.github, .ci and the like).
enum class HiddenFolders : uint8_t { kLeftOut, kListed };
TreeListing ListTree(const std::filesystem::path& folder, size_t max_entries, int max_depth,
                     HiddenFolders hidden = HiddenFolders::kLeftOut);

// What belongs to the operator of `file` besides itself: absolute paths of files with a role in the folder, or in the
// one above if the operator lives there. Empty if the path has no role. `file` is absolute; it need not exist.
struct OperatorFiles {
  std::string folder;               // of the operator, absolute
  std::string op;                   // empty: unknown
  std::vector<std::string> others;  // absolute
};
OperatorFiles FindOperator(const RoleTable& roles, const std::string& file);

// All files with a role of the operator that lives in `folder`, absolute.
std::vector<std::string> FilesOfOperator(const RoleTable& roles, const std::string& folder);

// The file's bytes, cut behind `max_bytes` + 1; nullopt and `error` if it can't be read or is no regular file.
std::optional<std::string> ReadText(const std::filesystem::path& file, size_t max_bytes, std::string& error);

// The value at a JSON pointer without escapes; nullptr if there is none.
const nlohmann::json* JsonAt(const nlohmann::json& json, std::string_view pointer);

// What the state file of an operator says about its stage: the number at the first JSON pointer of the pack's list
// "stage_pointer" that has one. nullopt without such a list, file or number.
std::optional<int> StageInState(const rules::CheckSet& checks, std::string_view state_file);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_OPERATOR_FILES_H_
