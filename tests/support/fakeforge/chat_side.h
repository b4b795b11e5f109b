// The chat platforms as listeners: one server with five faces that keeps what the bot says as the platforms would show
// it. Their api_url is …/PLATFORM. Calls without the credentials of tests/support/chat_faces.h are refused, and so is
// more than a platform takes.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_CHAT_SIDE_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_CHAT_SIDE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fakeforge/message.h"

namespace yardmaster::fakeforge {

// A message, as it is shown now.
struct HeardInChat {
  std::string platform;
  std::string id;                    // the platform's
  std::string channel;               // empty: it came by the address of what it answers
  std::string answers;               // the message that its thread begins with; empty: none, or nobody says
  std::string only_for;              // the one who sees it; empty: everybody in the channel
  std::string text;                  // as it is shown
  std::string raw;                   // the body of the call
  std::string button;                // the value of its first button; empty: none
  std::vector<std::string> buttons;  // the values of all
  std::vector<std::string> texts;    // all that it showed, in order
  int64_t time_ms = 0;               // when it came
};

// Thread-safe.
class ChatSide {
 public:
  // `secret`: of every platform; empty: that of tests/support/chat_faces.h.
  explicit ChatSide(std::string secret = {});

  // A call of the bot's; the path begins with the platform.
  Answer Handle(const Request& request);

  // The platforms' own form of messages is refused: only plain text is taken.
  void RefuseForms(bool refuse) { refuse_forms_ = refuse; }

  // Somebody said the message in the channel: what replies to it goes there.
  void NoteSaid(const std::string& message, const std::string& channel);

  // All messages of a platform; empty: of every one. In the order in which they came.
  std::vector<HeardInChat> Heard(std::string_view platform = "") const;
  // Calls that came too fast, and calls without the right credentials.
  int over_limit() const { return over_limit_; }
  int without_token() const { return without_token_; }

 private:
  using json = nlohmann::json;

  // What a platform takes of one place within a time.
  bool IsOverLimit(const std::string& platform, const std::string& place);
  Answer Post(const std::string& platform, const Request& request, const json& given);
  Answer Change(const std::string& platform, const std::string& id, const json& body, std::string_view raw);
  Answer List(const std::string& platform, const Request& request) const;

  const std::string secret_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<HeardInChat> heard_;
  std::map<std::string, std::string> said_in_;  // channel by message
  std::map<std::string, std::deque<std::chrono::steady_clock::time_point>> recent_;
  std::atomic<bool> refuse_forms_{false};
  std::atomic<int> over_limit_{0};
  std::atomic<int> without_token_{0};
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_CHAT_SIDE_H_
