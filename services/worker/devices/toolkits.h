// Versions of the toolkits that programs for GPUs and NPUs are built with, as their files say them.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_TOOLKITS_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_TOOLKITS_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// The value of a line "Version=8.0.RC3", whatever the case of the name, also in brackets; empty if there is none.
std::string VersionInFile(std::string_view text, std::string_view name);

// Where toolkits usually lie; others in tests.
struct ToolkitPaths {
  std::filesystem::path ascend = "/usr/local/Ascend/ascend-toolkit/latest";
  std::filesystem::path cuda = "/usr/local/cuda";
};

// Of CANN in the first of `roots` (what ASCEND_HOME_PATH and its like name) that has one, else in the usual place;
// empty: not known.
std::string CannVersion(const std::vector<std::filesystem::path>& roots, const ToolkitPaths& paths = {});
// Of the CUDA toolkit in the usual place; empty: not known.
std::string CudaVersion(const ToolkitPaths& paths = {});

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_TOOLKITS_H_
