#include "services/worker/run/workspace.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>
#include <vector>

#include "services/core/errors.h"
#include "services/worker/errors.h"
#include "services/worker/process/disk.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kTempPrefix = "yard-run-";
constexpr std::string_view kLockName = "lock";
constexpr std::string_view kReserveName = ".reserve";
constexpr size_t kMaxFileName = 120;

// The folder's lock, taken; none where somebody has it or the folder is not ours.
UniqueFd LockTempFolder(const std::filesystem::path& folder) {
  UniqueFd lock(::open((folder / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.ok() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.Reset();
  return lock;
}

// A run that was killed could not clean up; its lock fell with it.
void RemoveAbandoned(const std::filesystem::path& parent, std::vector<std::string>& notes) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().native().starts_with(kTempPrefix)) found.push_back(entry->path());
  }
  for (const std::filesystem::path& folder : found) {
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) continue;
    // One that is being made has no lock yet.
    if (::access((folder / kLockName).c_str(), F_OK) != 0) continue;
    const UniqueFd lock = LockTempFolder(folder);
    if (lock.ok() && RemoveFolder(folder)) {
      notes.push_back("removed " + folder.native() + ", which a run that was killed had left");
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Workspace>> Workspace::Make(const RunOptions& options, std::vector<std::string>& notes) {
  std::unique_ptr<Workspace> out(new Workspace());
  std::error_code error;
  out->out_ = std::filesystem::absolute(options.out, error).lexically_normal();
  if (out->out_.filename().empty()) out->out_ = out->out_.parent_path();
  if (!error) std::filesystem::create_directories(out->out_ / "steps", error);
  if (error) return worker_errors::ResultDirectoryUnusable(options.out.native(), error.message());

  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return worker_errors::ResultDirectoryUnusable("TMPDIR", error.message());
  RemoveAbandoned(parent, notes);
  std::string pattern = (parent / (std::string(kTempPrefix) + "XXXXXX")).native();
  if (::mkdtemp(pattern.data()) == nullptr)
    return worker_errors::ResultDirectoryUnusable(pattern, std::strerror(errno));
  out->temp_ = pattern;
  out->temp_lock_ = LockTempFolder(out->temp_);

  out->kept_ = out->out_;
  if (!options.cache.empty()) {
    out->kept_ = std::filesystem::absolute(options.cache, error).lexically_normal();
    std::filesystem::create_directories(out->kept_, error);
    if (error) return worker_errors::ResultDirectoryUnusable(options.cache.native(), error.message());
  }

  const UniqueFd reserve(
      ::open((out->out_ / kReserveName).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!reserve.ok()) return worker_errors::ResultDirectoryUnusable(out->out_.native(), std::strerror(errno));
  // Where the file system can't or is full already, there is no reserve; the free space is checked later.
  if (::posix_fallocate(reserve.get(), 0, static_cast<off_t>(kReserveBytes)) != 0) errno = 0;
  return out;
}

Workspace::~Workspace() {
  FreeReserve();
  if (!temp_.empty()) RemoveFolder(temp_);
  // Empty where nothing was started.
  std::error_code ignored;
  std::filesystem::remove(out_ / "steps", ignored);
}

void Workspace::FreeReserve() { ::unlink((out_ / kReserveName).c_str()); }

absl::StatusOr<std::filesystem::path> Workspace::MakeStepFolder(std::string_view step) {
  const std::string base = FileNameOf(step);
  std::string name = base;
  for (int number = 2; !step_folders_.insert(name).second; ++number) name = base + "~" + std::to_string(number);
  std::filesystem::path folder = out_ / "steps" / name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return errors::FileNotWritten(folder.native(), error.message());
  return folder;
}

absl::StatusOr<std::filesystem::path> Workspace::MakeTempFolder(std::string_view name) {
  std::filesystem::path folder = temp_ / (std::string(name) + std::to_string(++temp_folders_));
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) return errors::FileNotWritten(folder.native(), error.message());
  return folder;
}

std::string FileNameOf(std::string_view step) {
  std::string out;
  for (const char c : step) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._=,+-").find(c) != std::string_view::npos;
    if (c == ']') continue;
    out += plain ? c : (c == '[' ? '-' : '_');
  }
  if (out.empty() || out.front() == '.') out.insert(out.begin(), '_');
  if (out.size() > kMaxFileName) out.resize(kMaxFileName);
  return out;
}

bool IsPlainFile(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error));
}

uint64_t FreeBytes(const std::filesystem::path& path) {
  return FreeDiskBytes(path).value_or(std::numeric_limits<uint64_t>::max());
}

bool RemoveFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) return true;
  // A folder without the right to write keeps what is in it.
  std::error_code ignored;
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  for (std::filesystem::recursive_directory_iterator
           entry(folder, std::filesystem::directory_options::skip_permission_denied, ignored),
       end;
       !ignored && entry != end; entry.increment(ignored)) {
    std::error_code one;
    if (entry->is_directory(one) && !entry->is_symlink(one)) {
      std::filesystem::permissions(entry->path(), std::filesystem::perms::owner_all, one);
    }
  }
  error.clear();
  std::filesystem::remove_all(folder, error);
  return !error;
}

}  // namespace yardmaster::worker
