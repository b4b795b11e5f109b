// A tiny HTTP server on loopback whose every byte is the test's: for clients that must survive servers that are slow,
// wrong, too large or gone.
#ifndef YARDMASTER_TESTS_SUPPORT_LOCAL_HTTP_SERVER_H_
#define YARDMASTER_TESTS_SUPPORT_LOCAL_HTTP_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace yardmaster::testing {

class LocalHttpServer {
 public:
  // One connection, on the server's side. All waits end after 10 s, or when the server goes.
  class Connection {
   public:
    Connection(int socket, SSL* tls, std::atomic<bool>& stop) : socket_(socket), tls_(tls), stop_(stop) {}

    // Head and body of the next request; empty if there is none.
    std::string ReadRequest() {
      std::string text;
      size_t head = std::string::npos;
      while ((head = text.find("\r\n\r\n")) == std::string::npos) {
        if (!ReadMore(text)) return "";
      }
      size_t body = 0;
      if (const size_t at = text.find("Content-Length: "); at != std::string::npos && at < head) {
        body = std::strtoul(text.c_str() + at + 16, nullptr, 10);
      }
      while (text.size() < head + 4 + body) {
        if (!ReadMore(text)) return "";
      }
      return text;
    }
    bool Send(std::string_view text) {
      while (!text.empty()) {
        if (stop_) return false;
        const ssize_t count = tls_ != nullptr ? SSL_write(tls_, text.data(), static_cast<int>(text.size()))
                                              : ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        text.remove_prefix(static_cast<size_t>(count));
      }
      return true;
    }
    bool Answer(int status, std::string_view body, std::string_view headers = "") {
      return Send("HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(headers) +
                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
    }
    // The connection ends with a reset instead of an orderly close.
    void ResetOnClose() {
      const linger at_once{1, 0};
      ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    }
    // Until the test is over or the time is.
    void Sleep(std::chrono::milliseconds time) {
      const auto end = std::chrono::steady_clock::now() + time;
      while (!stop_ && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }

   private:
    bool ReadMore(std::string& text) {
      char buffer[16 * 1024];
      for (int i = 0; i < 1'000 && !stop_; ++i) {
        pollfd ready{socket_, POLLIN, 0};
        if ((tls_ == nullptr || SSL_pending(tls_) == 0) && ::poll(&ready, 1, 10) == 0) continue;
        const ssize_t count =
            tls_ != nullptr ? SSL_read(tls_, buffer, sizeof(buffer)) : ::recv(socket_, buffer, sizeof(buffer), 0);
        if (count <= 0) return false;
        text.append(buffer, static_cast<size_t>(count));
        return true;
      }
      return false;
    }

    const int socket_;
    SSL* const tls_;
    std::atomic<bool>& stop_;
  };

  // `serve` runs once for each connection, in a thread of its own. With `certificate` and `key` (PEM files): TLS.
  explicit LocalHttpServer(std::function<void(Connection&)> serve, const std::string& certificate = "",
                           const std::string& key = "")
      : serve_(std::move(serve)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (!certificate.empty()) {
      tls_ = SSL_CTX_new(TLS_server_method());
      SSL_CTX_use_certificate_chain_file(tls_, certificate.c_str());
      SSL_CTX_use_PrivateKey_file(tls_, key.c_str(), SSL_FILETYPE_PEM);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0)
      std::abort();
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~LocalHttpServer() {
    stop_ = true;
    acceptor_.join();
    for (std::thread& worker : workers_) worker.join();
    ::close(listener_);
    if (tls_ != nullptr) SSL_CTX_free(tls_);
  }
  LocalHttpServer(const LocalHttpServer&) = delete;
  LocalHttpServer& operator=(const LocalHttpServer&) = delete;

  uint16_t port() const { return port_; }
  std::string url() const {
    return (tls_ != nullptr ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  }
  int connections() const { return connections_; }

 private:
  void Accept() {
    while (!stop_) {
      pollfd ready{listener_, POLLIN, 0};
      if (::poll(&ready, 1, 10) <= 0) continue;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      ++connections_;
      workers_.emplace_back([this, socket] { Serve(socket); });
    }
  }
  void Serve(int socket) {
    // OpenSSL writes to clients that are gone; the signal stays with this thread and ends with it.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const timeval timeout{10, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    SSL* tls = nullptr;
    bool ok = true;
    if (tls_ != nullptr) {
      tls = SSL_new(tls_);
      SSL_set_fd(tls, socket);
      ok = SSL_accept(tls) == 1;
    }
    if (ok) {
      Connection connection(socket, tls, stop_);
      serve_(connection);
    }
    if (tls != nullptr) SSL_free(tls);
    ERR_clear_error();
    ::close(socket);
  }

  const std::function<void(Connection&)> serve_;
  const int listener_;
  SSL_CTX* tls_ = nullptr;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  std::list<std::thread> workers_;
  std::thread acceptor_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_LOCAL_HTTP_SERVER_H_
