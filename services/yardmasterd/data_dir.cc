#include "services/yardmasterd/data_dir.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

// A new folder that nobody else can use.
absl::StatusOr<fs::path> MakeTemporaryFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string pattern = (parent / "yardmasterd-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return errors::DataDirUnusable(pattern, std::strerror(errno));
  return fs::path(pattern);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DataDir>> DataDir::Open(const fs::path& path) {
  const bool temporary = path.empty();
  fs::path folder = path;
  if (temporary) {
    ASSIGN_OR_RETURN(fs::path made, MakeTemporaryFolder());
    folder = std::move(made);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<DataDirLock> lock, DataDirLock::Take(folder));
  return std::unique_ptr<DataDir>(new DataDir(std::move(folder), temporary, std::move(lock)));
}

DataDir::~DataDir() {
  if (temporary_) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

}  // namespace yardmaster
