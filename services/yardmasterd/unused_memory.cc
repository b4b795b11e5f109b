#include "services/yardmasterd/unused_memory.h"

#include <cstddef>

// jemalloc's control, where the program is linked with it.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value, size_t new_size)
    __attribute__((weak));

namespace yardmaster {

void ReturnUnusedMemory() {
  if (mallctl == nullptr) return;
  mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  // 4096 stands for all arenas (MALLCTL_ARENAS_ALL). A refusal changes nothing.
  mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

}  // namespace yardmaster
