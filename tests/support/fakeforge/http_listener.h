// HTTP/1.1 on a socket, one thread for each connection: simple, and every way to fail is at hand.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_HTTP_LISTENER_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_HTTP_LISTENER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tests/support/fakeforge/message.h"

namespace yardmaster::fakeforge {

class HttpListener {
 public:
  // Called from many threads at once.
  using Handler = std::function<Answer(const Request& request)>;

  // `host` is an IP address; port 0: any free one. nullptr and `error` if it can't be listened on.
  static std::unique_ptr<HttpListener> Start(const std::string& host, uint16_t port, Handler handler,
                                             std::string& error);
  // Cuts all connections.
  ~HttpListener();

  uint16_t port() const;

 private:
  struct Impl;
  explicit HttpListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_HTTP_LISTENER_H_
