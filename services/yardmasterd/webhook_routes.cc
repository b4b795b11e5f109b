#include "services/yardmasterd/webhook_routes.h"

#include <string>
#include <string_view>
#include <utility>

namespace yardmaster {
namespace {

constexpr std::string_view kPrefix = "/webhooks/";

HttpResponse ToResponse(WebhookAnswer answer) {
  HttpResponse response = HttpResponse::Json(answer.status, std::move(answer.body));
  if (answer.retry_after_s > 0) response.headers.emplace_back("Retry-After", std::to_string(answer.retry_after_s));
  return response;
}

}  // namespace

std::vector<HttpRoute> WebhookRoutes(WebhookReceiver* receiver) {
  HttpHandler handler = [receiver](const HttpRequest& request, HttpReply reply) {
    if (receiver == nullptr) {
      reply(HttpResponse::Json(404, R"({"error":"this forge is not configured"})"));
      return;
    }
    WebhookRequest webhook;
    webhook.forge = request.path().substr(kPrefix.size());
    webhook.header = [&request](std::string_view name) { return request.Header(name); };
    webhook.body = request.body();
    webhook.request_id = request.request_id();
    receiver->Receive(webhook,
                      [reply = std::move(reply)](WebhookAnswer answer) { reply(ToResponse(std::move(answer))); });
  };
  return {{"POST", std::string(kPrefix) + "*", std::move(handler)}};
}

}  // namespace yardmaster
