// What of a result directory is sent.
#ifndef YARDMASTER_SERVICES_YARDWORKER_ARTIFACTS_H_
#define YARDMASTER_SERVICES_YARDWORKER_ARTIFACTS_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// The server takes some more.
inline constexpr size_t kMostArtifacts = 4'000;
// The largest file that the server takes.
inline constexpr uint64_t kMostArtifactBytes = uint64_t{2} * 1024 * 1024 * 1024;

struct ArtifactList {
  std::vector<v1::Artifact> artifacts;
  std::vector<std::string> notes;  // what was left out, and why
};

// Reports, then the files of the steps by name, each with its digest. Tests choose names and may replace what they may
// write: links are left out, as is what could not be named in a message.
ArtifactList ListArtifacts(const std::filesystem::path& result, size_t most = kMostArtifacts);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_ARTIFACTS_H_
