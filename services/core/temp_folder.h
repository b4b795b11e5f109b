// A folder for files that nobody needs afterwards.
#ifndef YARDMASTER_SERVICES_CORE_TEMP_FOLDER_H_
#define YARDMASTER_SERVICES_CORE_TEMP_FOLDER_H_

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace yardmaster {

// Goes with all that is in it.
class TempFolder {
 public:
  // "PREFIX-XXXXXX" where the system has such folders; nobody else can use it. INTERNAL if it can't be made.
  static absl::StatusOr<std::unique_ptr<TempFolder>> Make(std::string_view prefix);
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path path_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_TEMP_FOLDER_H_
