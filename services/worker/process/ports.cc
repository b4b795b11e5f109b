#include "services/worker/process/ports.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>

#include "absl/algorithm/container.h"
#include "services/core/status_macros.h"
#include "services/worker/errors.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {
namespace {

// Nobody listens on any address of a family; of a family that the system lacks or has switched off nobody can.
template <typename Address>
bool IsFree(int family, const Address& address) {
  const UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.ok()) return errno == EAFNOSUPPORT;
  // Both families apart, so that the answer does not hang on how the machine is set.
  const int only = 1;
  if (family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ||
         errno == EADDRNOTAVAIL;
}

}  // namespace

bool PortIsFree(uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_ANY);
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_any;
  v6.sin6_port = htons(port);
  return IsFree(AF_INET, v4) && IsFree(AF_INET6, v6);
}

absl::StatusOr<std::unique_ptr<PortLease>> PortLease::Take(const PortRequest& request) {
  const unsigned first = std::max<unsigned>(request.first, 1);
  const unsigned last = request.last;
  std::unique_ptr<PortLease> lease(new PortLease(request.folder.empty() ? DefaultLockFolder() : request.folder));
  const unsigned size = last >= first ? last - first + 1 : 0;
  // From a random place on: what was given back a moment ago may still have connections that are winding up.
  std::random_device random;
  const unsigned start = size == 0 ? 0 : random() % size;
  for (unsigned i = 0; i < size && lease->ports_.size() < request.count; ++i) {
    const unsigned port = first + (start + i) % size;
    // Behind the end comes the beginning, which is no neighbour.
    if (request.consecutive && port == first) lease->Release(lease->ports_.size());
    absl::StatusOr<bool> held = lease->Hold(static_cast<uint16_t>(port));
    if (!held.ok()) return held.status();
    if (*held && !PortIsFree(static_cast<uint16_t>(port))) {
      lease->Release(1);
      held = false;
    }
    if (!*held && request.consecutive) lease->Release(lease->ports_.size());
  }
  if (lease->ports_.size() < request.count) {
    return worker_errors::NoPortsLeft(request.count, first, last, request.consecutive ? " one behind the other" : "");
  }
  absl::c_sort(lease->ports_);
  return lease;
}

absl::StatusOr<bool> PortLease::Hold(uint16_t port) {
  std::string holder;
  ASSIGN_OR_RETURN(std::unique_ptr<NameLock> lock, NameLock::Take(folder_, std::to_string(port), holder));
  if (lock == nullptr) return false;
  ports_.push_back(port);
  locks_.push_back(std::move(lock));
  return true;
}

void PortLease::Release(size_t count) {
  ports_.resize(ports_.size() - count);
  locks_.resize(locks_.size() - count);
}

}  // namespace yardmaster::worker
