#include "services/core/temp_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"

namespace yardmaster {

absl::StatusOr<std::unique_ptr<TempFolder>> TempFolder::Make(std::string_view prefix) {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string name = (parent / absl::StrCat(Abs(prefix), "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    return errors::FileNotWritten(name, std::generic_category().message(errno));
  }
  return std::unique_ptr<TempFolder>(new TempFolder(name));
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace yardmaster
