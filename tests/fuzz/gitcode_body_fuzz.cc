// Any bytes as a webhook of GitCode: an event or a reason, never a crash, and the same repository as the receiver
// found.
#include <cstddef>
#include <cstdint>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "tests/fuzz/body_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::CheckBody(yardmaster::GitCodeProfile(), data, size);
  return 0;
}
