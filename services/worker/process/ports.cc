#include "services/worker/process/ports.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "services/worker/process/process_errors.h"

namespace yardmaster::worker {
namespace {

// Another run may remove the folder, or a port's file, between two calls of ours.
constexpr int kTries = 100;

// 0 or errno.
int TryBind(const UniqueFd& socket, const sockaddr* address, socklen_t size) {
  return ::bind(socket.get(), address, size) == 0 ? 0 : errno;
}

bool IsFreeV4(uint16_t port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.ok()) return errno == EAFNOSUPPORT;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(port);
  return TryBind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

bool IsFreeV6(uint16_t port) {
  const UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.ok()) return errno == EAFNOSUPPORT;
  // Both families apart, so that the answer does not hang on how the machine is set.
  const int only = 1;
  ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_any;
  address.sin6_port = htons(port);
  const int error = TryBind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  return error == 0 || error == EADDRNOTAVAIL;  // IPv6 may be switched off
}

// Makes the folder, ours alone. An empty text, or why it can't be used.
std::string MakeFolder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return std::strerror(errno);
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0) return errno == ENOENT ? "" : std::strerror(errno);
  // In /tmp anybody may have made it.
  if (!S_ISDIR(about.st_mode) || about.st_uid != ::geteuid()) return "it belongs to somebody else";
  return "";
}

}  // namespace

std::filesystem::path DefaultPortFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && ::access(runtime, W_OK | X_OK) == 0) {
    return std::filesystem::path(runtime) / "yardmaster-ports";
  }
  return "/tmp/yardmaster-ports-" + std::to_string(::geteuid());
}

bool PortIsFree(uint16_t port) { return IsFreeV4(port) && IsFreeV6(port); }

absl::StatusOr<std::unique_ptr<PortLease>> PortLease::Take(const PortRequest& request) {
  const unsigned first = std::max<unsigned>(request.first, 1);
  const unsigned last = request.last;
  std::unique_ptr<PortLease> lease(new PortLease(request.folder.empty() ? DefaultPortFolder() : request.folder));
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
    return process_errors::NoPortsLeft(request.count, first, last, request.consecutive ? " one behind the other" : "");
  }
  std::sort(lease->ports_.begin(), lease->ports_.end());
  return lease;
}

absl::StatusOr<bool> PortLease::Hold(uint16_t port) {
  const std::filesystem::path file = folder_ / std::to_string(port);
  for (int i = 0; i < kTries; ++i) {
    UniqueFd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.ok() && errno == ENOENT) {
      const std::string problem = MakeFolder(folder_);
      if (!problem.empty()) return process_errors::PortFolderUnusable(folder_.native(), problem);
      continue;
    }
    if (!lock.ok()) return process_errors::PortFolderUnusable(folder_.native(), std::strerror(errno));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
    // Its last holder may have removed the file after we opened it: then we hold nothing.
    struct stat opened {};
    struct stat named {};
    if (::fstat(lock.get(), &opened) != 0 || ::stat(file.c_str(), &named) != 0 || opened.st_ino != named.st_ino) {
      continue;
    }
    ports_.push_back(port);
    held_.push_back({file, std::move(lock)});
    return true;
  }
  return false;
}

void PortLease::Release(size_t count) {
  for (; count > 0; --count) {
    // Removed while it is locked, so that nobody finds a file that is about to go.
    ::unlink(held_.back().file.c_str());
    held_.pop_back();
    ports_.pop_back();
  }
}

PortLease::~PortLease() {
  Release(ports_.size());
  ::rmdir(folder_.c_str());  // fails while others have ports
}

}  // namespace yardmaster::worker
