// Files that were read before, by path and text: reviews of one pull request see most of them again.
#ifndef YARDMASTER_RULES_ENGINE_CODE_SOURCE_CACHE_H_
#define YARDMASTER_RULES_ENGINE_CODE_SOURCE_CACHE_H_

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "rules/engine/code/source_file.h"

namespace yardmaster::rules {

// Thread-safe. Keeps about so many bytes of facts and texts; what was asked for longest ago goes first.
class SourceCache {
 public:
  explicit SourceCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // As SourceFile::Read. A file that is at hand comes without its syntax tree. What could not be read in full, in time,
  // is not kept.
  std::shared_ptr<const SourceFile> Read(std::string path, std::string text, std::chrono::milliseconds parse_limit,
                                         SyntaxTree* tree = nullptr, const TSTree* former = nullptr);

  size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const SourceFile> file;
    size_t bytes = 0;
  };
  // The path says the language, and findings name it; then the text.
  using Key = std::pair<absl::string_view, absl::string_view>;
  static Key KeyOf(const SourceFile& file);

  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;                                     // the latest first
  absl::flat_hash_map<Key, std::list<Entry>::iterator> by_key_;  // keys are of the files in the list
  size_t bytes_ = 0;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_SOURCE_CACHE_H_
