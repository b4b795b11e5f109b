// One connection of the HTTP server: reads requests and has them answered, in order.
#ifndef YARDMASTER_SERVICES_GATEWAY_HTTP_CONNECTION_H_
#define YARDMASTER_SERVICES_GATEWAY_HTTP_CONNECTION_H_

#include <boost/asio/ip/tcp.hpp>
#include <memory>

namespace yardmaster {

struct HttpServerCore;

class HttpConnection {
 public:
  // Serves what comes over `socket` until the connection ends; `server` and the connection live until then.
  static void Start(std::shared_ptr<HttpServerCore> server, boost::asio::ip::tcp::socket socket);
  virtual ~HttpConnection() = default;

  // From any thread: close when no request is being served.
  virtual void CloseIfIdle() = 0;
  // From any thread: close now.
  virtual void CloseNow() = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_GATEWAY_HTTP_CONNECTION_H_
