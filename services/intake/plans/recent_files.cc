#include "services/intake/plans/recent_files.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace yardmaster {
namespace {

// What the keys of all files of a repository begin with. Forges compare names of repositories without case.
std::string KeyOf(std::string_view forge, std::string_view repository) {
  std::string key(forge);
  key.append(1, '\n').append(repository).append(1, '\n');
  absl::AsciiStrToLower(&key);
  return key;
}

}  // namespace

absl::StatusOr<RecentFiles::Text> RecentFiles::Get(std::string_view forge, std::string_view repository,
                                                   std::string_view path, std::string_view ref,
                                                   const std::function<absl::StatusOr<Text>()>& read) {
  std::string key = KeyOf(forge, repository);
  key.append(path).append(1, '\n').append(ref);
  uint64_t forgotten = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = files_.find(key);
    if (known != files_.end() && clock_.Monotonic() - known->second.read_at < kKept) return known->second.text;
    forgotten = forgotten_;
  }
  // It is as old as the moment before it was asked for.
  const std::chrono::steady_clock::time_point asked = clock_.Monotonic();
  absl::StatusOr<Text> text = read();
  if (!text.ok()) return text;
  if (text->has_value() && (*text)->size() > kMaxBytes) (*text)->resize(kMaxBytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  // Whoever pushed while it was read may have changed it.
  if (forgotten != forgotten_) return text;
  MakeRoom(asked);
  files_[std::move(key)] = {*text, asked};
  return text;
}

void RecentFiles::Forget(std::string_view forge, std::string_view repository) {
  const std::string prefix = KeyOf(forge, repository);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++forgotten_;
  auto it = files_.lower_bound(prefix);
  while (it != files_.end() && it->first.starts_with(prefix)) it = files_.erase(it);
}

void RecentFiles::MakeRoom(std::chrono::steady_clock::time_point now) {
  if (files_.size() < kMaxFiles) return;
  std::erase_if(files_, [&](const auto& file) { return now - file.second.read_at >= kKept; });
  if (files_.size() < kMaxFiles) return;
  files_.erase(std::min_element(files_.begin(), files_.end(),
                                [](const auto& a, const auto& b) { return a.second.read_at < b.second.read_at; }));
}

}  // namespace yardmaster
