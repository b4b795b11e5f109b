#include "services/dispatch/part_files.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/file_digest.h"
#include "services/core/status_macros.h"
#include "services/dispatch/errors.h"

namespace yardmaster::dispatch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartSuffix = ".part";

uint64_t BytesOf(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

struct Kept {
  fs::file_time_type time;  // of its last use
  uint64_t bytes;
  fs::path file;
};

// What is kept in a folder, the one that was not used for the longest first.
std::vector<Kept> FilesOf(const fs::path& dir) {
  std::vector<Kept> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error)) {
    std::error_code gone;
    files.push_back({entry.last_write_time(gone), BytesOf(entry.path()), entry.path()});
  }
  absl::c_sort(files, [](const Kept& a, const Kept& b) { return a.time < b.time; });
  return files;
}

}  // namespace

bool IsDigest(std::string_view text) {
  return text.size() == 64 &&
         absl::c_all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool PartFiles::IsThere(std::string_view digest) const {
  std::error_code error;
  return IsDigest(digest) && fs::is_regular_file(dir_ / digest, error);
}

bool PartFiles::Has(std::string_view digest) {
  // Nobody takes it away between the look and the touch.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!IsThere(digest)) return false;
  std::error_code error;
  fs::last_write_time(dir_ / digest, fs::file_time_type::clock::now(), error);
  return true;
}

absl::StatusOr<PartProgress> PartFiles::Put(std::string_view digest, uint64_t size, uint64_t offset,
                                            std::string_view part) {
  if (!IsDigest(digest)) return errors::FieldInvalid("digest", "64 lower-case hex digits");
  if (part.size() > kMaxPartBytes) return errors::OverLimit("part", part.size(), kMaxPartBytes, "bytes");
  if (size > std::min(kMaxPartFileBytes, budget_)) {
    return BudgetExceeded("a file", size, std::min(kMaxPartFileBytes, budget_));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::error_code error;
  if (IsThere(digest)) {
    fs::last_write_time(dir_ / digest, fs::file_time_type::clock::now(), error);
    return PartProgress{BytesOf(dir_ / digest), true};
  }
  fs::create_directories(dir_, error);
  if (error) return errors::FileNotWritten(dir_.native(), error.message());
  fs::path file = dir_ / digest;
  file += kPartSuffix;
  uint64_t there = BytesOf(file);
  // A part file of another size is of an upload that said something else.
  if (there > size) {
    fs::remove(file, error);
    there = 0;
  }
  if (offset > there) return PartsMissing(offset, there);
  if (offset + part.size() > size) return errors::FieldInvalid("part", "not past the size of the whole");
  const std::string_view fresh = part.substr(std::min<uint64_t>(there - offset, part.size()));
  if (there == 0) RETURN_IF_ERROR(MakeRoom(size));
  if (!fresh.empty() || (size == 0 && there == 0)) {
    std::ofstream out(file, std::ios::binary | std::ios::app);
    out.write(fresh.data(), static_cast<std::streamsize>(fresh.size()));
    out.close();
    if (!out) {
      // What was written of it is no part.
      fs::resize_file(file, there, error);
      return errors::FileNotWritten(file.native(), "no room, or the disk failed");
    }
    there += fresh.size();
  }
  if (there < size) return PartProgress{there, false};
  ASSIGN_OR_RETURN(const std::string actual, FileSha256Hex(file));
  if (actual != digest) {
    fs::remove(file, error);
    return DigestDiffers(digest);
  }
  fs::rename(file, dir_ / digest, error);
  if (error) return errors::FileNotWritten(file.native(), error.message());
  return PartProgress{size, true};
}

absl::Status PartFiles::MakeRoom(uint64_t size) {
  std::vector<Kept> files = FilesOf(dir_);
  uint64_t total = 0;
  for (const Kept& kept : files) total += kept.bytes;
  const auto now = fs::file_time_type::clock::now();
  for (const Kept& kept : files) {
    const bool is_old = now - kept.time >= age_;
    if (!is_old && (total + size <= budget_ || now - kept.time < kPartFileRest)) break;
    if (IsNeeded(kept.file)) continue;
    std::error_code error;
    if (fs::remove(kept.file, error)) total -= kept.bytes;
  }
  return total + size <= budget_ ? absl::OkStatus() : BudgetExceeded("files", total + size, budget_);
}

bool PartFiles::IsNeeded(const fs::path& file) const { return needed_ != nullptr && needed_(file.filename().native()); }

void PartFiles::RemoveOld() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = fs::file_time_type::clock::now();
  for (const Kept& kept : FilesOf(dir_)) {
    if (now - kept.time < age_) break;
    std::error_code error;
    if (!IsNeeded(kept.file)) fs::remove(kept.file, error);
  }
}

absl::StatusOr<std::string> PartFiles::Read(std::string_view digest, uint64_t offset, uint64_t& size) {
  if (!IsDigest(digest)) return errors::FieldInvalid("digest", "64 lower-case hex digits");
  std::ifstream in(dir_ / digest, std::ios::binary);
  if (!in) return FileNotThere(digest);
  size = BytesOf(dir_ / digest);
  if (offset > size) return OffsetPastEnd(offset, size);
  std::string part(std::min<uint64_t>(kMaxPartBytes, size - offset), '\0');
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(part.data(), static_cast<std::streamsize>(part.size()));
  if (static_cast<size_t>(in.gcount()) != part.size())
    return errors::FileUnreadable(digest, "it is shorter than it was");
  return part;
}

}  // namespace yardmaster::dispatch
