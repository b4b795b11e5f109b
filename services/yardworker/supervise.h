// The process that does one run. It needs no worker and no network: it reads its order from the run's folder and leaves
// its outcome there.
#ifndef YARDMASTER_SERVICES_YARDWORKER_SUPERVISE_H_
#define YARDMASTER_SERVICES_YARDWORKER_SUPERVISE_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace yardmaster::yardworker {

// The exit code. SIGTERM cancels the run. `executable` is this program: beside it our own suites are looked for.
// `readable`: folders of the host that the run may read besides the system's. `cache_mb`: what runs may keep for those
// after them.
int Supervise(const std::filesystem::path& path, uint64_t cache_mb, const std::vector<std::filesystem::path>& readable,
              const std::filesystem::path& executable);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_SUPERVISE_H_
