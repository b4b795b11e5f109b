// A ForgeTransport that answers from a script, for tests of one decorator.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_FORGE_TRANSPORT_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_FORGE_TRANSPORT_H_

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clients/forge/transport.h"

namespace yardmaster::testing {

inline ForgeAnswer OkAnswer(std::string body = "{}", std::vector<HttpHeader> headers = {}) {
  ForgeAnswer answer;
  answer.status = 200;
  answer.body = std::move(body);
  answer.headers = std::move(headers);
  return answer;
}

inline ForgeAnswer ErrorAnswer(ForgeReason reason, ForgeOutcome outcome, int status,
                               std::optional<std::chrono::milliseconds> retry_after = std::nullopt) {
  return FailedAnswer(ForgeError{reason, outcome, status, retry_after}, "scripted");
}

// Thread-safe.
class FakeForgeTransport final : public ForgeTransport {
 public:
  // The next answer. After the last one, every request succeeds.
  void Then(ForgeAnswer answer) {
    std::lock_guard<std::mutex> lock(mutex_);
    script_.push_back(std::move(answer));
  }
  // Called for each request, before it is answered.
  void OnRequest(std::function<void(const ForgeRequest&)> hook) { hook_ = std::move(hook); }

  ForgeAnswer Send(const ForgeRequest& request) override {
    if (hook_) hook_(request);
    std::lock_guard<std::mutex> lock(mutex_);
    requests_.push_back(request);
    if (script_.empty()) return OkAnswer();
    ForgeAnswer answer = std::move(script_.front());
    script_.pop_front();
    return answer;
  }
  void Stop() override { stopped_ = true; }

  std::vector<ForgeRequest> requests() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }
  size_t count() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return requests_.size();
  }
  bool stopped() const { return stopped_; }

 private:
  mutable std::mutex mutex_;
  std::deque<ForgeAnswer> script_;
  std::function<void(const ForgeRequest&)> hook_;
  std::vector<ForgeRequest> requests_;
  bool stopped_ = false;
};

inline ForgeRequest ReadRequest(std::string target = "/repos/o/r/issues/1") {
  ForgeRequest request;
  request.route = "/repos/{repo}/issues/{n}";
  request.target = std::move(target);
  return request;
}

inline ForgeRequest WriteRequest(std::string target = "/repos/o/r/issues/1/labels") {
  ForgeRequest request;
  request.method = "POST";
  request.route = "/repos/{repo}/issues/{n}/labels";
  request.target = std::move(target);
  request.body = "{}";
  return request;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_FORGE_TRANSPORT_H_
