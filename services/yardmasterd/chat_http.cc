#include "services/yardmasterd/chat_http.h"

#include <utility>
#include <vector>

#include "clients/forge/http_curl.h"
#include "services/chat/platform_bridge.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::Status ChatHttp::Replace(const Config& config) {
  std::shared_ptr<HttpClient> client;
  if (std::vector<std::string> origins = ChatOrigins(config); !origins.empty()) {
    CurlHttpOptions options;
    options.origins = std::move(origins);
    options.user_agent = user_agent_;
    options.proxy = config.proxy;
    ASSIGN_OR_RETURN(client, MakeCurlHttpClient(std::move(options)));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!stopped_) client_ = std::move(client);
  return absl::OkStatus();
}

HttpResult ChatHttp::Send(const OutgoingRequest& request) {
  std::shared_ptr<HttpClient> client;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    client = client_;
  }
  if (client == nullptr) return HttpFailure{HttpFailure::Kind::kNotAllowed, false, "no chat platform is configured"};
  return client->Send(request);
}

void ChatHttp::Stop() {
  std::shared_ptr<HttpClient> client;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    client = client_;
  }
  if (client != nullptr) client->Stop();
}

}  // namespace yardmaster
