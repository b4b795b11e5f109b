#include "services/core/ids.h"

#include <cstdint>
#include <random>

namespace yardmaster {

std::string NewId(std::string_view prefix) {
  // One generator a thread: nothing is shared, so nothing is locked.
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  static constexpr char kHex[] = "0123456789abcdef";
  std::string id(prefix.size() + 16, '\0');
  prefix.copy(id.data(), prefix.size());
  uint64_t value = generator();
  for (size_t i = 0; i < 16; ++i, value >>= 4) id[prefix.size() + i] = kHex[value & 15];
  return id;
}

}  // namespace yardmaster
