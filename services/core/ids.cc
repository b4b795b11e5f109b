#include "services/core/ids.h"

#include <cstdint>
#include <random>

#include "services/core/hex.h"

namespace yardmaster {

std::string NewId(std::string_view prefix) {
  // One generator a thread: nothing is shared, so nothing is locked.
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return std::string(prefix) + Hex(uint64_t{generator()});
}

}  // namespace yardmaster
