// The HTTP client for chat: it reaches the platforms that are configured now, and nothing else.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_CHAT_HTTP_H_
#define YARDMASTER_SERVICES_YARDMASTERD_CHAT_HTTP_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "clients/forge/http.h"
#include "services/core/config/config.h"

namespace yardmaster {

// Thread-safe. Without a platform every request is refused.
class ChatHttp final : public HttpClient {
 public:
  explicit ChatHttp(std::string user_agent) : user_agent_(std::move(user_agent)) {}

  // The platforms of `config` from now on; requests under way end as they began. On an error the earlier ones stay.
  absl::Status Replace(const Config& config);

  HttpResult Send(const OutgoingRequest& request) override;
  void Stop() override;

 private:
  const std::string user_agent_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<HttpClient> client_;
  bool stopped_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_CHAT_HTTP_H_
