// A client that speaks to a listener byte by byte, so that tests can be as slow, as wrong or as large as they like.
#ifndef YARDMASTER_TESTS_SUPPORT_RAW_HTTP_H_
#define YARDMASTER_TESTS_SUPPORT_RAW_HTTP_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace yardmaster::testing {

// One connection to 127.0.0.1. All waits end after 10 s.
class RawConnection {
 public:
  explicit RawConnection(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    const timeval timeout{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  }
  ~RawConnection() {
    if (tls_ != nullptr) SSL_free(tls_);
    if (context_ != nullptr) SSL_CTX_free(context_);
    ::close(socket_);
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool connected() const { return connected_; }

  // Goes on with TLS; the server must be the certificate in `ca_file`, and be called localhost.
  bool StartTls(const std::string& ca_file) {
    context_ = SSL_CTX_new(TLS_client_method());
    SSL_CTX_load_verify_locations(context_, ca_file.c_str(), nullptr);
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    tls_ = SSL_new(context_);
    SSL_set1_host(tls_, "localhost");
    SSL_set_fd(tls_, socket_);
    return SSL_connect(tls_) == 1;
  }

  // False if the other side does not take it any more.
  bool Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = tls_ != nullptr ? SSL_write(tls_, text.data(), static_cast<int>(text.size()))
                                            : ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  void FinishSending() { ::shutdown(socket_, SHUT_WR); }

  // One answer: the head and as many bytes as its Content-Length says. What was read so far if the connection ends
  // before.
  std::string ReadAnswer() {
    std::string answer;
    while (true) {
      const size_t end = buffer_.find("\r\n\r\n");
      if (end != std::string::npos) {
        size_t length = 0;
        const size_t field = buffer_.find("Content-Length: ");
        if (field != std::string::npos && field < end) length = std::strtoul(buffer_.c_str() + field + 16, nullptr, 10);
        if (buffer_.size() >= end + 4 + length) {
          answer = buffer_.substr(0, end + 4 + length);
          buffer_.erase(0, answer.size());
          return answer;
        }
      }
      if (!ReadSome()) return std::exchange(buffer_, "");
    }
  }

  // Everything until the other side closes. `closed` tells whether it did, in contrast to a time-out here.
  std::string ReadToEnd(bool* closed = nullptr) {
    while (ReadSome()) {
    }
    if (closed != nullptr) *closed = closed_;
    return std::exchange(buffer_, "");
  }

  static std::string Get(uint16_t port, std::string_view path, std::string_view headers = "") {
    RawConnection connection(port);
    connection.Send("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n");
    return connection.ReadAnswer();
  }

 private:
  bool ReadSome() {
    char chunk[16 * 1024];
    const ssize_t count =
        tls_ != nullptr ? SSL_read(tls_, chunk, sizeof(chunk)) : ::recv(socket_, chunk, sizeof(chunk), 0);
    if (count <= 0) {
      closed_ = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      return false;
    }
    buffer_.append(chunk, static_cast<size_t>(count));
    return true;
  }

  int socket_;
  bool connected_ = false;
  bool closed_ = false;
  SSL_CTX* context_ = nullptr;
  SSL* tls_ = nullptr;
  std::string buffer_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_RAW_HTTP_H_
