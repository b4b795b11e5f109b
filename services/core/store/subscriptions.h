// What channels of chat are told about repositories without having asked.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SUBSCRIPTIONS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SUBSCRIPTIONS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// One topic for one channel.
struct Subscription {
  std::string platform;
  std::string channel;
  std::string forge;
  std::string repository;  // "owner/name"; compared without regard to case
  std::string topic;
  std::string by;             // login of who asked for it
  TimePoint since{};          // Put sets it
  std::string language = {};  // "zh": the channel is told in Chinese; else in English
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store.
class Subscriptions {
 public:
  virtual ~Subscriptions() = default;
  // Where it is there already, only its language changes.
  virtual absl::Status Put(const Subscription& subscription) = 0;
  // Nothing happens where it is not there.
  virtual absl::Status Remove(const Subscription& subscription) = 0;
  // By platform, channel, repository and topic.
  virtual absl::StatusOr<std::vector<Subscription>> List() = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SUBSCRIPTIONS_H_
