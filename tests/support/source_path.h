// Files of the source tree, wherever a test is run.
#ifndef YARDMASTER_TESTS_SUPPORT_SOURCE_PATH_H_
#define YARDMASTER_TESTS_SUPPORT_SOURCE_PATH_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

// The path of a file or folder, of which `relative` is the path from the top: "rules/packs". Defined in a file that
// CMake writes: what else is compiled knows no path, so that clones share it.
std::filesystem::path SourcePath(std::string_view relative);

inline std::string SourceText(std::string_view relative) { return ReadWholeFile(SourcePath(relative)); }

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_SOURCE_PATH_H_
