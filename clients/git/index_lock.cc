#include "clients/git/index_lock.h"

#include <fstream>
#include <system_error>
#include <utility>

#include "absl/memory/memory.h"
#include "services/core/errors.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

fs::path WithEnding(const fs::path& path, const char* ending) { return path.string() + ending; }

absl::Status Unusable(const fs::path& file, const std::error_code& error) {
  return errors::GitRepositoryUnusable(file.string(), error.message());
}

}  // namespace

IndexLock::IndexLock(fs::path index, const fs::path& own)
    : index_(std::move(index)),
      lock_(WithEnding(index_, ".lock")),
      own_lock_(WithEnding(own, ".lock")),
      own_new_(WithEnding(own, ".new")),
      room_(WithEnding(own, ".index")) {}

absl::StatusOr<std::unique_ptr<IndexLock>> IndexLock::Take(const fs::path& index, const fs::path& own) {
  auto taken = absl::WrapUnique(new IndexLock(index, own));
  // A new file: the old one may be the lock of somebody who was killed.
  std::error_code error;
  fs::remove(taken->own_lock_, error);
  fs::remove(taken->room_, error);
  if (!std::ofstream(taken->own_lock_)) {
    return Unusable(taken->own_lock_, std::make_error_code(std::errc::io_error));
  }
  fs::create_hard_link(taken->own_lock_, taken->lock_, error);
  if (error == std::errc::file_exists) return errors::GitRefLocked(index.string());
  if (error) return Unusable(taken->lock_, error);
  taken->held_ = true;
  return taken;
}

IndexLock::~IndexLock() {
  std::error_code ignored;
  if (held_) fs::remove(lock_, ignored);
  fs::remove(own_lock_, ignored);
  fs::remove(own_new_, ignored);
  fs::remove(room_, ignored);
}

absl::Status IndexLock::Replace() {
  std::error_code error;
  fs::remove(own_new_, error);
  fs::create_hard_link(room_, own_new_, error);
  if (!error) fs::rename(room_, lock_, error);
  if (!error) fs::rename(lock_, index_, error);
  held_ = static_cast<bool>(error);
  return error ? errors::GitRepositoryDamaged(index_.string() + ": " + error.message()) : absl::OkStatus();
}

void RemoveKilledLock(const fs::path& index, const fs::path& folder) {
  const fs::path lock = WithEnding(index, ".lock");
  std::error_code error;
  if (!fs::exists(lock, error)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (!fs::equivalent(entry.path(), lock, ignored)) continue;
    fs::remove(lock, ignored);
    return;
  }
}

}  // namespace yardmaster
