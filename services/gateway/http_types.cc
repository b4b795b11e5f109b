#include "services/gateway/http_types.h"

#include <atomic>

namespace yardmaster {

struct HttpReply::Once {
  explicit Once(Deliver deliver) : deliver(std::move(deliver)) {}
  ~Once() {
    if (!used.load()) deliver(HttpResponse::Text(500, "internal error\n"));
  }
  std::atomic<bool> used{false};
  Deliver deliver;
};

HttpReply::HttpReply(Deliver deliver) : once_(std::make_shared<Once>(std::move(deliver))) {}

void HttpReply::operator()(HttpResponse response) const {
  if (!once_->used.exchange(true)) once_->deliver(std::move(response));
}

HttpHandler AnswerWith(std::function<HttpResponse(const HttpRequest& request)> answer) {
  return [answer = std::move(answer)](const HttpRequest& request, HttpReply reply) { reply(answer(request)); };
}

}  // namespace yardmaster
