#include "services/yardmasterd/chat_routes.h"

#include <string>
#include <string_view>
#include <utility>

namespace yardmaster {
namespace {

constexpr std::string_view kChatPrefix = "/chat/";

HttpResponse ToHttp(ChatResponse answer) {
  HttpResponse response{answer.status, std::move(answer.content_type), std::move(answer.body), {}};
  if (answer.retry_after_s > 0) response.headers.emplace_back("Retry-After", std::to_string(answer.retry_after_s));
  // Slack's word; the others have none.
  if (answer.no_retry) response.headers.emplace_back("X-Slack-No-Retry", "1");
  if (!answer.allow.empty()) response.headers.emplace_back("Allow", std::move(answer.allow));
  return response;
}

}  // namespace

std::vector<HttpRoute> ChatRoutes(ChatReceiver* receiver) {
  const HttpHandler handler = [receiver](const HttpRequest& request, HttpReply reply) {
    if (receiver == nullptr) {
      reply(HttpResponse::Json(404, R"({"error":"this platform is not configured"})"));
      return;
    }
    chat::ChatRequest received;
    received.method = request.method();
    received.query = request.query();
    received.body = request.body();
    received.header = [&request](std::string_view name) { return request.Header(name); };
    receiver->Receive(request.path().substr(kChatPrefix.size()), received, request.request_id(),
                      [reply = std::move(reply)](ChatResponse answer) { reply(ToHttp(std::move(answer))); });
  };
  const std::string path = std::string(kChatPrefix) + "*";
  return {{"POST", path, handler}, {"GET", path, handler}};
}

}  // namespace yardmaster
