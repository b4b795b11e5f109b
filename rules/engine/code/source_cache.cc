#include "rules/engine/code/source_cache.h"

#include <utility>

#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

// Facts, about: most are expressions.
constexpr size_t kBytesOfRow = 160;

size_t BytesOf(const SourceFile& file) {
  const FileFacts& facts = file.facts();
  return sizeof(SourceFile) + file.path().size() + facts.text.size() + facts.line_starts.size() * sizeof(uint32_t) +
         facts.rows * kBytesOfRow;
}

}  // namespace

SourceCache::Key SourceCache::KeyOf(const SourceFile& file) { return {Abs(file.path()), Abs(file.facts().text)}; }

std::shared_ptr<const SourceFile> SourceCache::Read(std::string path, std::string text,
                                                    std::chrono::milliseconds parse_limit, SyntaxTree* tree,
                                                    const TSTree* former) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find({Abs(path), Abs(text)}); found != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->file;
    }
  }
  auto file = SourceFile::Read(std::move(path), std::move(text), parse_limit, tree, former);
  const size_t bytes = BytesOf(*file);
  if (!file->facts().limits.empty() || bytes > max_bytes_) return file;
  const std::lock_guard lock(mutex_);
  const Key key = KeyOf(*file);
  if (by_key_.contains(key)) return file;
  entries_.push_front({file, bytes});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > max_bytes_) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(KeyOf(*entries_.back().file));
    entries_.pop_back();
  }
  return file;
}

size_t SourceCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace yardmaster::rules
