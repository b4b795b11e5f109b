// Stands between two programs on loopback and lets their connections break, or die without a word.
#ifndef YARDMASTER_TESTS_SUPPORT_TCP_PROXY_H_
#define YARDMASTER_TESTS_SUPPORT_TCP_PROXY_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace yardmaster::testing {

class TcpProxy {
 public:
  // Passes what comes on to 127.0.0.1:`port`.
  explicit TcpProxy(int port) : to_(port) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, place, size) != 0 || ::getsockname(listener_, place, &size) != 0 ||
        ::listen(listener_, 16) != 0) {
      throw std::system_error(errno, std::generic_category(), "a proxy can't listen");
    }
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { Loop(); });
  }
  ~TcpProxy() {
    over_ = true;
    thread_.join();
    ::close(listener_);
  }
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  const std::string& address() const { return address_; }
  // Ends all connections.
  void Cut() { cut_ = true; }
  // Connections stay, and nothing passes; new ones are not made.
  void Silence(bool silent) { silent_ = silent; }

 private:
  void Loop() {
    std::map<int, int> peers;  // both ways
    std::vector<char> buffer(64 * 1024);
    const auto end = [&](int fd) {
      ::close(peers[fd]);
      ::close(fd);
      peers.erase(peers[fd]);
      peers.erase(fd);
    };
    while (!over_) {
      if (cut_.exchange(false)) {
        while (!peers.empty()) end(peers.begin()->first);
      }
      if (silent_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      std::vector<pollfd> waited = {{listener_, POLLIN, 0}};
      for (const auto& [fd, peer] : peers) waited.push_back({fd, POLLIN, 0});
      if (::poll(waited.data(), waited.size(), 20) <= 0) continue;
      if (waited[0].revents != 0) Accept(peers);
      for (size_t i = 1; i < waited.size(); ++i) {
        if (waited[i].revents == 0 || peers.count(waited[i].fd) == 0) continue;
        const ssize_t count = ::read(waited[i].fd, buffer.data(), buffer.size());
        if (count <= 0 || !WriteAll(peers[waited[i].fd], buffer.data(), static_cast<size_t>(count))) end(waited[i].fd);
      }
    }
    while (!peers.empty()) end(peers.begin()->first);
  }

  void Accept(std::map<int, int>& peers) const {
    const int from = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int on = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(to_));
    if (from < 0 || ::connect(on, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::close(on);
      if (from >= 0) ::close(from);
      return;
    }
    peers[from] = on;
    peers[on] = from;
  }

  static bool WriteAll(int fd, const char* data, size_t size) {
    while (size > 0) {
      const ssize_t count = ::send(fd, data, size, MSG_NOSIGNAL);
      if (count <= 0) return false;
      data += count;
      size -= static_cast<size_t>(count);
    }
    return true;
  }

  const int to_;
  int listener_ = -1;
  std::string address_;
  std::atomic<bool> over_{false};
  std::atomic<bool> cut_{false};
  std::atomic<bool> silent_{false};
  std::thread thread_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_TCP_PROXY_H_
