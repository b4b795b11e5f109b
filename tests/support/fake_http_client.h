// An HttpClient that answers from a script and remembers what was asked.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_HTTP_CLIENT_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_HTTP_CLIENT_H_

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/forge/http.h"

namespace yardmaster::testing {

// Thread-safe.
class FakeHttpClient final : public HttpClient {
 public:
  using Handler = std::function<HttpResult(const OutgoingRequest&)>;

  // The next request gets this answer.
  void Answer(int status, std::string body = "", std::vector<HttpHeader> headers = {}) {
    OutgoingResponse response{status, std::move(headers), std::move(body)};
    Then([response](const OutgoingRequest&) { return HttpResult(response); });
  }
  // The next request fails.
  void Fail(HttpFailure::Kind kind, bool sent, std::string detail = "scripted") {
    HttpFailure failure{kind, sent, std::move(detail)};
    Then([failure](const OutgoingRequest&) { return HttpResult(failure); });
  }
  // The next request is answered by this.
  void Then(Handler handler) {
    std::lock_guard<std::mutex> lock(mutex_);
    script_.push_back(std::move(handler));
  }
  // Every request for which the script has nothing.
  void Otherwise(Handler handler) {
    std::lock_guard<std::mutex> lock(mutex_);
    otherwise_ = std::move(handler);
  }

  HttpResult Send(const OutgoingRequest& request) override {
    Handler handler;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(request);
      if (!script_.empty()) {
        handler = std::move(script_.front());
        script_.pop_front();
      } else {
        handler = otherwise_;
      }
    }
    if (!handler) return HttpFailure{HttpFailure::Kind::kProtocol, false, "nothing is scripted for " + request.url};
    return handler(request);
  }

  std::vector<OutgoingRequest> requests() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }
  size_t count() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return requests_.size();
  }
  // "GET https://host/path?query" of each request.
  std::vector<std::string> lines() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> out;
    for (const OutgoingRequest& request : requests_) out.push_back(request.method + " " + request.url);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Handler> script_;
  Handler otherwise_;
  std::vector<OutgoingRequest> requests_;
};

// A header of a request; empty if there is none.
inline std::string HeaderOf(const OutgoingRequest& request, std::string_view name) {
  for (const HttpHeader& header : request.headers) {
    if (EqualsIgnoreCase(header.name, name)) return header.value;
  }
  return "";
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_HTTP_CLIENT_H_
