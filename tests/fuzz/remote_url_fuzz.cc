// The address of a remote: never a crash; what is found has an owner and a name, and nothing that a path could mean.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "clients/git/remote_url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::optional<yardmaster::RemoteRepository> found = yardmaster::ParseRemoteUrl(input);
  if (found && (found->name.find('/') == std::string::npos || found->name.front() == '/' || found->host.empty() ||
                found->host.find('@') != std::string::npos)) {
    abort();
  }
  if (yardmaster::WithoutCredentials(input).size() > input.size()) abort();
  return 0;
}
