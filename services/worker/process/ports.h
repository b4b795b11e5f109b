// TCP ports of this machine, lent to one run at a time.
//
// A rendezvous takes its port long after it was chosen, in another process, so that the port itself can't be held
// open meanwhile. Instead the number of each port that is lent is locked: runs of one user never choose the same.
// Programs that know nothing of this are noticed by trying the port.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PORTS_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PORTS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/process/name_lock.h"

namespace yardmaster::worker {

// Below what Linux gives to outgoing connections (32768 up): a port of that range would soon be taken.
inline constexpr uint16_t kFirstLentPort = 20'000;
inline constexpr uint16_t kLastLentPort = 29'999;

struct PortRequest {
  size_t count = 1;
  // One behind the other, as for ranks that add their number to a base.
  bool consecutive = false;
  uint16_t first = kFirstLentPort;
  uint16_t last = kLastLentPort;
  // Where lent ports are noted, made if it is missing; empty: DefaultLockFolder().
  std::filesystem::path folder;
};

// True if nobody listens on the port, on any address of IPv4 and IPv6.
bool PortIsFree(uint16_t port);

class PortLease {
 public:
  // RESOURCE_EXHAUSTED: there are not so many free ports. FAILED_PRECONDITION: the folder can't be used, or is not
  // ours.
  static absl::StatusOr<std::unique_ptr<PortLease>> Take(const PortRequest& request);
  // Gives the ports back.
  ~PortLease() = default;
  PortLease(const PortLease&) = delete;
  PortLease& operator=(const PortLease&) = delete;

  // In rising order.
  const std::vector<uint16_t>& ports() const { return ports_; }

 private:
  explicit PortLease(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // False: it is lent already.
  absl::StatusOr<bool> Hold(uint16_t port);
  // The last `count`.
  void Release(size_t count);

  std::filesystem::path folder_;
  std::vector<uint16_t> ports_;
  std::vector<std::unique_ptr<NameLock>> locks_;  // as ports_
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PORTS_H_
