// The chat platforms as listeners, inside of a test: what the bot says there. The api_url of a platform is
// url(PLATFORM).
#ifndef YARDMASTER_TESTS_SUPPORT_CHAT_LISTENER_H_
#define YARDMASTER_TESTS_SUPPORT_CHAT_LISTENER_H_

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/fakeforge/chat_side.h"
#include "tests/support/fakeforge/http_listener.h"

namespace yardmaster::testing {

using fakeforge::HeardInChat;

class ChatListener {
 public:
  ChatListener() {
    std::string error;
    listener_ = fakeforge::HttpListener::Start(
        "127.0.0.1", 0,
        [this](const fakeforge::Request& request) {
          fakeforge::Answer answer = side_.Handle(request);
          const auto end = std::chrono::steady_clock::now() + delay_.load();
          while (!closing_ && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
          return answer;
        },
        error);
    EXPECT_NE(listener_, nullptr) << error;
  }
  ~ChatListener() { closing_ = true; }

  std::string url(const std::string& platform) const {
    return "http://127.0.0.1:" + std::to_string(listener_->port()) + "/" + platform;
  }
  // Answers come so much later; what was said is kept at once.
  void DelayAnswers(std::chrono::milliseconds delay) { delay_ = delay; }
  fakeforge::ChatSide& side() { return side_; }

  std::vector<HeardInChat> Heard(std::string_view platform = "") const { return side_.Heard(platform); }
  // True once so many messages were heard.
  bool WaitFor(std::string_view platform, size_t count,
               std::chrono::milliseconds most = std::chrono::seconds(30)) const {
    const auto end = std::chrono::steady_clock::now() + most;
    while (Heard(platform).size() < count) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

 private:
  fakeforge::ChatSide side_;
  std::atomic<std::chrono::milliseconds> delay_{std::chrono::milliseconds(0)};
  std::atomic<bool> closing_{false};
  std::unique_ptr<fakeforge::HttpListener> listener_;  // last: it ends first
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_CHAT_LISTENER_H_
