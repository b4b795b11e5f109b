#include "services/yardworker/build_tree.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/file_digest.h"
#include "services/core/files.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/worker/run/source.h"
#include "services/worker/run/workspace.h"
#include "services/yardworker/code_origin.h"
#include "services/yardworker/run_budget.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNameDigits = 24;
constexpr size_t kMaxListBytes = 256 * 1024 * 1024;
constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::string_view kFile = "file ";
constexpr const char* kCmakeCache = "CMakeCache.txt";

int64_t NanosOf(const timespec& time) { return int64_t{time.tv_sec} * kNanosPerSecond + time.tv_nsec; }

int64_t Now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return NanosOf(now);
}

bool DifferAtMostInside(std::string_view a, std::string_view b) {
  return a == b || (a.starts_with(kFile) && b.starts_with(kFile));
}

}  // namespace

std::string BuildTreeKey(const v1::RunOrder& order, const rules::SuiteModel& suite, const std::string& toolchain) {
  const v1::JobSpec& spec = order.spec();
  return absl::StrJoin({std::string("1"), spec.pool(), CodeOrigin(spec, suite), suite.pack, suite.id, suite.digest,
                        toolchain, absl::StrJoin(spec.select(), "\x1f"), absl::StrJoin(spec.variables(), "\x1f"),
                        spec.devices().SerializeAsString()},
                       "\x1e");
}

std::unique_ptr<BuildTree> BuildTree::Take(const fs::path& trees, const std::string& key, uint64_t most_bytes) {
  const fs::path root = trees / Sha256Hex(key).substr(0, kNameDigits);
  std::error_code error;
  fs::create_directories(root, error);
  const fs::path name = root / worker::kCacheLock;
  worker::UniqueFd lock(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.ok() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return nullptr;
  // Somebody may have removed the tree before we had the lock.
  struct stat ours {};
  struct stat there {};
  if (::fstat(lock.get(), &ours) != 0 || ::lstat(name.c_str(), &there) != 0 || ours.st_ino != there.st_ino) {
    return nullptr;
  }
  ::futimens(lock.get(), nullptr);
  std::unique_ptr<BuildTree> tree(new BuildTree(root, std::move(lock)));
  tree->before_ = ReadSourceFiles(root / "files");
  if (tree->before_.empty() || UseOf(tree->build()).bytes > most_bytes) tree->EmptyBuild();
  worker::RemoveFolder(tree->source());
  fs::create_directories(tree->build(), error);
  return error ? nullptr : std::move(tree);
}

BuildTree::~BuildTree() {
  if (kept_ || (!begun_ && !before_.empty())) {
    worker::RemoveFolder(source());  // the next run has its own
  } else {
    worker::RemoveFolder(root_);
  }
}

void BuildTree::EmptyBuild() {
  before_.clear();
  std::error_code error;
  worker::RemoveFolder(build());
  fs::create_directories(build(), error);
}

BuildTree::SourceFiles BuildTree::ReadSourceFiles(const fs::path& file) {
  SourceFiles files;
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kMaxListBytes);
  if (!text.ok()) return files;
  // Names of files have no NUL.
  const std::vector<absl::string_view> parts = absl::StrSplit(*text, '\0');
  for (size_t i = 0; i + 2 < parts.size(); i += 3) {
    SourceFile& one = files[std::string(parts[i])];
    one.content = std::string(parts[i + 1]);
    if (!absl::SimpleAtoi(parts[i + 2], &one.nanos)) return {};
  }
  return files;
}

absl::Status BuildTree::WriteSourceFiles() const {
  std::string text;
  for (const auto& [path, file] : now_) {
    text.append(path).append(1, '\0').append(file.content).append(1, '\0').append(absl::StrCat(file.nanos));
    text.append(1, '\0');
  }
  return WriteFileAtomically(root_ / "files", text);
}

absl::StatusOr<bool> BuildTree::Settle() {
  begun_ = true;
  // Whatever ends this run, what it leaves without Keep is of no use.
  ::unlink((root_ / "files").c_str());
  const int64_t now = Now();
  std::error_code error;
  for (fs::recursive_directory_iterator it(source(), error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0) return errors::FileUnreadable(path.native(), std::strerror(errno));
    const std::string name = path.lexically_relative(source()).native();
    SourceFile& file = now_[name];
    if (S_ISLNK(about.st_mode)) {
      file.content = absl::StrCat("link to ", fs::read_symlink(path, error).native());
      continue;
    }
    if (!S_ISREG(about.st_mode)) {
      file.content = S_ISDIR(about.st_mode) ? "folder" : "special";
      continue;
    }
    ASSIGN_OR_RETURN(const std::string digest, FileSha256Hex(path));
    file.content = absl::StrCat(Abs(kFile), about.st_mode & 07777U, " ", digest);
    const auto known = before_.find(name);
    if (known == before_.end()) {
      file.nanos = std::clamp<int64_t>(NanosOf(about.st_mtim), 0, now);
    } else {
      file.nanos = known->second.content == file.content ? known->second.nanos : now;
    }
    const timespec time{file.nanos / kNanosPerSecond, file.nanos % kNanosPerSecond};
    const timespec times[2] = {time, time};
    if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
      return errors::FileNotWritten(path.native(), std::strerror(errno));
    }
  }
  if (error) return errors::FileUnreadable(source().native(), error.message());
  const bool same_names =
      !before_.empty() &&
      std::equal(before_.begin(), before_.end(), now_.begin(), now_.end(), [](const auto& a, const auto& b) {
        return a.first == b.first && DifferAtMostInside(a.second.content, b.second.content);
      });
  if (!same_names) EmptyBuild();
  return same_names;
}

BuildTree::BuiltFiles BuildTree::LookAtBuild() const {
  BuiltFiles files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(build(), error), end; !error && it != end; it.increment(error)) {
    struct stat about {};
    if (::lstat(it->path().c_str(), &about) != 0) return {};
    BuiltFile& file = files[it->path().lexically_relative(build()).native()];
    file.inode = about.st_ino;
    file.mode = about.st_mode;
    if (S_ISDIR(about.st_mode)) continue;  // changes with what is in it
    file.bytes = static_cast<uint64_t>(about.st_size);
    file.changed = {about.st_ctim.tv_sec, about.st_ctim.tv_nsec};
  }
  return error ? BuiltFiles() : files;
}

void BuildTree::BuildHasPassed() { built_ = LookAtBuild(); }

void BuildTree::Keep() {
  const bool cmake = std::any_of(built_.begin(), built_.end(),
                                 [](const auto& file) { return fs::path(file.first).filename() == kCmakeCache; });
  if (!cmake) return;
  const BuiltFiles after = LookAtBuild();
  for (const auto& [path, file] : built_) {
    const auto same = after.find(path);
    if (same == after.end() || !(same->second == file)) return;
  }
  for (const auto& [path, file] : after) {
    if (!built_.contains(path) && !worker::RemoveFolder(build() / path)) return;
  }
  kept_ = WriteSourceFiles().ok();
}

}  // namespace yardmaster::yardworker
