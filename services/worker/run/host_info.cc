#include "services/worker/run/host_info.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdint>
#include <thread>

#include "services/worker/text.h"

namespace yardmaster::worker {

HostInfo ThisHost() {
  constexpr uint64_t kMiB = 1024 * 1024;
  HostInfo host;
  host.processors = std::max(1U, std::thread::hardware_concurrency());
  utsname names{};
  if (::uname(&names) == 0) {
    host.name = names.nodename;
    host.architecture = names.machine;
    host.system = Concat(names.sysname, " ", names.release, " ", names.machine);
  }
  struct sysinfo info {};
  if (::sysinfo(&info) == 0) host.memory_mb = static_cast<uint64_t>(info.totalram) * info.mem_unit / kMiB;
  return host;
}

}  // namespace yardmaster::worker
