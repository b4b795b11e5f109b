#include "services/dispatch/job_logs.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/dispatch/errors.h"

namespace yardmaster::dispatch {
namespace {

namespace fs = std::filesystem;

uint64_t LogBytes(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

fs::path JobLogs::FileOf(std::string_view job, uint64_t fence) const {
  return dir_ / job / absl::StrCat("log-", fence);
}

absl::StatusOr<uint64_t> JobLogs::Append(std::string_view job, uint64_t fence, uint64_t offset, std::string_view text) {
  if (text.size() > kMaxLogPieceBytes) return errors::OverLimit("text", text.size(), kMaxLogPieceBytes, "bytes");
  const fs::path file = FileOf(job, fence);
  const std::lock_guard<std::mutex> lock(mutexes_[std::hash<std::string_view>()(job) % mutexes_.size()]);
  const uint64_t there = LogBytes(file);
  const std::string full = absl::StrCat("\n[the log is full: ", max_bytes_, " bytes; the rest is not kept]\n");
  // The worker goes on, and nothing of it is kept.
  if (there >= max_bytes_) return std::max(there, offset + text.size());
  if (offset > there) return PartsMissing(offset, there);
  std::string_view fresh = text.substr(std::min<uint64_t>(there - offset, text.size()));
  if (fresh.empty()) return there;
  const bool fills = there + fresh.size() >= max_bytes_;
  fresh = fresh.substr(0, max_bytes_ - there);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out.write(fresh.data(), static_cast<std::streamsize>(fresh.size()));
  if (fills) out.write(full.data(), static_cast<std::streamsize>(full.size()));
  out.close();
  if (!out) {
    fs::resize_file(file, there, error);
    return errors::FileNotWritten(file.native(), "no room, or the disk failed");
  }
  return offset + text.size();
}

void JobLogs::Remove(const std::function<bool(std::string_view job)>& is_over) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir_, error)) folders.push_back(entry.path());
  for (const fs::path& folder : folders) {
    if (is_over(folder.filename().native())) fs::remove_all(folder, error);
  }
}

absl::StatusOr<std::string> JobLogs::Read(std::string_view job, uint64_t fence, uint64_t offset) const {
  const fs::path file = FileOf(job, fence);
  const uint64_t size = LogBytes(file);
  if (offset >= size) return std::string();
  std::ifstream in(file, std::ios::binary);
  std::string text(std::min<uint64_t>(kWatchPieceBytes, size - offset), '\0');
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (static_cast<size_t>(in.gcount()) != text.size()) {
    return errors::FileUnreadable(file.native(), "it is shorter than it was");
  }
  return text;
}

}  // namespace yardmaster::dispatch
