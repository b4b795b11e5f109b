#include "rules/engine/checks/shared_pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "absl/container/flat_hash_map.h"

namespace yardmaster::rules {
namespace {

// For the automata that a pattern makes while it is matched.
constexpr int64_t kPatternMemory = 4 << 20;

struct Pool {
  std::mutex mutex;
  absl::flat_hash_map<std::string, std::weak_ptr<const RE2>> patterns;  // guarded by mutex
  size_t sweep_at = 1'024;                                              // guarded by mutex
};

// Never destroyed: packs may be released while the program ends.
Pool& ThePool() {
  static auto* const kPool = new Pool;
  return *kPool;
}

}  // namespace

std::shared_ptr<const RE2> SharedPattern(const std::string& text) {
  Pool& pool = ThePool();
  {
    const std::lock_guard<std::mutex> lock(pool.mutex);
    if (const auto known = pool.patterns.find(text); known != pool.patterns.end()) {
      if (std::shared_ptr<const RE2> pattern = known->second.lock()) return pattern;
    }
  }
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  auto made = std::make_shared<const RE2>(text, options);
  if (!made->ok()) return made;
  const std::lock_guard<std::mutex> lock(pool.mutex);
  std::weak_ptr<const RE2>& slot = pool.patterns[text];
  // Another thread may have been faster.
  if (std::shared_ptr<const RE2> pattern = slot.lock()) return pattern;
  slot = made;
  if (pool.patterns.size() >= pool.sweep_at) {
    absl::erase_if(pool.patterns, [](const auto& one) { return one.second.expired(); });
    pool.sweep_at = std::max<size_t>(1'024, pool.patterns.size() * 2);
  }
  return made;
}

}  // namespace yardmaster::rules
