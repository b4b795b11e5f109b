// People on the chat platforms: what they say and press goes to the daemon as the platforms send it, and what it says
// there can be looked at.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_CHAT_TALK_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_CHAT_TALK_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/fakeforge/chat_side.h"
#include "tests/support/fakeforge/message.h"

namespace yardmaster::fakeforge {

// Thread-safe.
class ChatTalk {
 public:
  // `url`: where the daemon is, "http://HOST:PORT"; `secret` as of ChatSide. `stop` ends what is in flight.
  ChatTalk(std::string url, std::string secret, const std::atomic<bool>& stop);

  // Calls of the bot's below kPath, the platform's name first; calls of the test's own below /_fake/:
  //   POST say    {platform, user, channel, text} → {"status"}: what the daemon answered
  //   POST press  {platform, user, channel, value} → {"status"}: a button
  //   GET  heard  → {"messages": [{platform, id, channel, only_for, text, texts, buttons}]}
  static constexpr const char* kPath = "/chat/";
  Answer Handle(const Request& request);
  static bool IsOwn(const std::vector<std::string>& parts);

 private:
  Answer Say(const std::string& what, const Request& request);
  Answer ListHeard() const;

  const std::string url_;
  const std::string secret_;
  const std::atomic<bool>& stop_;
  std::atomic<int64_t> said_{1'000};
  ChatSide side_;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_CHAT_TALK_H_
