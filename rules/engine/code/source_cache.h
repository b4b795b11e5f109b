// Files that were read before, by path and text: reviews of one pull request see most of them again.
#ifndef YARDMASTER_RULES_ENGINE_CODE_SOURCE_CACHE_H_
#define YARDMASTER_RULES_ENGINE_CODE_SOURCE_CACHE_H_

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

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
    std::string key;
    std::shared_ptr<const SourceFile> file;
    size_t bytes = 0;
  };

  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the latest first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  size_t bytes_ = 0;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_SOURCE_CACHE_H_
