// Any bytes as a webhook of GitHub: an event or a reason, never a crash, and the same repository as the door found.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/body_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::CheckBody(yardmaster::GitHubWebhooks(), data, size);
  return 0;
}
