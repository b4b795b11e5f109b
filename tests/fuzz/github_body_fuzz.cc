// Any bytes as a webhook of GitHub: an event or a reason, never a crash, and the same repository as the receiver found.
#include <cstddef>
#include <cstdint>

#include "clients/forge/github/github_profile.h"
#include "tests/fuzz/body_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yardmaster::CheckBody(yardmaster::GitHubProfile(), data, size);
  return 0;
}
