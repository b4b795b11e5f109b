// What threads and conversations of chat were about last, so that people need not name it again.
#ifndef YARDMASTER_SERVICES_CORE_STORE_CHAT_THREADS_H_
#define YARDMASTER_SERVICES_CORE_STORE_CHAT_THREADS_H_

#include <chrono>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

// A thread, or what a person says to the bot in a channel without threads; the caller's words tell them apart.
struct ChatThread {
  std::string platform;
  std::string channel;
  std::string thread;
};

struct ThreadSubject {
  v1::Subject subject;
  std::chrono::system_clock::time_point at{};  // when it was named
};

// Threads that nobody asked in for so long are forgotten.
inline constexpr std::chrono::hours kChatThreadLife{35 * 24};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store.
class ChatThreads {
 public:
  virtual ~ChatThreads() = default;
  // It is about this from now on.
  virtual absl::Status Put(const ChatThread& thread, const v1::Subject& subject) = 0;
  // nullopt: nobody named anything there.
  virtual absl::StatusOr<std::optional<ThreadSubject>> Find(const ChatThread& thread) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_CHAT_THREADS_H_
