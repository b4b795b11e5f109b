// How long what is stored is kept.
#ifndef YARDMASTER_SERVICES_CORE_STORE_RETENTION_H_
#define YARDMASTER_SERVICES_CORE_STORE_RETENTION_H_

#include <chrono>
#include <cstdint>

namespace yardmaster {

struct RetentionConfig {
  std::chrono::hours bodies{7 * 24};
  uint64_t bodies_bytes = uint64_t{2} * 1024 * 1024 * 1024;
  std::chrono::hours digests{35 * 24};
  std::chrono::hours decisions{400 * 24};
  std::chrono::hours ledger{400 * 24};
  std::chrono::hours jobs{400 * 24};
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_STORE_RETENTION_H_
